package cluster

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
type trainWork struct {
	attempts int
	end      ending
}

var trainScenarios = []recipeScenario{
	{
		name: "spot takes the node three times", work: trainWork{3, isTakenAway},
		native: ended{state: "Failed", message: "jobset failed", counts: counts{"pods": 1}},
		asking: ended{state: "Complete", message: "jobset completed", counts: counts{"pods": 4}, charged: map[string]int32{"disruption": 3}},
	},
	{
		name: "the program fails", work: trainWork{9, fails},
		native: ended{state: "Failed", message: "jobset failed", counts: counts{"pods": 1}},
		asking: ended{state: "Failed", message: "fail the", counts: counts{"pods": 4}, charged: map[string]int32{"application": 3}},
	},
	{
		name: "out of memory", work: trainWork{9, func(pod *corev1.Pod) bool {
			if limit := pod.Spec.Containers[0].Resources.Limits.Memory(); limit.Cmp(resource.MustParse("1536Mi")) >= 0 {
				return succeeds(pod)
			}
			return runsOutOfMemory(pod)
		}},
		native: ended{state: "Failed", message: "jobset failed", counts: counts{"pods": 1}},
		asking: ended{state: "Complete", message: "jobset completed", counts: counts{"pods": 2}, charged: map[string]int32{"memory": 1}},
	},
	{
		name: "a mistake in the image", work: trainWork{9, says("ModuleNotFoundError: No module named 'trianer'")},
		native: ended{state: "Failed", message: "jobset failed", counts: counts{"pods": 1}},
		asking: ended{state: "Failed", message: "a Python module is missing", counts: counts{"pods": 1}},
	},
	{
		name: "its runtime is missing", alone: true, work: uncreatedWork{
			begin: func(*testing.T, *cluster, string) {},
			end: func(t *testing.T, c *cluster, namespace string) {
				must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
			},
			event: "MulliganStops",
		},
		native: ended{state: "Complete", message: "jobset completed"},
		asking: ended{state: "Complete", message: "jobset completed"},
	},
	{
		name: "a webhook is away", alone: true, work: uncreatedWork{
			begin: func(t *testing.T, c *cluster, namespace string) {
				must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
				c.controlPlane(t, "stop", "jobset")
				t.Cleanup(func() {
					// The test's context has ended.
					if _, err := os.Stat(filepath.Join(c.run, "jobset.pid")); err != nil {
						if err := c.control("start", "jobset"); err != nil {
							t.Error(err)
						}
					}
				})
			},
			end: func(t *testing.T, c *cluster, _ string) {
				c.controlPlane(t, "start", "jobset")
				eventually(t, long, c.jobSetReady(t))
			},
			event: "MulliganRetries",
		},
		native: ended{state: "Complete", message: "jobset completed"},
		asking: ended{state: "Complete", message: "jobset completed", charged: map[string]int32{"control": 1}},
	},
}

// Each pod is an attempt, because its Job replaces none.
var onePodEach = strings.Replace(runtimeManifest, "            spec:\n              template:", "            spec:\n              backoffLimit: 0\n              template:", 1)

const trainerMemory = `  trainer: {resourcesPerNode: {limits: {memory: 1Gi}}}
`

func (s trainWork) play(t *testing.T, c *cluster, _ way, namespace string) (*unstructured.Unstructured, ended) {
	var lock sync.Mutex
	var attempts []string
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		if nth(&attempts, string(pod.UID)) >= s.attempts {
			return succeeds(pod)
		}
		return s.end(pod)
	})
	must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
	must(t, c.Create(t.Context(), object(t, namespace, trainJobManifest+trainerMemory)))
	job, got := c.trainJobEnds(t, namespace)
	lock.Lock()
	defer lock.Unlock()
	got.counts = counts{"pods": int64(len(attempts))}
	return job, got
}

// A TrainJob whose JobSet cannot be created at first.
type uncreatedWork struct {
	// begin prevents the creation, and end allows it.
	begin, end func(t *testing.T, c *cluster, namespace string)
	// Reason of the Event about it with the recipe.
	event string
}

func (s uncreatedWork) play(t *testing.T, c *cluster, w way, namespace string) (*unstructured.Unstructured, ended) {
	c.play(t, namespace, succeeds)
	s.begin(t, c, namespace)
	job := object(t, namespace, trainJobManifest)
	must(t, c.Create(t.Context(), job))
	// After it was tried and decided about.
	if w.native {
		c.anEvent(t, job, "TrainJobResourcesCreationFailed")
	} else {
		c.anEvent(t, job, s.event)
	}
	if condition, message := trainEnd(&c.objects(t, namespace, trainJobKind)[0]); condition != "" {
		t.Errorf("it is %s already: %s", condition, message)
	}
	s.end(t, c, namespace)
	return c.trainJobEnds(t, namespace)
}

// trainJobEnds waits for the end of a namespace's only TrainJob.
func (c *cluster) trainJobEnds(t *testing.T, namespace string) (job *unstructured.Unstructured, got ended) {
	t.Helper()
	eventually(t, 2*long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		if got.state, got.message = trainEnd(job); got.state == "" {
			return fmt.Sprintf("the TrainJob is %v, Events %q", job.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	return job, got
}

// trainEnd returns the final condition of a TrainJob and its message.
func trainEnd(job *unstructured.Unstructured) (kind, message string) {
	for _, kind := range []string{"Failed", "Complete"} {
		if held := conditionOf(job, kind); held.status == "True" {
			return kind, held.message
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
	job, got := c.trainJobEnds(t, namespace)
	charged := charges(t, job)
	if want := []string{"1Gi", "1536Mi", "1536Mi"}; got.state != "Complete" || !slices.Equal(seen(), want) || !maps.Equal(charged, map[string]int32{"memory": 1}) {
		t.Errorf("it ended as %s (%s) after %q, charged %v, want Complete after %q, charged memory once; Events %q",
			got.state, got.message, seen(), charged, want, c.allEvents(t, namespace))
	}
}
