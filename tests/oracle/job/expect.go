package main

import (
	"maps"
	"slices"
	"time"

	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	peer "mulligan.dev/mulligan/tests/oracle/job/peer/job"
)

// expect syncs the controller once and reads the answer from its writes, and
// the other answers that a reader of the report could give.
func (h *history) expect() (said map[string]any, instead []map[string]any) {
	job, before := h.job.DeepCopy(), h.pods
	pods := failedLast(job, before)
	if h.look() != nil {
		return nil, nil
	}
	status := h.job.Status
	said = map[string]any{"refused": false, "terminal": false, "failed": status.Failed, "succeeded": status.Succeeded}
	if ended := end(status); ended != nil {
		said["terminal"] = true
		said["verdict"], said["reason"] = []string{"Complete"}, []string{ended.Reason}
		if !ambiguous(job, before) {
			said["message"] = ended.Message
		}
		if ended.Type == batch.JobFailed || ended.Type == batch.JobFailureTarget {
			said["verdict"] = []string{"Failed"}
		}
		return said, nil
	}
	if job.Spec.Suspend != nil && *job.Spec.Suspend {
		said["verdict"] = []string{"Suspended"}
		return said, nil
	}
	if len(pods) == 0 {
		said["verdict"] = []string{"None"}
		return said, nil
	}
	var verdicts, reasons []string
	var counted []bool
	for _, pod := range pods {
		counts, action := peer.Match(job, pod)
		verdict, reason := "Count", ""
		if action != nil {
			verdict, reason = string(*action), "PodFailurePolicy"
		}
		if peer.HasLimitPerIndex(job) && peer.FailsIndex(job, pod) {
			verdict = "FailIndex"
		}
		verdicts, reasons, counted = append(verdicts, verdict), append(reasons, reason), append(counted, counts)
	}
	said["verdict"], said["reason"], said["counted"] = verdicts, reasons, counted
	// Its objects do not show the delay if a new controller reads them.
	if delay, known := h.delay(job, pods, verdicts[0]); known && !h.forgot {
		said["delay"] = delay.Seconds()
		if !peer.HasLimitPerIndex(job) {
			instead = h.otherDelays(said, peer.Shown(job, before))
		}
	}
	return said, instead
}

// otherDelays are those for every number of failures between what the pods
// show, what the controller remembers and what happened: pods that failed or
// succeeded may be gone, or their times do not show which came first.
func (h *history) otherDelays(said map[string]any, shown peer.Memory) (instead []map[string]any) {
	all := []peer.Memory{shown, h.oracle.Remembered, h.oracle.Happened}
	fewest, most := all[0].Failures, all[0].Failures
	for _, memory := range all {
		fewest, most = min(fewest, memory.Failures), max(most, memory.Failures)
	}
	known := []any{said["delay"]}
	for failures := fewest; failures <= most; failures++ {
		for _, memory := range all {
			delay := 0.0
			if memory.Failures = failures; failures > 0 && memory.Last != nil {
				delay = memory.Delay(h.clock).Seconds()
			}
			if delay > 0 {
				delay = max(delay, 1) // The controller looks no sooner.
			}
			if !slices.Contains(known, any(delay)) {
				other := maps.Clone(said)
				other["delay"] = delay
				known, instead = append(known, any(delay)), append(instead, other)
			}
		}
	}
	return instead
}

// ambiguous returns whether several pods fail the Job. The controller then
// names any one of them.
func ambiguous(job *batch.Job, pods []*corev1.Pod) bool {
	guilty := 0
	for _, pod := range pods {
		_, action := peer.Match(job, pod)
		if peer.IsPodFailed(pod, job) && action != nil && *action == batch.PodFailurePolicyActionFailJob {
			guilty++
		}
	}
	return guilty > 1 && end(job.Status) == nil
}

// end returns the condition that ends the Job, or announces its end.
func end(status batch.JobStatus) *batch.JobCondition {
	for _, kind := range []batch.JobConditionType{batch.JobFailed, batch.JobComplete, batch.JobFailureTarget, batch.JobSuccessCriteriaMet} {
		at := slices.IndexFunc(status.Conditions, func(condition batch.JobCondition) bool {
			return condition.Type == kind && condition.Status == corev1.ConditionTrue
		})
		if at >= 0 {
			return &status.Conditions[at]
		}
	}
	return nil
}

// failedLast returns the pods that the question is about: of the failed pods,
// preferably not accounted for, the last; several if they are equal.
func failedLast(job *batch.Job, pods []*corev1.Pod) []*corev1.Pod {
	var last []*corev1.Pod
	for _, pod := range pods {
		if !peer.IsPodFailed(pod, job) {
			continue
		}
		if len(last) > 0 {
			held, before := len(pod.Finalizers) > 0, len(last[0].Finalizers) > 0
			order := peer.FinishedTime(pod).Compare(peer.FinishedTime(last[0]))
			if held != before && before || held == before && order < 0 {
				continue
			}
			if held != before || order > 0 {
				last = nil
			}
		}
		last = append(last, pod)
	}
	return last
}

// delay returns how long the replacement of the failed pod waits, and whether
// that is known because a pod was created or delayed.
func (h *history) delay(job *batch.Job, pods []*corev1.Pod, verdict string) (time.Duration, bool) {
	asked := h.oracle.Delays
	if limit := job.Spec.ActiveDeadlineSeconds; limit != nil && len(asked) > 0 {
		asked = asked[1:] // The deadline; then come the pods.
	}
	if !peer.HasLimitPerIndex(job) {
		if len(asked) > 0 {
			return asked[len(asked)-1], true
		}
		return 0, len(h.changes.created) > 0
	}
	if len(pods) > 1 || verdict == "FailIndex" {
		return 0, false
	}
	const key = "batch.kubernetes.io/job-completion-index"
	if len(asked) > 0 {
		return peer.IndexDelay(h.clock, pods[0]), true
	}
	return 0, slices.ContainsFunc(h.changes.created, func(pod *corev1.Pod) bool {
		return pod.Annotations[key] == pods[0].Annotations[key]
	})
}
