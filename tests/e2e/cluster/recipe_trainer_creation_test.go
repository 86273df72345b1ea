package cluster

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A TrainJob whose JobSet cannot be created at first.
type uncreatedScenario struct {
	name string
	// begin prevents the creation, and end allows it.
	begin, end func(t *testing.T, c *cluster, namespace string)
	// Reason of the Event, and charges meanwhile.
	event   string
	charged map[string]int32
}

var uncreatedScenarios = []uncreatedScenario{
	{
		name:  "its runtime is missing",
		begin: func(*testing.T, *cluster, string) {},
		end: func(t *testing.T, c *cluster, namespace string) {
			must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
		},
		event: "MulliganStops",
	},
	{
		name: "a webhook is away",
		begin: func(t *testing.T, c *cluster, namespace string) {
			must(t, c.Create(t.Context(), object(t, namespace, onePodEach)))
			c.controlPlane(t, "stop", "jobset")
			t.Cleanup(func() {
				// The test's context has ended.
				if _, err := os.Stat(filepath.Join(c.run, "jobset.pid")); err != nil {
					if err := run(os.Getenv("E2E_CONTROL_PLANE"), "start", c.run, "jobset"); err != nil {
						t.Error(err)
					}
				}
			})
		},
		end: func(t *testing.T, c *cluster, _ string) {
			c.controlPlane(t, "start", "jobset")
			eventually(t, long, c.jobSetReady(t))
		},
		event: "MulliganRetries", charged: map[string]int32{"control": 1},
	},
}

// Not parallel, because tests share Trainer and JobSet's webhook.
func TestRecipeOfTrainerWithoutAJobSet(t *testing.T) {
	c := shared
	c.needsRecipe(t, "trainer")
	seen := &statuses{of: map[string]string{}}
	for _, w := range waysOf(c) {
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "trainer", "trainer-controller-manager", w, immediately)
			for _, scenario := range uncreatedScenarios {
				t.Run(scenario.name, func(t *testing.T) { scenario.play(t, c, w, seen) })
			}
		})
	}
}

func (s uncreatedScenario) play(t *testing.T, c *cluster, w way, seen *statuses) {
	namespace := c.namespace(t)
	c.play(t, namespace, succeeds)
	s.begin(t, c, namespace)
	must(t, c.Create(t.Context(), object(t, namespace, trainJobManifest)))
	var job *unstructured.Unstructured
	// After it was tried and decided about.
	eventually(t, long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		want := s.event
		if w.native {
			want = "TrainJobResourcesCreationFailed"
		}
		if events := c.events(t, job); !strings.Contains(strings.Join(events, "\n"), want) {
			return fmt.Sprintf("no %s in %q", want, events)
		}
		return ""
	})
	if condition, message := trainEnd(job); condition != "" {
		t.Errorf("it is %s already: %s", condition, message)
	}
	s.end(t, c, namespace)
	eventually(t, 2*long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		if condition, _ := trainEnd(job); condition != "Complete" {
			return fmt.Sprintf("the TrainJob is %v, Events %q", job.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	want := s.charged
	if w.native {
		want = nil
		seen.compare(t, c, s.name, w, job)
	}
	if charged := charges(t, job); !maps.Equal(charged, want) {
		t.Errorf("charged %v, want %v", charged, want)
	}
}
