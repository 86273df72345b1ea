package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Two re-queuings, both soon, but after Kueue has released the reservation: work that it
// admits before is evicted again for the old reason. The timeout suffices for a pod to
// become ready on a busy machine.
const kueueWaits = `
waitForPodsReady:
  timeout: 8s
  recoveryTimeout: 8s
  requeuingStrategy: {timestamp: Eviction, backoffLimitCount: 2, backoffBaseSeconds: 4, backoffMaxSeconds: 4}
`

// A queued job whose pods do not become ready.
type kueueWork struct {
	create func(t *testing.T, namespace string) client.Object
	// start begins a pod in a bad admission; unready is the number of bad admissions.
	start   ending
	unready int64
	// flaps: they become ready, and then unready.
	flaps bool
}

const never = 1000

// withNoPods returns a Job whose pods kwok does not start.
func withNoPods(_ *testing.T, namespace string) client.Object {
	job := queuedJob(namespace, "train", "1Gi")
	job.Spec.Template.Annotations = map[string]string{byHand: "true"}
	return job
}

func jobSetWithNoPods(t *testing.T, namespace string) client.Object {
	shared.needs(t, "jobset")
	set := object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 0}", 2))
	set.SetLabels(map[string]string{queueLabel: "queue"})
	jobs, _, _ := unstructured.NestedSlice(set.Object, "spec", "replicatedJobs")
	must(t, unstructured.SetNestedField(jobs[0].(map[string]any), "true", "template", "spec", "template", "metadata", "annotations", byHand))
	must(t, unstructured.SetNestedSlice(set.Object, jobs, "spec", "replicatedJobs"))
	return set
}

// It was given up after two evictions of pods that were not ready in time.
var overTheLimit = ended{
	state: "DeactivatedDueToRequeuingLimitExceeded", message: "exceeding the maximum number of re-queuing retries", counts: counts{"timeouts": 2},
}

var kueueScenarios = []recipeScenario{
	{
		name: "its pod is never ready", work: kueueWork{create: withNoPods, start: runsUnready, unready: never},
		native: overTheLimit,
		asking: ended{state: "DeactivatedDueToMulligan", message: "budget start is used up (5 of 5)", counts: counts{"timeouts": 5}, charged: map[string]int32{"start": 5}},
	},
	{
		name: "its pod is ready the fourth time", work: kueueWork{create: withNoPods, start: runsUnready, unready: 3},
		native: overTheLimit,
		asking: ended{state: "Finished", counts: counts{"timeouts": 3}, charged: map[string]int32{"start": 3}},
	},
	{
		name: "half of a JobSet is ready the second time", work: kueueWork{create: jobSetWithNoPods, start: halfIsUnready, unready: 1},
		native: ended{state: "Finished", counts: counts{"timeouts": 1}},
		asking: ended{state: "Finished", counts: counts{"timeouts": 1}, charged: map[string]int32{"start": 1}},
	},
	{
		name: "its pod was ready and is not any more", work: kueueWork{create: withNoPods, start: runsReady, unready: 1, flaps: true},
		native: ended{state: "Finished", counts: counts{"timeouts": 1}},
		asking: ended{state: "Finished", counts: counts{"timeouts": 1}, charged: map[string]int32{"start": 1}},
	},
	{
		name: "its image is not there", work: kueueWork{create: withNoPods, start: hasNoImage, unready: never},
		native: overTheLimit,
		asking: ended{state: "DeactivatedDueToMulligan", message: "no such image"},
	},
}

// runs writes the status of a pod whose container has started.
func runs(pod *corev1.Pod, ready bool) bool {
	now := metav1.Now()
	pod.Status.Phase, pod.Status.StartTime = corev1.PodRunning, &now
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, LastTransitionTime: now})
	}
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: ready,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return true
}

func runsReady(pod *corev1.Pod) bool   { return runs(pod, true) }
func runsUnready(pod *corev1.Pod) bool { return runs(pod, false) }

// isNotReady writes the status of a pod whose readiness probe fails.
func isNotReady(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if kind := pod.Status.Conditions[i].Type; kind == corev1.PodReady || kind == corev1.ContainersReady {
			pod.Status.Conditions[i].Status, pod.Status.Conditions[i].LastTransitionTime = corev1.ConditionFalse, metav1.Now()
		}
	}
	for i := range pod.Status.ContainerStatuses {
		pod.Status.ContainerStatuses[i].Ready = false
	}
	return true
}

func halfIsUnready(pod *corev1.Pod) bool {
	return runs(pod, pod.Labels["jobset.sigs.k8s.io/job-index"] == "0")
}

func hasNoImage(pod *corev1.Pod) bool {
	return cannotPull(pod, `failed to pull and unpack image "registry.local/trianer:1": failed to resolve reference "registry.local/trianer:1": registry.local/trianer:1: not found`)
}

func (s kueueWork) play(t *testing.T, c *cluster, _ way, namespace string) (*unstructured.Unstructured, ended) {
	c.queueOf(t, namespace, "any", "2Gi")
	work := s.create(t, namespace)
	// The test's context ends before the playing does.
	admission := func() (timeouts int64, ready bool) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(workloadKind)
		if c.List(context.Background(), list, client.InNamespace(namespace)) != nil || len(list.Items) != 1 {
			return -1, false
		}
		workload := &list.Items[0]
		return evictions(workload)["PodsReadyTimeout"], conditionOf(workload, "PodsReady").status == "True"
	}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		timeouts, _ := admission()
		if pod.Status.StartTime != nil || timeouts < 0 {
			return false
		}
		if timeouts >= s.unready {
			return runs(pod, true)
		}
		return s.start(pod)
	})
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		timeouts, ready := admission()
		if timeouts >= s.unready {
			return ready && succeeds(pod)
		}
		return ready && s.flaps && isNotReady(pod)
	})
	must(t, c.Create(t.Context(), work))
	workload := c.leavesTheQueue(t, work)
	got := ended{state: "Finished", counts: counts{"timeouts": evictions(workload)["PodsReadyTimeout"]}}
	if conditionOf(workload, "Finished").status != "True" {
		evicted := conditionOf(workload, "Evicted")
		got.state, got.message = evicted.reason, evicted.message
	}
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(work), work))
	// The ledger is the work's, and the status its Workload's.
	workload.SetAnnotations(work.GetAnnotations())
	return workload, got
}

// leavesTheQueue waits until an object's Workload has finished or is deactivated, and holds
// no quota.
func (c *cluster) leavesTheQueue(t *testing.T, obj client.Object) *unstructured.Unstructured {
	t.Helper()
	var workload *unstructured.Unstructured
	eventually(t, 2*long, func() string {
		workload = c.workloadOf(t, obj)
		if workload == nil {
			return "it has no Workload"
		}
		active, found, _ := unstructured.NestedBool(workload.Object, "spec", "active")
		givenUp := found && !active && conditionOf(workload, "QuotaReserved").status == "False" && conditionOf(workload, "Requeued").status == "False"
		if conditionOf(workload, "Finished").status != "True" && !givenUp {
			return fmt.Sprintf("the Workload is %v, Events %q", workload.Object["status"], c.allEvents(t, obj.GetNamespace()))
		}
		return ""
	})
	return workload
}

// waitsToBeAdmitted waits until the object is admitted, and returns since when.
func (c *cluster) waitsToBeAdmitted(t *testing.T, obj client.Object) time.Time {
	t.Helper()
	var since time.Time
	eventually(t, long, func() string {
		workload := c.workloadOf(t, obj)
		if !isAdmitted(workload) {
			return fmt.Sprintf("it is not admitted: %v", workload)
		}
		since = conditionOf(workload, "Admitted").since
		return ""
	})
	return since
}
