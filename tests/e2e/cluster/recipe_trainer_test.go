package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A TrainJob of one node. Its pods end this way in the first attempts, and then succeed.
type trainScenario struct {
	name     string
	attempts int
	end      ending
	// With the release and with the recipe: the condition, a part of its message, the number of
	// pods, and the charges.
	native, asking trainOutcome
}

type trainOutcome struct {
	condition, message string
	pods               int
	charged            map[string]int32
}

var trainScenarios = []trainScenario{
	{
		name: "spot takes the node three times", attempts: 3, end: isTakenAway,
		native: trainOutcome{condition: "Failed", message: "jobset failed", pods: 1},
		asking: trainOutcome{condition: "Complete", message: "jobset completed", pods: 4, charged: map[string]int32{"disruption": 3}},
	},
	{
		name: "the program fails", attempts: 9, end: fails,
		native: trainOutcome{condition: "Failed", message: "jobset failed", pods: 1},
		asking: trainOutcome{condition: "Failed", message: "fail the", pods: 4, charged: map[string]int32{"application": 3}},
	},
	{
		name: "out of memory", attempts: 9, end: func(pod *corev1.Pod) bool {
			if limit := pod.Spec.Containers[0].Resources.Limits.Memory(); limit.Cmp(resource.MustParse("1536Mi")) >= 0 {
				return succeeds(pod)
			}
			return runsOutOfMemory(pod)
		},
		native: trainOutcome{condition: "Failed", message: "jobset failed", pods: 1},
		asking: trainOutcome{condition: "Complete", message: "jobset completed", pods: 2, charged: map[string]int32{"memory": 1}},
	},
	{
		name: "a mistake in the image", attempts: 9, end: says("ModuleNotFoundError: No module named 'trianer'"),
		native: trainOutcome{condition: "Failed", message: "jobset failed", pods: 1},
		asking: trainOutcome{condition: "Failed", message: "a Python module is missing", pods: 1},
	},
}

// Each pod is an attempt, because its Job replaces none.
var onePodEach = strings.Replace(runtimeManifest, "            spec:\n              template:", "            spec:\n              backoffLimit: 0\n              template:", 1)

const trainerMemory = `  trainer: {resourcesPerNode: {limits: {memory: 1Gi}}}
`

// Not parallel, because tests share Trainer.
func TestRecipeOfTrainer(t *testing.T) {
	c := shared
	c.needsRecipe(t, "trainer")
	seen := &statuses{of: map[string]string{}}
	for _, w := range waysOf(c) {
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "trainer", "trainer-controller-manager", w, immediately)
			t.Run("plays", func(t *testing.T) {
				for _, scenario := range trainScenarios {
					t.Run(scenario.name, func(t *testing.T) {
						t.Parallel()
						scenario.play(t, c, w, seen)
					})
				}
			})
		})
	}
}

func (s trainScenario) play(t *testing.T, c *cluster, w way, seen *statuses) {
	namespace := c.namespace(t)
	var lock sync.Mutex
	attempts := map[string]bool{}
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		attempts[string(pod.UID)] = true
		if len(attempts) > s.attempts {
			return succeeds(pod)
		}
		return s.end(pod)
	})
	must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
	must(t, c.Create(t.Context(), object(t, namespace, trainJobManifest+trainerMemory)))
	got, want := trainOutcome{}, s.native
	if !w.native {
		want = s.asking
	}
	var job *unstructured.Unstructured
	eventually(t, long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		if got.condition, got.message = trainEnd(job); got.condition == "" {
			return fmt.Sprintf("the TrainJob is %v, Events %q", job.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	lock.Lock()
	got.pods, got.charged = len(attempts), charges(t, job)
	lock.Unlock()
	if got.condition != want.condition || !strings.Contains(got.message, want.message) || got.pods != want.pods || !maps.Equal(got.charged, want.charged) {
		t.Errorf("it ended as %+v, want %+v; Events %q", got, want, c.allEvents(t, namespace))
	}
	if w.native {
		seen.compare(t, c, s.name, w, job)
	}
}

// trainEnd returns the final condition of a TrainJob and its message.
func trainEnd(job *unstructured.Unstructured) (condition, message string) {
	conditions, _, _ := unstructured.NestedSlice(job.Object, "status", "conditions")
	for _, entry := range conditions {
		held, _ := entry.(map[string]any)
		if kind := fmt.Sprint(held["type"]); held["status"] == "True" && (kind == "Failed" || kind == "Complete") {
			return kind, fmt.Sprint(held["message"])
		}
	}
	return "", ""
}

// An attempt with advised memory keeps it after it was suspended and resumed.
func TestRecipeOfTrainerThatIsSuspended(t *testing.T) {
	c := shared
	c.needsRecipe(t, "trainer")
	c.runs(t, "trainer", "trainer-controller-manager", c.asking(time.Second), immediately)
	namespace := c.namespace(t)
	var lock sync.Mutex
	var attempts, limits []string
	resumed := false
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		n := nth(&attempts, string(pod.UID))
		if n == len(limits) {
			limits = append(limits, pod.Spec.Containers[0].Resources.Limits.Memory().String())
		}
		switch {
		case n == 0:
			return runsOutOfMemory(pod)
		case resumed && n > 1:
			return succeeds(pod)
		}
		return false
	})
	seen := func() []string {
		lock.Lock()
		defer lock.Unlock()
		return slices.Clone(limits)
	}
	must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
	must(t, c.Create(t.Context(), object(t, namespace, trainJobManifest+trainerMemory)))
	suspend := func(suspended bool) {
		job := &c.objects(t, namespace, trainJobKind)[0]
		changed := job.DeepCopy()
		must(t, unstructured.SetNestedField(changed.Object, suspended, "spec", "suspend"))
		must(t, c.Patch(t.Context(), changed, client.MergeFrom(job)))
	}
	eventually(t, long, func() string {
		if len(seen()) < 2 {
			return fmt.Sprintf("there were attempts with %q, Events %q", seen(), c.allEvents(t, namespace))
		}
		return ""
	})
	suspend(true)
	lock.Lock()
	second := attempts[1]
	lock.Unlock()
	eventually(t, long, func() string {
		for _, pod := range c.objects(t, namespace, podKind) {
			if string(pod.GetUID()) == second {
				return "the second attempt still runs"
			}
		}
		return ""
	})
	lock.Lock()
	resumed = true
	lock.Unlock()
	suspend(false)
	var job *unstructured.Unstructured
	eventually(t, long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		if condition, _ := trainEnd(job); condition == "" {
			return fmt.Sprintf("the TrainJob is %v, Events %q", job.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	condition, message := trainEnd(job)
	charged := charges(t, job)
	if want := []string{"1Gi", "1536Mi", "1536Mi"}; condition != "Complete" || !slices.Equal(seen(), want) || !maps.Equal(charged, map[string]int32{"memory": 1}) {
		t.Errorf("it ended as %s (%s) after %q, charged %v, want Complete after %q, charged memory once; Events %q",
			condition, message, seen(), charged, want, c.allEvents(t, namespace))
	}
}
