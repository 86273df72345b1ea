package cluster

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The place in the queue. Mulligan answers IN_PLACE, as the default policy always does.
// Kueue's eviction releases the reservation, and its configuration decides the order.
func TestRecipeOfKueueAndThePlaceInTheQueue(t *testing.T) {
	c := shared
	c.needsRecipe(t, "kueue")
	// Kueue takes up to three seconds to release a reservation and admit the next.
	asking := c.asking(10 * time.Second)
	for timestamp, next := range map[string]string{"Eviction": "third", "Creation": "first"} {
		t.Run(timestamp, func(t *testing.T) {
			c.runsKueue(t, asking, strings.Replace(kueueWaits, "Eviction", timestamp, 1))
			c.passedOver(t, next)
		})
	}
}

// three creates three Jobs, one of which fits at a time. The first is admitted, and the
// test controls its pod.
func (c *cluster) three(t *testing.T, namespace string) map[string]*batchv1.Job {
	t.Helper()
	c.queueOf(t, namespace, "any", "1Gi")
	jobs := map[string]*batchv1.Job{}
	for _, name := range []string{"first", "second", "third"} {
		jobs[name] = queuedJob(namespace, name, "1Gi")
		if name == "first" {
			jobs[name].Spec.Template.Annotations = map[string]string{byHand: "true"}
		}
		must(t, c.Create(t.Context(), jobs[name]))
		if name == "first" {
			c.waitsToBeAdmitted(t, jobs[name])
		}
		// Kueue orders by whole seconds.
		time.Sleep(time.Until(jobs[name].CreationTimestamp.Add(1100 * time.Millisecond)))
	}
	return jobs
}

// comesNext waits until one of the Jobs is admitted, which must be `want`.
func (c *cluster) comesNext(t *testing.T, want *batchv1.Job, others ...*batchv1.Job) {
	t.Helper()
	eventually(t, long, func() string {
		for _, other := range others {
			if isAdmitted(c.workloadOf(t, other)) {
				t.Fatalf("%s came next, want %s", other.Name, want.Name)
			}
		}
		if !isAdmitted(c.workloadOf(t, want)) {
			return want.Name + " is not admitted"
		}
		return ""
	})
}

// passedOver runs three Jobs. The first does not become ready in time, so the second is
// admitted, and after it `next`.
func (c *cluster) passedOver(t *testing.T, next string) {
	t.Helper()
	namespace := c.namespace(t)
	var secondEnds atomic.Bool
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if strings.HasPrefix(pod.Name, "first-") {
			return runsUnready(pod)
		}
		return strings.HasPrefix(pod.Name, "second-") && secondEnds.Load() && succeeds(pod)
	})
	jobs := c.three(t, namespace)
	first, third := jobs["first"], jobs["third"]
	c.waitsToBeAdmitted(t, jobs["second"])
	eventually(t, long, func() string {
		workload := c.workloadOf(t, first)
		reserved, requeued := conditionOf(workload, "QuotaReserved"), conditionOf(workload, "Requeued")
		if reserved.status != "False" || requeued.reason != "BackoffFinished" || requeued.status != "True" {
			return fmt.Sprintf("the first is %+v, %+v, want without a reservation and queued again", reserved, requeued)
		}
		return ""
	})
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(first), first))
	ledger := spent(t, first)
	if history := ledger.GetHistory(); len(history) != 1 || history[0].GetDecision().GetQueue().String() != "IN_PLACE" {
		t.Errorf("the ledger is %v, want one decision with IN_PLACE", ledger)
	}
	secondEnds.Store(true)
	want, other := third, first
	if next == "first" {
		want, other = first, third
	}
	c.comesNext(t, want, other)
}

// mulligan-controller's retry is another Workload.
func TestScenario06RetryIsTheLastInTheQueue(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "kueue")
	namespace := c.namespace(t)
	var begun, secondEnds atomic.Bool
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		switch {
		case pod.Labels["job-name"] == "first":
			return begun.Load() && exits(pod, 137, "OOMKilled")
		case strings.HasPrefix(pod.Name, "second-"):
			return secondEnds.Load() && succeeds(pod)
		}
		return false
	})
	c.startController(t, namespace, "act")
	jobs := c.three(t, namespace)
	begun.Store(true)
	c.waitsToBeAdmitted(t, jobs["second"])
	var retry *batchv1.Job
	eventually(t, long, func() string {
		for _, job := range c.jobs(t, namespace) {
			if strings.HasPrefix(job.Name, "first-r2") && c.workloadOf(t, &job) != nil {
				retry = &job
				return ""
			}
		}
		return "the first has no retry in the queue"
	})
	secondEnds.Store(true)
	c.comesNext(t, jobs["third"], retry)
}

// JobSet's own restart, and its recipe's with a pause, keep the reservation: Kueue does not
// notice them.
func TestRecipeOfJobSetInTheQueueKeepsItsPlace(t *testing.T) {
	c := shared
	c.needsRecipe(t, "jobset")
	c.needs(t, "kueue")
	for _, w := range beforeAndAfter(c) {
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "jobset", "jobset", w, c.jobSetReady(t))
			namespace := c.namespace(t)
			c.queueOf(t, namespace, "any", "2Gi")
			var over atomic.Bool
			c.play(t, namespace, func(pod *corev1.Pod) bool {
				if jobSetAttempt(pod) == 0 {
					return pod.Labels["jobset.sigs.k8s.io/job-index"] == "0" && fails(pod)
				}
				return over.Load() && succeeds(pod)
			})
			set := object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 1}", 2))
			set.SetLabels(map[string]string{queueLabel: "queue"})
			must(t, c.Create(t.Context(), set))
			since := c.waitsToBeAdmitted(t, set)
			later := queuedJob(namespace, "later", "1Gi")
			must(t, c.Create(t.Context(), later))
			eventually(t, long, func() string {
				must(t, c.Get(t.Context(), client.ObjectKeyFromObject(set), set))
				if restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts"); restarts != 1 || c.running(t, namespace) != 2 {
					return fmt.Sprintf("%d pods run, the JobSet is %v", c.running(t, namespace), set.Object["status"])
				}
				return ""
			})
			if got := conditionOf(c.workloadOf(t, set), "Admitted"); got.status != "True" || !got.since.Equal(since) {
				t.Errorf("the Workload is admitted since %s (%s), want %s", got.since, got.status, since)
			}
			if isAdmitted(c.workloadOf(t, later)) {
				t.Error("the later Job was admitted meanwhile")
			}
			over.Store(true)
			c.jobSetEnds(t, namespace)
		})
	}
}

// The second attempt of a RayJob has another cluster in the same admission.
func TestRecipeOfKubeRayInTheQueueKeepsItsPlace(t *testing.T) {
	c := shared
	c.needsRecipe(t, "kuberay")
	c.needs(t, "kueue")
	for _, w := range beforeAndAfter(c) {
		t.Run(w.name, func(t *testing.T) {
			var over atomic.Bool
			startDashboard(t, c, func(n int) (string, string) {
				if n == 0 {
					return rayFails("AssertionError: the batch is not even\n")(n)
				}
				if over.Load() {
					return raySucceeds(n)
				}
				return rayRuns(n)
			})
			c.runs(t, "kuberay", "ray-operator", w, immediately)
			namespace := c.namespace(t)
			c.queueOf(t, namespace, "any", "2Gi")
			job := object(t, namespace, rayManifest)
			job.SetLabels(map[string]string{queueLabel: "queue"})
			must(t, unstructured.SetNestedField(job.Object, int64(1), "spec", "backoffLimit"))
			must(t, c.Create(t.Context(), job))
			since := c.waitsToBeAdmitted(t, job)
			later := queuedJob(namespace, "later", "2Gi")
			must(t, c.Create(t.Context(), later))
			eventually(t, long, func() string {
				must(t, c.Get(t.Context(), client.ObjectKeyFromObject(job), job))
				failed, _, _ := unstructured.NestedInt64(job.Object, "status", "failed")
				if running, _, _ := unstructured.NestedString(job.Object, "status", "jobStatus"); failed != 1 || running != "RUNNING" {
					return fmt.Sprintf("the RayJob is %v", job.Object["status"])
				}
				return ""
			})
			if got := conditionOf(c.workloadOf(t, job), "Admitted"); got.status != "True" || !got.since.Equal(since) {
				t.Errorf("the Workload is admitted since %s (%s), want %s", got.since, got.status, since)
			}
			if isAdmitted(c.workloadOf(t, later)) {
				t.Error("the later Job was admitted meanwhile")
			}
			over.Store(true)
			c.rayJobEnds(t, namespace)
		})
	}
}
