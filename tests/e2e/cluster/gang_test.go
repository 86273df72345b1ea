package cluster

import (
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var jobSetKind = schema.GroupVersionKind{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet"}

const workers = 4

// object parses a manifest and sets the namespace.
func object(t *testing.T, namespace, manifest string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(manifest), &obj.Object))
	obj.SetNamespace(namespace)
	return obj
}

var gangManifest = fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 0}", 4)

// gangFails ends the first gang: one member runs out of memory, and the others lose their
// peer two seconds later.
func gangFails() ending {
	var lock sync.Mutex
	first := map[string]bool{}
	died := metav1.Now()
	return func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		if len(first) < workers && !first[pod.Name] {
			first[pod.Name] = true
			died = metav1.Now()
		}
		if !first[pod.Name] {
			return succeeds(pod)
		}
		// After the whole gang runs.
		if len(first) < workers {
			return false
		}
		if pod.Labels["jobset.sigs.k8s.io/job-index"] == "2" {
			runsOutOfMemory(pod)
			endsAt(pod, died.Time, "")
			return true
		}
		exits(pod, 1, "Error")
		endsAt(pod, died.Add(2*time.Second), peerLost)
		return true
	}
}

func endsAt(pod *corev1.Pod, at time.Time, message string) {
	for i := range pod.Status.ContainerStatuses {
		ended := pod.Status.ContainerStatuses[i].State.Terminated
		ended.FinishedAt, ended.Message = metav1.NewTime(at), message
	}
}

func TestScenario05GangIsChargedOnceAndRestartsWhole(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "jobset")
	namespace := c.namespace(t)
	c.play(t, namespace, gangFails())
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), object(t, namespace, gangManifest)))

	var sets []unstructured.Unstructured
	eventually(t, long, func() string {
		sets = c.objects(t, namespace, jobSetKind)
		if len(sets) != 2 {
			return fmt.Sprintf("%d JobSets, want the failed one and its retry: %v", len(sets), sets[0].Object["status"])
		}
		if state, _, _ := unstructured.NestedString(sets[1].Object, "status", "terminalState"); state != "Completed" {
			return fmt.Sprintf("the retry is %q: %v", state, sets[1].Object["status"])
		}
		return ""
	})
	if d := decisionOf(t, &sets[0]); d.Action != "RETRY" || d.Cause != "CONTAINER_OOM" {
		t.Errorf("decided %+v, want RETRY of CONTAINER_OOM", d)
	}
	ledger := spent(t, &sets[0])
	if ledger.GetAttemptsSeen() != 1 || len(ledger.GetBudgets()) != 1 || ledger.GetBudgets()["memory"].GetUsed() != 1 {
		t.Errorf("%d attempts, charged %v, want one to memory alone", ledger.GetAttemptsSeen(), ledger.GetBudgets())
	}
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace), client.MatchingLabels{"jobset.sigs.k8s.io/jobset-name": sets[1].GetName()}))
	if len(pods.Items) != workers {
		t.Errorf("the retry has %d pods, want %d", len(pods.Items), workers)
	}
	for _, pod := range pods.Items {
		if got := pod.Spec.Containers[0].Resources.Limits.Memory().String(); got != "1536Mi" {
			t.Errorf("pod %s has %s of memory, want 1536Mi", pod.Name, got)
		}
	}
}
