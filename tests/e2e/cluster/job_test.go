package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// long bounds a wait for several attempts, on a busy machine too.
const long = 5 * time.Minute

// attempts waits for `want` ended Jobs, the last of which is decided about or complete.
func (c *cluster) attempts(t *testing.T, namespace string, want int) []batchv1.Job {
	t.Helper()
	var jobs []batchv1.Job
	eventually(t, long, func() string {
		jobs = c.jobs(t, namespace)
		if len(jobs) != want {
			return fmt.Sprintf("%d Jobs, want %d", len(jobs), want)
		}
		last := &jobs[want-1]
		if isComplete(last) || decisionOf(t, last).Action == "FAIL" {
			return ""
		}
		return fmt.Sprintf("Job %s is neither complete nor given up: %+v", last.Name, last.Status.Conditions)
	})
	return jobs
}

func TestScenario01SpotPreemptionsMoveToOnDemand(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := newJob(namespace, "train")
	pod := &job.Spec.Template.Spec
	pod.NodeSelector = map[string]string{spotKey: "true"}
	pod.Tolerations = []corev1.Toleration{
		{Key: spotKey, Operator: corev1.TolerationOpExists},
		{Key: "team", Operator: corev1.TolerationOpExists},
	}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if strings.HasPrefix(pod.Spec.NodeName, "spot-") {
			return isTakenAway(pod)
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))

	jobs := c.attempts(t, namespace, 6)
	for i := range 5 {
		d := decisionOf(t, &jobs[i])
		if d.Action != "RETRY" || d.Cause != "SPOT_RECLAIMED" {
			t.Errorf("attempt %d: %+v, want RETRY of SPOT_RECLAIMED", i+1, d)
		}
		if got := used(t, &jobs[i], "disruption"); got != int32(i+1) {
			t.Errorf("attempt %d: %d charged to disruption, want %d", i+1, got, i+1)
		}
	}
	last := jobs[5].Spec.Template.Spec
	if _, spot := last.NodeSelector[spotKey]; spot {
		t.Errorf("the sixth attempt still selects spot nodes: %v", last.NodeSelector)
	}
	if len(last.Tolerations) != 1 || last.Tolerations[0].Key != "team" {
		t.Errorf("tolerations of the sixth attempt: %v, want only that of the team", last.Tolerations)
	}
	if got := jobs[4].Spec.Template.Spec.NodeSelector[spotKey]; got != "true" {
		t.Errorf("the fifth attempt has left spot nodes already: %q", got)
	}
	if got := used(t, &jobs[5], "application"); got != 0 {
		t.Errorf("%d charged to the application, want 0", got)
	}
	if !isComplete(&jobs[5]) {
		t.Errorf("the sixth attempt: %+v, want complete", jobs[5].Status.Conditions)
	}
	c.anEvent(t, &jobs[0], "RetryGranted", "charged to disruption")
}

func TestScenario02MemoryGrowsToItsCap(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "tokenizer")))

	jobs := c.attempts(t, namespace, 4)
	var limits []string
	for _, job := range jobs {
		limits = append(limits, job.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String())
	}
	// 1.5, 2.25 and 3.375 times the first attempt's.
	if want := []string{"1Gi", "1536Mi", "2304Mi", "3456Mi"}; !slices.Equal(limits, want) {
		t.Errorf("memory limits of the attempts: %v, want %v", limits, want)
	}
	d := decisionOf(t, &jobs[3])
	if d.Action != "FAIL" || d.Cause != "CONTAINER_OOM" {
		t.Errorf("the last attempt: %+v, want FAIL of CONTAINER_OOM", d)
	}
	if jobs[3].Annotations["mulligan.dev/last-attempt"] != "true" {
		t.Errorf("the last attempt is not marked as such")
	}
	c.anEvent(t, &jobs[3], "GivenUp", "memory limit", "fail the Job", "budget memory is used up")
}

func TestScenario03DeclaredFailureStaysFailed(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := newJob(namespace, "strict")
	job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
			Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42},
		},
	}}}
	six := int32(6)
	job.Spec.BackoffLimit = &six
	c.play(t, namespace, func(pod *corev1.Pod) bool { return exits(pod, 42, "Error") })
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))

	jobs := c.attempts(t, namespace, 1)
	if d := decisionOf(t, &jobs[0]); d.Action != "FAIL" || d.Cause != "DECLARED_FATAL" {
		t.Errorf("decided %+v, want FAIL of DECLARED_FATAL", d)
	}
	c.anEvent(t, &jobs[0], "GivenUp")
	// A retry would come within two seconds.
	time.Sleep(3 * time.Second)
	if jobs := c.jobs(t, namespace); len(jobs) != 1 || !isFailed(&jobs[0]) {
		t.Errorf("%d Jobs, want the failed one alone", len(jobs))
	}
}

func TestScenario04ImageTypoWaitsThenFails(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := newJob(namespace, "typo")
	job.Spec.Template.Annotations = map[string]string{byHand: "true"}
	job.Spec.Template.Spec.Containers[0].Image = "registry.local/trianer:1"
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		return cannotPull(pod, `failed to pull and unpack image "registry.local/trianer:1": failed to resolve reference "registry.local/trianer:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))

	c.anEvent(t, job, "Waiting", "registry.local/trianer:1")
	jobs := c.attempts(t, namespace, 1)
	d := decisionOf(t, &jobs[0])
	if d.Action != "FAIL" || d.Cause != "IMAGE_DENIED" {
		t.Errorf("decided %+v, want FAIL of IMAGE_DENIED", d)
	}
	c.anEvent(t, &jobs[0], "Stopped", "registry.local/trianer:1")
	c.waitsUntil(t, job, long, gaveItsPodBack)
}
