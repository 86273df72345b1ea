package cluster

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var sparkKind = schema.GroupVersionKind{Group: "sparkoperator.k8s.io", Version: "v1beta2", Kind: "SparkApplication"}

const sparkManifest = `
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: etl}
spec:
  type: Python
  mode: cluster
  sparkVersion: 4.0.0
  image: registry.local/spark:4.0.0
  mainApplicationFile: local:///opt/etl.py
  restartPolicy:
    type: OnFailure
    onFailureRetries: 1
    onFailureRetryInterval: 1
    onSubmissionFailureRetries: 1
    onSubmissionFailureRetryInterval: 1
  driver: {cores: 1, memory: 1g, memoryOverhead: 512m}
  executor: {instances: 1, cores: 1, memory: 1g}
`

// An application, and how its driver and executors end.
type sparkWork struct {
	// driver and executor end a run, numbered from 1. driver is called once the executor runs.
	// An executor that is not ended ends with its driver.
	driver, executor func(run int, pod *corev1.Pod) bool
	// lost: the number of runs in which driver is called only after its executor has ended.
	lost int
	// refused makes the API server refuse drivers at first.
	refused bool
	// Differences from the manifest, by path.
	field string
	value any
}

// inRuns ends the first runs, numbered from 1, in this way. Later ones succeed.
func inRuns(end ending, runs int) func(int, *corev1.Pod) bool {
	return func(run int, pod *corev1.Pod) bool {
		if run > runs {
			return succeeds(pod)
		}
		return end(pod)
	}
}

var sparkScenarios = []recipeScenario{
	{
		name: "the driver runs out of memory",
		work: sparkWork{driver: func(_ int, pod *corev1.Pod) bool {
			if limit := pod.Spec.Containers[0].Resources.Limits.Memory(); limit.Value() < 2<<30 {
				return runsOutOfMemory(pod)
			}
			return succeeds(pod)
		}},
		native: ended{state: "FAILED", message: "Reason: OOMKilled", counts: counts{"runs": 2, "attempts": 2}, memory: "1536Mi"},
		asking: ended{state: "COMPLETED", counts: counts{"runs": 2, "attempts": 2}, memory: "2304Mi", charged: map[string]int32{"memory": 1}},
	},
	{
		name: "spot takes the driver three times", work: sparkWork{driver: inRuns(isTakenAway, 3)},
		native: ended{state: "FAILED", message: "ExitCode: 143", counts: counts{"runs": 2, "attempts": 2}, memory: "1536Mi"},
		asking: ended{state: "COMPLETED", counts: counts{"runs": 4, "attempts": 1}, memory: "1536Mi", charged: map[string]int32{"disruption": 3}},
	},
	{
		name: "spot takes an executor",
		work: sparkWork{
			driver: inRuns(succeeds, 1), lost: 1,
			executor: func(_ int, pod *corev1.Pod) bool { return isTakenAway(pod) },
		},
		native: ended{state: "COMPLETED", counts: counts{"runs": 1, "attempts": 1}, memory: "1536Mi"},
		asking: ended{state: "COMPLETED", counts: counts{"runs": 1, "attempts": 1}, memory: "1536Mi"},
	},
	{
		name: "spot takes an executor and the driver gives up",
		work: sparkWork{
			driver: inRuns(says("org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.0.0.7 executor 1): ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: The executor with id 1 was terminated."), 3),
			lost:   3,
			executor: func(run int, pod *corev1.Pod) bool {
				return run <= 3 && isTakenAway(pod)
			},
		},
		native: ended{state: "FAILED", message: "ExitCode: 1", counts: counts{"runs": 2, "attempts": 2}, memory: "1536Mi"},
		asking: ended{state: "COMPLETED", counts: counts{"runs": 4, "attempts": 1}, memory: "1536Mi", charged: map[string]int32{"disruption": 3}},
	},
	{
		name: "the program fails", work: sparkWork{driver: inRuns(fails, 9)},
		native: ended{state: "FAILED", message: "ExitCode: 1", counts: counts{"runs": 2, "attempts": 2}, memory: "1536Mi"},
		asking: ended{state: "FAILED", message: "fail the", counts: counts{"runs": 4, "attempts": 4}, memory: "1536Mi", charged: map[string]int32{"application": 3}},
	},
	{
		name: "a mistake in the image", work: sparkWork{driver: inRuns(says("ModuleNotFoundError: No module named 'etl'"), 9)},
		native: ended{state: "FAILED", message: "ExitCode: 1", counts: counts{"runs": 2, "attempts": 2}, memory: "1536Mi"},
		asking: ended{state: "FAILED", message: "a Python module is missing", counts: counts{"runs": 1, "attempts": 1}, memory: "1536Mi"},
	},
	{
		name: "the submission is refused", work: sparkWork{driver: inRuns(succeeds, 1), refused: true},
		native: ended{state: "FAILED", message: "exceeded quota"},
		asking: ended{state: "COMPLETED", counts: counts{"runs": 1, "attempts": 1}, memory: "1536Mi"},
	},
	{
		name:   "no submission can work",
		work:   sparkWork{driver: inRuns(succeeds, 1), field: "spec.image", value: "registry.local/spark:4.0.0 "},
		event:  "SparkApplicationFailed",
		native: ended{state: "FAILED", message: "must not have leading or trailing whitespace"},
		asking: ended{state: "FAILED", message: "a field is invalid"},
	},
}

// sparkPlay runs a scenario.
type sparkPlay struct {
	*cluster
	scenario  sparkWork
	namespace string
	lock      sync.Mutex
	// Drivers in order, and the last one.
	drivers []string
	last    *corev1.Pod
}

// begin creates a scenario's application.
func (s sparkWork) begin(t *testing.T, c *cluster, namespace string) *sparkPlay {
	t.Helper()
	play := &sparkPlay{cluster: c, scenario: s, namespace: namespace}
	if s.refused {
		c.refuses(t, namespace)
	}
	c.play(t, namespace, play.end)
	app := object(t, namespace, sparkManifest)
	if s.field != "" {
		must(t, unstructured.SetNestedField(app.Object, s.value, strings.Split(s.field, ".")...))
	}
	must(t, c.Create(t.Context(), app))
	return play
}

func (s sparkWork) play(t *testing.T, c *cluster, _ way, namespace string) (*unstructured.Unstructured, ended) {
	play := s.begin(t, c, namespace)
	if s.refused {
		c.admits(t, namespace)
	}
	app := c.sparkEnds(t, namespace)
	got := ended{state: sparkState(app)}
	got.message, _, _ = unstructured.NestedString(app.Object, "status", "applicationState", "errorMessage")
	attempts, _, _ := unstructured.NestedInt64(app.Object, "status", "executionAttempts")
	play.lock.Lock()
	defer play.lock.Unlock()
	// executionAttempts has only the runs for which the application is to blame.
	got.counts = counts{"runs": int64(len(play.drivers)), "attempts": attempts}
	if play.last != nil {
		got.memory = play.last.Spec.Containers[0].Resources.Limits.Memory().String()
	}
	return app, got
}

// A stream continues because its user wants it, even if the policy gives up.
func TestRecipeOfSparkWithRestartAlways(t *testing.T) {
	c := shared
	c.needsRecipe(t, "spark")
	const runs = 6
	scenario := sparkWork{driver: inRuns(fails, 99), field: "spec.restartPolicy.type", value: "Always"}
	for _, w := range beforeAndAfter(c) {
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "spark", "operator", w, immediately)
			play := scenario.begin(t, c, c.namespace(t))
			eventually(t, 2*long, func() string {
				play.lock.Lock()
				defer play.lock.Unlock()
				if len(play.drivers) < runs {
					return fmt.Sprintf("%d of %d drivers ran", len(play.drivers), runs)
				}
				return ""
			})
			want := map[string]int32{"application": 3}
			if w.native {
				want = nil
			}
			app := &c.objects(t, play.namespace, sparkKind)[0]
			if got := charges(t, app); !maps.Equal(got, want) {
				t.Errorf("it was charged %v, want %v; Events %q", got, want, c.allEvents(t, play.namespace))
			}
		})
	}
}

func sparkState(app *unstructured.Unstructured) string {
	state, _, _ := unstructured.NestedString(app.Object, "status", "applicationState", "state")
	return state
}

// sparkEnds waits for the end of a namespace's only SparkApplication and its executors.
func (c *cluster) sparkEnds(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	var app *unstructured.Unstructured
	eventually(t, 2*long, func() string {
		app = &c.objects(t, namespace, sparkKind)[0]
		if state := sparkState(app); state != "FAILED" && state != "COMPLETED" {
			return fmt.Sprintf("the SparkApplication is %v, Events %q", app.Object["status"], c.allEvents(t, namespace))
		}
		executors, _, _ := unstructured.NestedStringMap(app.Object, "status", "executorState")
		for name, state := range executors {
			if state == "PENDING" || state == "RUNNING" {
				return fmt.Sprintf("%s is %s", name, state)
			}
		}
		return ""
	})
	return app
}
