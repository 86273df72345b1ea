package cluster

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// preempted is work that fills its queue and is preempted repeatedly.
type preempted struct {
	*cluster
	namespace, memory string
	// The work, and later work of the same priority.
	work, later client.Object
	// Whether the work may end.
	over atomic.Bool
}

// startPreempted creates both, and waits until all pods of the work run.
func startPreempted(t *testing.T, memory string, create func(namespace string) client.Object) *preempted {
	t.Helper()
	p := &preempted{cluster: shared, namespace: shared.namespace(t), memory: memory}
	p.queueOf(t, p.namespace, "any", memory)
	p.play(t, p.namespace, func(pod *corev1.Pod) bool {
		brief := strings.HasPrefix(pod.Name, "urgent-") || strings.HasPrefix(pod.Name, "later-")
		return (brief || p.over.Load()) && succeeds(pod)
	})
	p.startController(t, p.namespace, "act")
	p.work = create(p.namespace)
	must(t, p.Create(t.Context(), p.work))
	p.isBack(t)
	// Kueue orders by whole seconds.
	time.Sleep(time.Until(p.work.GetCreationTimestamp().Add(1100 * time.Millisecond)))
	p.later = queuedJob(p.namespace, "later", memory)
	must(t, p.Create(t.Context(), p.later))
	return p
}

// isBack waits until the work is admitted and one of its pods runs.
func (p *preempted) isBack(t *testing.T) {
	t.Helper()
	eventually(t, long, func() string {
		if workload := p.workloadOf(t, p.work); !isAdmitted(workload) || p.running(t, p.namespace) == 0 {
			return fmt.Sprintf("%d pods run, the Workload is %v", p.running(t, p.namespace), workload)
		}
		return ""
	})
}

// times preempts the work repeatedly, and checks that it returns before the later one.
func (p *preempted) times(t *testing.T, count int) {
	t.Helper()
	first := p.workloadOf(t, p.work).GetUID()
	for i := range count {
		urgent := queuedJob(p.namespace, fmt.Sprintf("urgent-%d", i), p.memory)
		urgent.Labels[priorityLabel] = "urgent"
		must(t, p.Create(t.Context(), urgent))
		eventually(t, long, func() string {
			must(t, p.Get(t.Context(), client.ObjectKeyFromObject(urgent), urgent))
			if got := evictions(p.workloadOf(t, p.work))["Preempted"]; got != int64(i+1) || !isComplete(urgent) {
				return fmt.Sprintf("preempted %d times, want %d; the urgent Job is %+v", got, i+1, urgent.Status)
			}
			return ""
		})
		p.isBack(t)
		if workload := p.workloadOf(t, p.later); isAdmitted(workload) {
			t.Errorf("the later one went first after preemption %d: %v", i+1, workload.Object["status"])
		}
	}
	workload := p.workloadOf(t, p.work)
	if got := evictions(workload); workload.GetUID() != first || len(got) != 1 {
		t.Errorf("Workload %s with evictions %v, want %s and preemptions alone", workload.GetUID(), got, first)
	}
}

// uncharged ends the work, and checks that nothing was charged.
func (p *preempted) uncharged(t *testing.T, isOver func(work *unstructured.Unstructured) bool) {
	t.Helper()
	p.over.Store(true)
	work := &unstructured.Unstructured{}
	kind, err := apiutil.GVKForObject(p.work, p.Scheme())
	must(t, err)
	work.SetGroupVersionKind(kind)
	eventually(t, long, func() string {
		must(t, p.Get(t.Context(), client.ObjectKeyFromObject(p.work), work))
		if !isOver(work) {
			return fmt.Sprintf("it is %v", work.Object["status"])
		}
		return ""
	})
	if ledger := spent(t, work); len(ledger.GetBudgets()) != 0 || ledger.GetAttemptsSeen() != 0 {
		t.Errorf("charged %v, want nothing", ledger)
	}
	if d := decisionOf(t, work); d.Action != "" {
		t.Errorf("decided %+v, want nothing", d)
	}
}

func TestScenario06JobPreemptedInTheQueue(t *testing.T) {
	t.Parallel()
	shared.needs(t, "kueue")
	p := startPreempted(t, "1Gi", func(namespace string) client.Object {
		return queuedJob(namespace, "train", "1Gi")
	})
	p.times(t, 5)
	p.uncharged(t, func(job *unstructured.Unstructured) bool { return conditionOf(job, "Complete").status == "True" })
}

func TestScenario06JobSetPreemptedInTheQueue(t *testing.T) {
	t.Parallel()
	shared.needs(t, "kueue")
	shared.needs(t, "jobset")
	p := startPreempted(t, "2Gi", func(namespace string) client.Object {
		set := object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 0}", 2))
		set.SetLabels(map[string]string{queueLabel: "queue"})
		return set
	})
	p.times(t, 5)
	p.uncharged(t, func(set *unstructured.Unstructured) bool {
		restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts")
		if restarts != 0 {
			t.Errorf("JobSet has counted %d restarts, want 0", restarts)
		}
		return conditionOf(set, "Completed").status == "True"
	})
}

// Not parallel, because tests share KubeRay's one dashboard.
func TestScenario06RayJobPreemptedInTheQueue(t *testing.T) {
	shared.needs(t, "kueue")
	shared.needs(t, "kuberay")
	over := atomic.Bool{}
	startDashboard(t, shared, func(int) (string, string) {
		if over.Load() {
			return "SUCCEEDED", "Job finished successfully."
		}
		return "RUNNING", ""
	})
	p := startPreempted(t, "2Gi", func(namespace string) client.Object {
		job := object(t, namespace, rayManifest)
		job.SetLabels(map[string]string{queueLabel: "queue"})
		return job
	})
	p.times(t, 5)
	over.Store(true)
	p.uncharged(t, func(job *unstructured.Unstructured) bool { return deploymentStatus(job) == "Complete" })
}

func TestScenario06MoreThanTheQueueCanGive(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "kueue")
	namespace := c.namespace(t)
	c.queueOf(t, namespace, "any", "1Gi")
	c.startController(t, namespace, "act")
	job := queuedJob(namespace, "large", "2Gi")
	must(t, c.Create(t.Context(), job))
	eventually(t, long, func() string {
		if reserved := conditionOf(c.workloadOf(t, job), "QuotaReserved"); !strings.Contains(reserved.message, "maximum capacity") {
			return fmt.Sprintf("Kueue says %+v", reserved)
		}
		return ""
	})
	said, _ := c.why(t, "job/large", "-n", namespace)
	for _, part := range []string{"maximum capacity", "ask for less, or raise the nominal quota of queue queue", "WAIT FOR SPEC UPDATE; not counted"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
}
