package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var rayClusterKind = schema.GroupVersionKind{Group: "ray.io", Version: "v1", Kind: "RayCluster"}

// A RayJob with some of its fields, and how its attempts end.
type rayScenario struct {
	// Name prefix of the RayJob and of its Ray jobs.
	name string
	spec map[string]any
	// headsLost is the number of attempts whose head loses its node.
	headsLost int
	// status is Ray's answer about the nth attempt whose head runs.
	status         func(n int) (status, message string)
	native, asking rayOutcome
}

type rayOutcome struct {
	status, reason    string
	failed, succeeded int64
	charged           map[string]int32
	// Part of the message.
	message string
}

// Ray's message about an actor, here the job's supervisor, whose head is gone.
const rayLostItsNode = "The actor died unexpectedly before finishing this task. The actor is dead because its node has died."

func rayRuns(int) (string, string)     { return "RUNNING", "" }
func raySucceeds(int) (string, string) { return "SUCCEEDED", "Job finished successfully." }

func rayFails(log string) func(int) (string, string) {
	return func(int) (string, string) {
		return "FAILED", "Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\n" + log
	}
}

var rayScenarios = []rayScenario{
	{
		name: "head-lost", spec: map[string]any{"backoffLimit": int64(1)}, headsLost: 5, status: raySucceeds,
		native: rayOutcome{status: "Failed", reason: "AppFailed", failed: 2, message: "its node has died"},
		asking: rayOutcome{status: "Complete", succeeded: 1, charged: map[string]int32{"disruption": 5}, message: "finished successfully"},
	},
	{
		name: "bug", spec: map[string]any{"backoffLimit": int64(1)}, status: rayFails("AssertionError: the batch is not even\n"),
		native: rayOutcome{status: "Failed", reason: "AppFailed", failed: 2, message: "not even"},
		asking: rayOutcome{status: "Failed", reason: "AppFailed", failed: 4, charged: map[string]int32{"application": 3}, message: "fail the workload"},
	},
	{
		name: "mistake", spec: map[string]any{"backoffLimit": int64(2)}, status: rayFails("ModuleNotFoundError: No module named 'trianer'\n"),
		native: rayOutcome{status: "Failed", reason: "AppFailed", failed: 3, message: "trianer"},
		asking: rayOutcome{status: "Failed", reason: "AppFailed", failed: 1, message: "fail the workload"},
	},
	{
		name: "deadline", spec: map[string]any{"backoffLimit": int64(2), "activeDeadlineSeconds": int64(8)}, status: rayRuns,
		native: rayOutcome{status: "Failed", reason: "DeadlineExceeded", failed: 1, message: "activeDeadlineSeconds"},
		asking: rayOutcome{status: "Failed", reason: "DeadlineExceeded", failed: 1, message: "fail the workload"},
	},
}

// rayPlay runs a scenario: it takes heads away and answers for Ray.
type rayPlay struct {
	*cluster
	scenario  rayScenario
	namespace string
	lock      sync.Mutex
	// Clusters and Ray jobs of the attempts, in order.
	clusters, jobs []string
	// The head of each cluster that loses it.
	lost map[string]*corev1.Pod
}

// nth returns the index of a name in the list, and appends a new one.
func nth(list *[]string, name string) int {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
	return slices.Index(*list, name)
}

// end takes away the first head of a cluster once Ray runs on it.
func (p *rayPlay) end(pod *corev1.Pod) bool {
	job := &unstructured.Unstructured{}
	job.SetGroupVersionKind(rayJobKind)
	// The test's context ends before the playing does.
	if p.Get(context.Background(), client.ObjectKey{Namespace: p.namespace, Name: p.scenario.name}, job) != nil {
		return false
	}
	running, _, _ := unstructured.NestedString(job.Object, "status", "jobStatus")
	p.lock.Lock()
	defer p.lock.Unlock()
	of := pod.Labels["ray.io/cluster"]
	if nth(&p.clusters, of) >= p.scenario.headsLost || running != "RUNNING" || p.lost[of] != nil {
		return false
	}
	p.lost[of] = pod.DeepCopy()
	return isTakenAway(pod)
}

// answer answers for Ray, which notices a lost head after Kubernetes.
func (p *rayPlay) answer(id string) (string, string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	n := nth(&p.jobs, id)
	if n >= p.scenario.headsLost {
		return p.scenario.status(n)
	}
	if n < len(p.clusters) {
		if head := p.lost[p.clusters[n]]; head != nil && p.isGone(head) {
			return "FAILED", rayLostItsNode
		}
	}
	return "RUNNING", ""
}

// rayPlays are the plays of a dashboard, by the names of their RayJobs.
type rayPlays struct {
	lock sync.Mutex
	of   map[string]*rayPlay
}

func (p *rayPlays) answer(_ int, id string) (string, string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for name, play := range p.of {
		if strings.HasPrefix(id, name+"-") {
			return play.answer(id)
		}
	}
	return "RUNNING", ""
}

// begin creates a scenario's RayJob.
func (p *rayPlays) begin(t *testing.T, c *cluster, s rayScenario) string {
	t.Helper()
	play := &rayPlay{cluster: c, scenario: s, namespace: c.namespace(t), lost: map[string]*corev1.Pod{}}
	p.lock.Lock()
	p.of[s.name] = play
	p.lock.Unlock()
	c.play(t, play.namespace, play.end)
	job := object(t, play.namespace, rayManifest)
	job.SetName(s.name)
	for field, value := range s.spec {
		must(t, unstructured.SetNestedField(job.Object, value, "spec", field))
	}
	must(t, c.Create(t.Context(), job))
	return play.namespace
}

func immediately() string { return "" }

// Not parallel, because tests share KubeRay and its one dashboard.
func TestRecipeOfKubeRay(t *testing.T) {
	c := shared
	c.needsRecipe(t, "kuberay")
	seen := &statuses{of: map[string]string{}}
	for _, w := range waysOf(c) {
		t.Run(w.name, func(t *testing.T) {
			plays := &rayPlays{of: map[string]*rayPlay{}}
			startDashboardOf(t, c, plays.answer)
			c.runs(t, "kuberay", "ray-operator", w, immediately)
			t.Run("plays", func(t *testing.T) {
				for _, scenario := range rayScenarios {
					t.Run(scenario.name, func(t *testing.T) {
						t.Parallel()
						scenario.play(t, c, w, plays, seen)
					})
				}
			})
		})
	}
}

func (s rayScenario) play(t *testing.T, c *cluster, w way, plays *rayPlays, seen *statuses) {
	namespace := plays.begin(t, c, s)
	pods := c.holds(t, namespace)
	job := c.rayJobEnds(t, namespace)
	got, want := rayOutcomeOf(t, job), s.native
	if !w.native {
		want = s.asking
	}
	t.Logf("%s, %s: %s", s.name, w.name, pods)
	if got.status != want.status || got.reason != want.reason || got.failed != want.failed || got.succeeded != want.succeeded ||
		!maps.Equal(got.charged, want.charged) || !strings.Contains(got.message, want.message) {
		t.Errorf("it ended as %+v, want %+v; Events %q", got, want, c.allEvents(t, namespace))
	}
	if w.native {
		seen.compare(t, c, s.name, w, job)
	}
}

// rayJobEnds waits for the end of a namespace's only RayJob.
func (c *cluster) rayJobEnds(t *testing.T, namespace string) *unstructured.Unstructured {
	t.Helper()
	var job *unstructured.Unstructured
	eventually(t, 2*long, func() string {
		jobs := c.objects(t, namespace, rayJobKind)
		job = &jobs[0]
		if status := deploymentStatus(job); status != "Failed" && status != "Complete" {
			return fmt.Sprintf("the RayJob is %v, Events %q", job.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	return job
}

func rayOutcomeOf(t *testing.T, job *unstructured.Unstructured) rayOutcome {
	t.Helper()
	got := rayOutcome{status: deploymentStatus(job)}
	got.reason, _, _ = unstructured.NestedString(job.Object, "status", "reason")
	got.message, _, _ = unstructured.NestedString(job.Object, "status", "message")
	got.failed, _, _ = unstructured.NestedInt64(job.Object, "status", "failed")
	got.succeeded, _, _ = unstructured.NestedInt64(job.Object, "status", "succeeded")
	got.charged = charges(t, job)
	return got
}
