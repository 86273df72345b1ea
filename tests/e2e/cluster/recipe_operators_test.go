package cluster

import (
	"fmt"
	batchv1 "k8s.io/api/batch/v1"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An operator with a recipe and a binary of its own, and its work, with one pod per
// attempt.
type operator struct {
	// Names of the operator for scripts/control-plane, of its release's binary, and of the
	// asking controller in its metrics.
	name, release, controller string
	// Ports that are open when it works; none if that cannot be seen from outside.
	ready func(c *cluster, t *testing.T) func() string
	// Another operator that its work needs.
	needs string
	kind  schema.GroupVersionKind
	// prepare makes what the work of a namespace needs. configure returns what the work needs
	// in the operator's configuration file.
	prepare   func(t *testing.T, w *works)
	configure func(pieces int) string
	piece     func(t *testing.T, namespace string) *unstructured.Unstructured
	// of returns the name of a pod's work.
	of func(pod *corev1.Pod) string
	// fails ends an attempt, and this budget pays once.
	fails  ending
	budget string
	// While a retry is held, the work has no object of this kind, and its status contains this
	// word.
	below schema.GroupVersionKind
	held  string
	// The status field that counts attempts for which the work is to blame, and its value
	// without any.
	counter   []string
	least     int64
	scenarios []recipeScenario
	// The outcome of work whose second of three failures had no service.
	unserved outcome
	// If it is killed between a submission and its status, the release never continues it.
	losesSubmits bool
	// A good attempt must not hang, because a hanging one fails, too.
	lateAgain bool
}

type outcome struct {
	end      string
	attempts int
	// All charges beyond least, and those known only from a counter.
	counted     int64
	charged     int32
	unexplained int32
}

var (
	jobKind = batchv1.SchemeGroupVersion.WithKind("Job")
	podKind = corev1.SchemeGroupVersion.WithKind("Pod")
)

func labelled(key string) func(*corev1.Pod) string {
	return func(pod *corev1.Pod) string { return pod.Labels[key] }
}

const jobSetOfPod = "jobset.sigs.k8s.io/jobset-name"

var operators = []*operator{
	{
		name: "jobset", release: "jobset", controller: "jobset", ready: (*cluster).jobSetReady,
		kind: jobSetKind, of: labelled(jobSetOfPod), fails: isPreempted, budget: "disruption",
		piece: func(t *testing.T, namespace string) *unstructured.Unstructured {
			return object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 1}", 1))
		},
		below: jobKind, held: "MulliganRestarts", counter: []string{"restartsCountTowardsMax"},
		scenarios: jobSetScenarios,
		// JobSet's own counter shows what happened meanwhile.
		unserved: outcome{end: "complete", attempts: 4, counted: 1, charged: 3, unexplained: 1},
	},
	{
		name: "kuberay", release: "ray-operator", controller: "rayjob",
		kind: rayJobKind, of: func(pod *corev1.Pod) string { return withoutSuffix(pod.Labels["ray.io/cluster"]) },
		fails: isTakenAway, budget: "disruption",
		prepare: func(t *testing.T, w *works) { startDashboardOf(t, w.cluster, w.answer) },
		piece: func(t *testing.T, namespace string) *unstructured.Unstructured {
			job := object(t, namespace, rayManifest)
			must(t, unstructured.SetNestedField(job.Object, int64(1), "spec", "backoffLimit"))
			return job
		},
		below: rayClusterKind, held: "Retrying", counter: []string{"failed"},
		scenarios: rayScenarios,
		unserved:  outcome{end: "complete", attempts: 4, counted: 1, charged: 3, unexplained: 1},
	},
	{
		name: "trainer", release: "trainer-controller-manager", controller: "trainjob_controller",
		needs: "jobset", kind: trainJobKind, of: labelled(jobSetOfPod), fails: isTakenAway, budget: "disruption",
		prepare: func(t *testing.T, w *works) { must(t, w.Create(t.Context(), object(t, w.namespace, onePodEach))) },
		piece: func(t *testing.T, namespace string) *unstructured.Unstructured {
			return object(t, namespace, trainJobManifest)
		},
		scenarios: trainScenarios,
		// It fails at once without the service.
		unserved: outcome{end: "failed", attempts: 2, charged: 1},
	},
	{
		name: "spark", release: "operator", controller: "spark-application-controller",
		kind: sparkKind, of: labelled("spark-app-name"), fails: isTakenAway, budget: "disruption",
		piece: func(t *testing.T, namespace string) *unstructured.Unstructured {
			return object(t, namespace, sparkManifest)
		},
		below: podKind, held: "PENDING_RERUN", counter: []string{"executionAttempts"}, least: 1,
		scenarios:    sparkScenarios,
		unserved:     outcome{end: "complete", attempts: 4, counted: 1, charged: 3, unexplained: 1},
		losesSubmits: true,
	},
	{
		name: "kueue", release: "kueue", controller: "workload_controller", ready: (*cluster).kueueReady,
		kind: jobKind, of: labelled("job-name"), fails: runsUnready, budget: "start",
		prepare: func(t *testing.T, w *works) { w.queueOf(t, w.namespace, "any", "1Ti") },
		configure: func(pieces int) string {
			// All are admitted before the first times out.
			late := fmt.Sprintf("imeout: %ds", 8+pieces/5)
			return strings.ReplaceAll(kueueWaits, "imeout: 8s", late)
		},
		piece: func(t *testing.T, namespace string) *unstructured.Unstructured {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(withNoPods(t, namespace))
			must(t, err)
			job := &unstructured.Unstructured{Object: fields}
			job.SetGroupVersionKind(jobKind)
			return job
		},
		scenarios: kueueScenarios,
		unserved:  outcome{end: "complete", attempts: 4, charged: 2},
		lateAgain: true,
	},
}

func withoutSuffix(name string) string { return name[:max(0, strings.LastIndex(name, "-"))] }

// runs runs the operator in a way until the test ends, configured for this many pieces of
// work.
func (o *operator) runs(t *testing.T, c *cluster, w way, pieces int) {
	t.Helper()
	if o.configure != nil {
		w.configuration = o.configure(pieces)
	}
	c.runs(t, o.name, o.release, w, o.isUp(t, c))
}

// isUp returns a check that the operator works.
func (o *operator) isUp(t *testing.T, c *cluster) func() string {
	t.Helper()
	if o.ready == nil {
		return immediately
	}
	return o.ready(c, t)
}

// start restarts it.
func (o *operator) start(t *testing.T, c *cluster) {
	t.Helper()
	c.controlPlane(t, "start", o.name)
	eventually(t, long, o.isUp(t, c))
}

// eachOperator plays a scenario for every operator that was built with its recipe. Not
// parallel, because tests share the operators.
func eachOperator(t *testing.T, play func(t *testing.T, o *operator)) {
	for _, o := range operators {
		t.Run(o.name, func(t *testing.T) {
			shared.needsRecipe(t, o.name)
			if o.needs != "" {
				shared.needs(t, o.needs)
			}
			play(t, o)
		})
	}
}
