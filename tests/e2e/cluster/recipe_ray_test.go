package cluster

import (
	"context"
	"fmt"
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
type rayWork struct {
	// Name prefix of the RayJob and of its Ray jobs.
	name string
	spec map[string]any
	// headsLost is the number of attempts whose head loses its node.
	headsLost int
	// status is Ray's answer about the nth attempt whose head runs.
	status func(n int) (status, message string)
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

var rayScenarios = []recipeScenario{
	{
		name: "head-lost", work: rayWork{"head-lost", map[string]any{"backoffLimit": int64(1)}, 5, raySucceeds},
		native: ended{state: "Failed", reason: "AppFailed", message: "its node has died", counts: counts{"failed": 2}},
		asking: ended{state: "Complete", message: "finished successfully", counts: counts{"succeeded": 1}, charged: map[string]int32{"disruption": 5}},
	},
	{
		name: "bug", work: rayWork{"bug", map[string]any{"backoffLimit": int64(1)}, 0, rayFails("AssertionError: the batch is not even\n")},
		native: ended{state: "Failed", reason: "AppFailed", message: "not even", counts: counts{"failed": 2}},
		asking: ended{state: "Failed", reason: "AppFailed", message: "fail the workload", counts: counts{"failed": 4}, charged: map[string]int32{"application": 3}},
	},
	{
		name: "mistake", work: rayWork{"mistake", map[string]any{"backoffLimit": int64(2)}, 0, rayFails("ModuleNotFoundError: No module named 'trianer'\n")},
		native: ended{state: "Failed", reason: "AppFailed", message: "trianer", counts: counts{"failed": 3}},
		asking: ended{state: "Failed", reason: "AppFailed", message: "fail the workload", counts: counts{"failed": 1}},
	},
	{
		name: "deadline", work: rayWork{"deadline", map[string]any{"backoffLimit": int64(2), "activeDeadlineSeconds": int64(8)}, 0, rayRuns},
		native: ended{state: "Failed", reason: "DeadlineExceeded", message: "activeDeadlineSeconds", counts: counts{"failed": 1}},
		asking: ended{state: "Failed", reason: "DeadlineExceeded", message: "fail the workload", counts: counts{"failed": 1}},
	},
}

// rayPlay runs a scenario: it takes heads away and answers for Ray.
type rayPlay struct {
	*cluster
	scenario  rayWork
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

// KubeRay has one dashboard.
var rayPlaying = &rayPlays{of: map[string]*rayPlay{}}

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

func immediately() string { return "" }

func (s rayWork) play(t *testing.T, c *cluster, _ way, namespace string) (*unstructured.Unstructured, ended) {
	play := &rayPlay{cluster: c, scenario: s, namespace: namespace, lost: map[string]*corev1.Pod{}}
	rayPlaying.lock.Lock()
	rayPlaying.of[s.name] = play
	rayPlaying.lock.Unlock()
	c.play(t, namespace, play.end)
	job := object(t, namespace, rayManifest)
	job.SetName(s.name)
	for field, value := range s.spec {
		must(t, unstructured.SetNestedField(job.Object, value, "spec", field))
	}
	must(t, c.Create(t.Context(), job))
	job = c.rayJobEnds(t, namespace)
	got := ended{state: deploymentStatus(job)}
	got.reason, _, _ = unstructured.NestedString(job.Object, "status", "reason")
	got.message, _, _ = unstructured.NestedString(job.Object, "status", "message")
	failed, _, _ := unstructured.NestedInt64(job.Object, "status", "failed")
	succeeded, _, _ := unstructured.NestedInt64(job.Object, "status", "succeeded")
	got.counts = counts{"failed": failed, "succeeded": succeeded}
	return job, got
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
