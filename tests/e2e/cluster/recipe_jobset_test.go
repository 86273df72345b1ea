package cluster

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A JobSet with a failure policy, and how its pods end.
type jobSetScenario struct {
	name     string
	policy   string
	replicas int
	// end makes the ending of one run of the scenario.
	end            func() ending
	native, asking jobSetOutcome
}

// The outcome.
type jobSetOutcome struct {
	state  string
	reason string
	// Restarts, and those of them that count toward maxRestarts.
	restarts, counted int64
	charged           map[string]int32
	// The memory limit of the last attempt's Jobs.
	memory string
}

var jobSetScenarios = []jobSetScenario{
	{
		name: "spot takes a worker five times", policy: "failurePolicy: {maxRestarts: 1}", replicas: 2,
		end:    func() ending { return workerEnds(5, isTakenAway) },
		native: jobSetOutcome{state: "Failed", reason: "ReachedMaxRestarts", restarts: 1, counted: 1, memory: "1Gi"},
		asking: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 5, memory: "1Gi", charged: map[string]int32{"disruption": 5}},
	},
	{
		name: "preempted without any policy", replicas: 2,
		end:    func() ending { return workerEnds(1, isPreempted) },
		native: jobSetOutcome{state: "Failed", reason: "FailedJobs", memory: "1Gi"},
		asking: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 1, memory: "1Gi", charged: map[string]int32{"disruption": 1}},
	},
	{
		name: "the program fails", policy: "failurePolicy: {maxRestarts: 1}", replicas: 2,
		end: func() ending {
			return workerEnds(1, fails)
		},
		native: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 1, counted: 1, memory: "1Gi"},
		asking: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 1, counted: 1, memory: "1Gi", charged: map[string]int32{"application": 1}},
	},
	{
		name: "a mistake in the image", policy: "failurePolicy: {maxRestarts: 3}", replicas: 2,
		end:    func() ending { return workerEnds(9, says("ModuleNotFoundError: No module named 'trianer'")) },
		native: jobSetOutcome{state: "Failed", reason: "ReachedMaxRestarts", restarts: 3, counted: 3, memory: "1Gi"},
		asking: jobSetOutcome{state: "Failed", reason: "Mulligan", memory: "1Gi"},
	},
	{
		name: "a gang of eight, one of them out of memory", policy: "failurePolicy: {maxRestarts: 2}", replicas: 8,
		end:    func() ending { return gangNeeds(8, "1536Mi") },
		native: jobSetOutcome{state: "Failed", reason: "ReachedMaxRestarts", restarts: 2, counted: 2, memory: "1Gi"},
		asking: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 1, counted: 1, memory: "1536Mi", charged: map[string]int32{"memory": 1}},
	},
	{
		name: "a peer of the one out of memory ends first", policy: "failurePolicy: {maxRestarts: 2}", replicas: 4,
		end:    func() ending { return peerEndsFirst(4, "1536Mi") },
		native: jobSetOutcome{state: "Failed", reason: "ReachedMaxRestarts", restarts: 2, counted: 2, memory: "1Gi"},
		asking: jobSetOutcome{state: "Completed", reason: "AllJobsCompleted", restarts: 1, counted: 1, memory: "1536Mi", charged: map[string]int32{"memory": 1}},
	},
}

const jobSetTemplate = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: pretrain}
spec:
  %s
  replicatedJobs:
    - name: workers
      replicas: %d
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: trainer
                  image: registry.local/trainer:1
                  resources: {limits: {memory: 1Gi}, requests: {memory: 1Gi}}
`

func jobSetAttempt(pod *corev1.Pod) int {
	number, err := strconv.Atoi(pod.Labels["jobset.sigs.k8s.io/restart-attempt"])
	if err != nil {
		return -1
	}
	return number
}

// workerEnds ends the first worker of the first attempts, while the others hang. All later
// attempts succeed.
func workerEnds(attempts int, end ending) ending {
	return func(pod *corev1.Pod) bool {
		if jobSetAttempt(pod) >= attempts {
			return succeeds(pod)
		}
		return pod.Labels["jobset.sigs.k8s.io/job-index"] == "0" && end(pod)
	}
}

func fails(pod *corev1.Pod) bool { return exits(pod, 1, "Error") }

// says ends a program with an error and this termination message.
func says(message string) ending {
	return func(pod *corev1.Pod) bool {
		exits(pod, 1, "Error")
		endsAt(pod, time.Now(), message)
		return true
	}
}

// isPreempted ends a pod that was preempted by the scheduler.
func isPreempted(pod *corev1.Pod) bool {
	exits(pod, 143, "Error")
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
		Reason: "PreemptionByScheduler", Message: "default-scheduler: preempting to accommodate a higher priority pod",
	})
	return true
}

// gangNeeds ends an attempt with less memory: its third worker runs out of it, and the
// others lose their peer a second later.
func gangNeeds(size int, memory string) ending {
	enough := resource.MustParse(memory)
	var lock sync.Mutex
	seen := map[int]map[string]bool{}
	died := map[int]time.Time{}
	return func(pod *corev1.Pod) bool {
		if pod.Spec.Containers[0].Resources.Limits.Memory().Cmp(enough) >= 0 {
			return succeeds(pod)
		}
		lock.Lock()
		defer lock.Unlock()
		attempt := jobSetAttempt(pod)
		if seen[attempt] == nil {
			seen[attempt] = map[string]bool{}
		}
		seen[attempt][pod.Name] = true
		// After the whole gang runs.
		if len(seen[attempt]) < size {
			return false
		}
		if pod.Labels["jobset.sigs.k8s.io/job-index"] == "2" {
			died[attempt] = time.Now()
			return runsOutOfMemory(pod)
		}
		if died[attempt].IsZero() || time.Since(died[attempt]) < time.Second {
			return false
		}
		return says(peerLost)(pod)
	}
}

var webhookPort = regexp.MustCompile(`webhook: \{port: (\d+)\}`)

func (c *cluster) jobSetReady(t *testing.T) func() string {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(c.run, "jobset.yaml"))
	must(t, err)
	return listening(webhookPort.FindStringSubmatch(string(config))[1])
}

// Not parallel, because tests share the JobSet controller.
func TestRecipeOfJobSet(t *testing.T) {
	c := shared
	c.needsRecipe(t, "jobset")
	seen := &statuses{of: map[string]string{}}
	for _, w := range waysOf(c) {
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "jobset", "jobset", w, c.jobSetReady(t))
			t.Run("plays", func(t *testing.T) {
				for _, scenario := range jobSetScenarios {
					t.Run(scenario.name, func(t *testing.T) {
						t.Parallel()
						scenario.play(t, c, w, seen)
					})
				}
			})
		})
	}
}

func (s jobSetScenario) play(t *testing.T, c *cluster, w way, seen *statuses) {
	namespace := c.namespace(t)
	c.play(t, namespace, s.end())
	pods := c.holds(t, namespace)
	must(t, c.Create(t.Context(), object(t, namespace, fmt.Sprintf(jobSetTemplate, s.policy, s.replicas))))
	set := c.jobSetEnds(t, namespace)
	got, want := c.jobSetOutcome(t, set), s.native
	if !w.native {
		want = s.asking
	}
	t.Logf("%s, %s: %s", s.name, w.name, pods)
	if got.memory != want.memory || got.state != want.state || got.reason != want.reason ||
		got.restarts != want.restarts || got.counted != want.counted || !maps.Equal(got.charged, want.charged) {
		t.Errorf("it ended as %+v, want %+v; status %v", got, want, set.Object["status"])
	}
	if w.native {
		seen.compare(t, c, s.name, w, set)
	}
}

// jobSetEnds waits for the end of a namespace's only JobSet.
func (c *cluster) jobSetEnds(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	var set *unstructured.Unstructured
	eventually(t, long, func() string {
		sets := c.objects(t, namespace, jobSetKind)
		set = &sets[0]
		if state, _, _ := unstructured.NestedString(set.Object, "status", "terminalState"); state == "" {
			return fmt.Sprintf("the JobSet is %v, Events %q", set.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	return set
}

func (c *cluster) jobSetOutcome(t *testing.T, set *unstructured.Unstructured) jobSetOutcome {
	t.Helper()
	got := jobSetOutcomeOf(t, set)
	jobs := c.jobs(t, set.GetNamespace())
	for i := range jobs {
		if jobs[i].Labels["jobset.sigs.k8s.io/restart-attempt"] == strconv.FormatInt(got.restarts, 10) {
			got.memory = jobs[i].Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String()
		}
	}
	return got
}

// jobSetOutcomeOf reads the outcome in the JobSet.
func jobSetOutcomeOf(t *testing.T, set *unstructured.Unstructured) jobSetOutcome {
	t.Helper()
	var got jobSetOutcome
	got.state, _, _ = unstructured.NestedString(set.Object, "status", "terminalState")
	got.restarts, _, _ = unstructured.NestedInt64(set.Object, "status", "restarts")
	got.counted, _, _ = unstructured.NestedInt64(set.Object, "status", "restartsCountTowardsMax")
	conditions, _, _ := unstructured.NestedSlice(set.Object, "status", "conditions")
	for _, entry := range conditions {
		condition, _ := entry.(map[string]any)
		if condition["type"] == got.state {
			got.reason, _ = condition["reason"].(string)
		}
	}
	got.charged = charges(t, set)
	return got
}
