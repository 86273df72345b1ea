package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/tests/oracle/cases"
	peer "mulligan.dev/mulligan/tests/oracle/job/peer/job"
)

// history is a Job and a controller that has managed it from the start.
type history struct {
	random *rand.Rand
	clock  *testclock.FakeClock
	job    *batch.Job
	// pods of the API server, oldest first.
	pods []*corev1.Pod
	made int
	// forgot: a new controller without memory has replaced the old one.
	forgot  bool
	oracle  *peer.Oracle
	changes changes
}

// changes are a Sync's changes to pods, made from several goroutines.
type changes struct {
	sync.Mutex
	created           []*corev1.Pod
	deleted, released []string
}

// live follows a Job for a while and asks about it at one moment.
func live(random *rand.Rand, job *batch.Job) cases.Case {
	labels := map[string]string{"batch.kubernetes.io/controller-uid": string(job.UID), "batch.kubernetes.io/job-name": job.Name}
	job.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": string(job.UID)}}
	job.Spec.Template.Labels = labels
	h := &history{random: random, clock: testclock.NewFakeClock(cases.Now), job: job}
	suspend := job.Spec.Suspend
	if cases.Chance(random, 2) {
		job.Spec.Suspend = ptr.To(false) // It is suspended later.
	}
	h.restart()
	for range 1 + random.IntN(14) {
		h.settle()
		h.wait()
		h.kubelet()
		// Asks mostly at moments at which a pod has just failed.
		if !cases.Chance(random, 3) && slices.ContainsFunc(failedLast(h.job, h.pods), unaccounted) {
			break
		}
	}
	job = h.job
	job.Spec.Suspend = suspend
	if cases.Chance(random, 8) {
		h.forge()
	}
	if cases.Chance(random, 3) {
		h.settle()
	}
	if cases.Chance(random, 10) {
		h.forgot = true
		h.restart()
	}
	h.update()
	now := h.clock.Now().Format("2006-01-02T15:04:05.000Z")
	made := cases.Case{Request: request(h.job, h.pods, now)}
	if made.Expect, made.Instead = h.expect(); made.Instead != nil {
		made.Point = "job-memory"
	}
	return made
}

func unaccounted(pod *corev1.Pod) bool { return len(pod.Finalizers) > 0 }

// restart replaces the controller by one without memory.
func (h *history) restart() {
	h.oracle = peer.NewOracle(h.clock, h)
	h.update()
	for _, pod := range h.pods {
		h.oracle.Pods.Add(pod)
	}
}

// update shows the Job to the controller as the API server stores it.
func (h *history) update() {
	text, _ := json.Marshal(h.job)
	h.job = &batch.Job{}
	if err := json.Unmarshal(text, h.job); err != nil {
		panic(err)
	}
	h.oracle.Jobs.Add(h.job)
}

// settle syncs the controller until it writes nothing more.
func (h *history) settle() {
	for range 4 {
		if h.look() != nil || (h.oracle.Written == nil && len(h.changes.created) == 0) {
			return
		}
	}
}

// look syncs once and applies the effects.
func (h *history) look() error {
	h.changes = changes{}
	if err := h.oracle.Sync(namespace + "/" + h.job.Name); err != nil {
		return err
	}
	asked := h.oracle.Delays
	if h.oracle.Written != nil {
		h.job = h.oracle.Written.DeepCopy()
		h.update()
	}
	h.apply()
	h.oracle.Delays = asked
	return nil
}

func (h *history) apply() {
	index := func(pod *corev1.Pod) string { return pod.Annotations["batch.kubernetes.io/job-completion-index"] }
	slices.SortFunc(h.changes.created, func(a, b *corev1.Pod) int { return strings.Compare(index(a), index(b)) })
	for _, pod := range h.changes.created {
		pod.Name = fmt.Sprintf("%s-p%d", h.job.Name, h.made)
		pod.UID = types.UID("uid-" + pod.Name)
		h.made++
		h.pods = append(h.pods, pod)
		h.oracle.Pods.Add(pod)
		h.oracle.PodAdded(pod)
	}
	for at, pod := range h.pods {
		deleted, released := slices.Contains(h.changes.deleted, pod.Name), slices.Contains(h.changes.released, pod.Name)
		if deleted || released {
			h.change(at, func(pod *corev1.Pod) {
				if deleted {
					remove(pod, h.now())
				}
				if released {
					pod.Finalizers = nil
				}
			})
		}
	}
}

// change writes a pod and notifies the controller.
func (h *history) change(at int, by func(*corev1.Pod)) {
	before := h.pods[at]
	after := before.DeepCopy()
	by(after)
	after.ResourceVersion += "1"
	h.pods[at] = after
	h.oracle.Pods.Update(after)
	h.oracle.PodUpdated(before, after)
}

// wait advances the clock, sometimes to just when the controller wants to sync.
func (h *history) wait() {
	passed := time.Duration(h.random.IntN(40_000)) * time.Millisecond
	switch h.random.IntN(6) {
	case 0:
		passed = time.Duration(h.random.IntN(2000)) * time.Millisecond
	case 1:
		if asked := h.oracle.Delays; len(asked) > 0 {
			passed = asked[len(asked)-1]
		}
	case 2:
		passed = time.Duration(h.random.IntN(700)) * time.Second
	}
	h.clock.Step(max(passed, 0))
}

// kubelet advances some pods; pods that are deleted and have ended are removed.
func (h *history) kubelet() {
	for at, pod := range h.pods {
		if pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded {
			h.change(at, func(pod *corev1.Pod) { advance(h.random, pod, h.now()) })
		}
	}
	h.pods = slices.DeleteFunc(h.pods, func(pod *corev1.Pod) bool {
		gone := pod.DeletionTimestamp != nil && len(pod.Finalizers) == 0 &&
			(pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded)
		if gone {
			h.oracle.Pods.Delete(pod)
		}
		return gone
	})
}

// forge makes a state that histories do not reach by themselves: an older
// controller's, or one between two writes.
func (h *history) forge() {
	status := &h.job.Status
	if end(*status) != nil {
		return
	}
	h.forgot = true
	switch h.random.IntN(3) {
	case 0:
		status.Failed += int32(1 + h.random.IntN(4))
	case 1:
		for _, pod := range h.pods {
			if pod.Status.Phase == corev1.PodFailed && unaccounted(pod) && status.UncountedTerminatedPods != nil {
				status.UncountedTerminatedPods.Failed = append(status.UncountedTerminatedPods.Failed, pod.UID)
				break
			}
		}
	default:
		kind := cases.Pick(h.random, batch.JobFailureTarget, batch.JobSuccessCriteriaMet)
		reason, message := "BackoffLimitExceeded", "Job has reached the specified backoff limit"
		if kind == batch.JobSuccessCriteriaMet {
			reason, message = "SuccessPolicy", "Matched rules at index 0"
		}
		status.Conditions = append(status.Conditions, batch.JobCondition{Type: kind, Status: corev1.ConditionTrue,
			Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(h.now())})
	}
}

// now in whole seconds, like Kubernetes' times.
func (h *history) now() time.Time { return h.clock.Now().Truncate(time.Second) }

// CreatePods and the others are the controller's PodControlInterface.
func (h *history) CreatePods(_ context.Context, _ string, template *corev1.PodTemplateSpec, _ runtime.Object, owner *metav1.OwnerReference) error {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace, pod.CreationTimestamp = namespace, metav1.NewTime(h.now())
	pod.OwnerReferences = []metav1.OwnerReference{*owner}
	pod.Status.Phase = corev1.PodPending
	h.changes.Lock()
	defer h.changes.Unlock()
	h.changes.created = append(h.changes.created, pod)
	return nil
}

func (h *history) CreatePodsWithGenerateName(ctx context.Context, where string, template *corev1.PodTemplateSpec, object runtime.Object, owner *metav1.OwnerReference, _ string) error {
	return h.CreatePods(ctx, where, template, object, owner)
}

func (h *history) DeletePod(_ context.Context, _, name string, _ runtime.Object) error {
	h.changes.Lock()
	defer h.changes.Unlock()
	h.changes.deleted = append(h.changes.deleted, name)
	return nil
}

// PatchPod: the only patch removes the tracking finalizer.
func (h *history) PatchPod(_ context.Context, _, name string, _ []byte) error {
	h.changes.Lock()
	defer h.changes.Unlock()
	h.changes.released = append(h.changes.released, name)
	return nil
}
