package cluster

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const workloadManifest = `
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: jobset-pretrain}
spec:
  queueName: gpu
  podSets:
    - name: workers
      count: 4
      template: {spec: {restartPolicy: Never, containers: [{name: trainer, image: "registry.local/trainer:1"}]}}
`

// queue plays Kueue: it admits and preempts a JobSet by suspending it and writing the
// conditions of its Workload.
type queue struct {
	*cluster
	t                *testing.T
	jobSet, workload *unstructured.Unstructured
}

func (q *queue) suspend(suspended bool, conditions ...map[string]any) {
	q.t.Helper()
	set := q.jobSet.DeepCopy()
	must(q.t, unstructured.SetNestedField(set.Object, suspended, "spec", "suspend"))
	// Marks first, then takes the pods, as Kueue does.
	must(q.t, q.Get(q.t.Context(), client.ObjectKeyFromObject(q.workload), q.workload))
	list := []any{}
	for _, condition := range conditions {
		condition["lastTransitionTime"] = time.Now().UTC().Format(time.RFC3339)
		condition["message"] = fmt.Sprintf("%v is %v", condition["type"], condition["status"])
		list = append(list, condition)
	}
	must(q.t, unstructured.SetNestedSlice(q.workload.Object, list, "status", "conditions"))
	must(q.t, q.Status().Update(q.t.Context(), q.workload))
	must(q.t, q.Patch(q.t.Context(), set, client.MergeFrom(q.jobSet)))
	q.jobSet = set
}

func condition(kind, status, reason string) map[string]any {
	return map[string]any{"type": kind, "status": status, "reason": reason}
}

func (q *queue) admit() {
	q.t.Helper()
	q.suspend(false, condition("QuotaReserved", "True", "QuotaReserved"), condition("Admitted", "True", "Admitted"))
}

func (q *queue) preempt() {
	q.t.Helper()
	q.suspend(true, condition("QuotaReserved", "False", "Pending"), condition("Admitted", "False", "NoReservation"),
		condition("Evicted", "True", "Preempted"), condition("Preempted", "True", "InClusterQueue"))
}

func TestScenario06PreemptedInTheQueue(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "jobset")
	c.needs(t, "kueue")
	namespace := c.namespace(t)
	preempted := make(chan struct{})
	first := map[string]bool{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		select {
		case <-preempted:
			return !first[string(pod.UID)] && succeeds(pod)
		default:
			first[string(pod.UID)] = true
			return false
		}
	})
	c.startController(t, namespace, "act")
	set := object(t, namespace, gangManifest)
	set.SetLabels(map[string]string{"kueue.x-k8s.io/queue-name": "gpu"})
	must(t, unstructured.SetNestedField(set.Object, true, "spec", "suspend"))
	must(t, c.Create(t.Context(), set))
	workload := object(t, namespace, workloadManifest)
	workload.SetLabels(map[string]string{"kueue.x-k8s.io/job-uid": string(set.GetUID())})
	yes := true
	workload.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: set.GetAPIVersion(), Kind: set.GetKind(), Name: set.GetName(), UID: set.GetUID(), Controller: &yes,
	}})
	must(t, c.Create(t.Context(), workload))
	q := &queue{cluster: c, t: t, jobSet: set, workload: workload}
	q.admit()
	eventually(t, long, func() string {
		if running := c.running(t, namespace); running != workers {
			return fmt.Sprintf("%d of %d pods run", running, workers)
		}
		return ""
	})
	close(preempted)
	q.preempt()
	eventually(t, long, func() string {
		if running := c.running(t, namespace); running != 0 {
			return fmt.Sprintf("%d pods still run", running)
		}
		return ""
	})
	// Long enough for a verdict on the pods that were taken.
	time.Sleep(5 * time.Second)
	q.admit()
	eventually(t, long, func() string {
		sets := c.objects(t, namespace, jobSetKind)
		if state, _, _ := unstructured.NestedString(sets[0].Object, "status", "terminalState"); len(sets) != 1 || state != "Completed" {
			return fmt.Sprintf("%d JobSets, the first is %v", len(sets), sets[0].Object["status"])
		}
		return ""
	})
	done := &c.objects(t, namespace, jobSetKind)[0]
	if ledger := spent(t, done); len(ledger.GetBudgets()) != 0 || ledger.GetAttemptsSeen() != 0 {
		t.Errorf("charged %v, want nothing", ledger)
	}
	if d := decisionOf(t, done); d.Action != "" {
		t.Errorf("decided %+v, want nothing", d)
	}
}

func (c *cluster) running(t *testing.T, namespace string) int {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	running := 0
	for i := range pods.Items {
		if pods.Items[i].Status.Phase == corev1.PodRunning && pods.Items[i].DeletionTimestamp == nil {
			running++
		}
	}
	return running
}
