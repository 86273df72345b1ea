package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A node of a Flyte workflow. Its task is interruptible and may be retried once.
type flyteScenario struct {
	name string
	// end ends a run, numbered from 1.
	end            func(run int, pod *corev1.Pod) bool
	native, asking ended
}

// The result of tests/e2e/flyte for a node.
type flyteNode struct {
	Phase, Kind, Code, Message string
	Attempts, SystemFailures   int
	Interruptible              []bool
}

// isPreemptedByKubelet ends a pod that made room for a critical one.
func isPreemptedByKubelet(pod *corev1.Pod) bool {
	exits(pod, 143, "Error")
	pod.Status.Reason, pod.Status.Message = "Preempting", "Preempted in order to admit critical pod"
	return true
}

var flyteScenarios = []flyteScenario{
	{
		name: "spot takes every node", end: func(_ int, pod *corev1.Pod) bool {
			if pod.Spec.NodeSelector[spotKey] == "" {
				return succeeds(pod)
			}
			return isTakenAway(pod)
		},
		native: ended{state: "PhaseSuccess", counts: counts{"runs": 4, "system": 3, "onSpot": 3}, memory: "1Gi"},
		asking: ended{state: "PhaseSuccess", counts: counts{"runs": 4, "system": 3, "onSpot": 3}, memory: "1Gi", charged: map[string]int32{"disruption": 3}},
	},
	{
		name: "preempted by the kubelet twice", end: inRuns(isPreemptedByKubelet, 2),
		native: ended{state: "RetriesExhausted", message: "Preempting", counts: counts{"runs": 2, "onSpot": 2}, memory: "1Gi"},
		asking: ended{state: "PhaseSuccess", counts: counts{"runs": 3, "system": 2, "onSpot": 3}, memory: "1Gi", charged: map[string]int32{"disruption": 2}},
	},
	{
		name: "out of memory", end: func(_ int, pod *corev1.Pod) bool {
			if limit := pod.Spec.Containers[0].Resources.Limits.Memory(); limit.Cmp(resource.MustParse("1536Mi")) >= 0 {
				return succeeds(pod)
			}
			return runsOutOfMemory(pod)
		},
		native: ended{state: "RetriesExhausted", message: "OOMKilled", counts: counts{"runs": 2, "onSpot": 2}, memory: "1Gi"},
		asking: ended{state: "PhaseSuccess", counts: counts{"runs": 2, "onSpot": 2}, memory: "1536Mi", charged: map[string]int32{"memory": 1}},
	},
	{
		name: "the program fails", end: inRuns(fails, 9),
		native: ended{state: "RetriesExhausted", message: "Interrupted", counts: counts{"runs": 4, "system": 3, "onSpot": 3}, memory: "1Gi"},
		asking: ended{state: "RetriesExhausted", message: "Interrupted", counts: counts{"runs": 2, "onSpot": 2}, memory: "1Gi", charged: map[string]int32{"application": 2}},
	},
	{
		name: "a mistake in the image", end: inRuns(says("ModuleNotFoundError: No module named 'trianer'"), 9),
		native: ended{state: "RetriesExhausted", message: "Interrupted", counts: counts{"runs": 4, "system": 3, "onSpot": 3}, memory: "1Gi"},
		asking: ended{state: "PhasePermanentFailure", message: "a Python module is missing", counts: counts{"runs": 1, "onSpot": 1}, memory: "1Gi"},
	},
}

func (c *cluster) needsFlyte(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(c.bin, "flyte-node")); err != nil {
		t.Skip("skipped: flyte-node is not built")
	}
}

func TestRecipeOfFlyte(t *testing.T) {
	c := shared
	c.needsFlyte(t)
	released := map[string]string{}
	for _, w := range waysOf(c) {
		t.Run(w.name, func(t *testing.T) {
			server := w.server(t)
			t.Run("plays", func(t *testing.T) {
				for _, scenario := range flyteScenarios {
					t.Run(scenario.name, func(t *testing.T) {
						if w.recipe {
							t.Parallel()
						}
						said := scenario.play(t, c, w, server)
						if !w.recipe {
							released[scenario.name] = said
						} else if w.native && said != released[scenario.name] {
							t.Errorf("it says %s, and of the release %s", said, released[scenario.name])
						}
					})
				}
			})
		})
	}
}

// play returns the node's result.
func (s flyteScenario) play(t *testing.T, c *cluster, w way, server string) string {
	namespace := c.namespace(t)
	var runs []string
	var last *corev1.Pod
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		last = pod.DeepCopy()
		return ranFor(pod, attemptRuns) && s.end(nth(&runs, string(pod.UID))+1, pod)
	})
	node, said := (&flyteDriver{cluster: c, namespace: namespace, way: w, server: server}).run(t)
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(last), last))
	onSpot := int64(0)
	for _, interruptible := range node.Interruptible {
		if interruptible {
			onSpot++
		}
	}
	got := ended{
		state: node.Phase, message: node.Code + ": " + node.Message,
		// All runs, those charged to the system, and those on spot nodes.
		counts: counts{"runs": int64(node.Attempts + 1), "system": int64(node.SystemFailures), "onSpot": onSpot},
		memory: last.Spec.Containers[0].Resources.Limits.Memory().String(), charged: charges(t, last),
	}
	want := s.native
	if !w.native {
		want = s.asking
	}
	if !got.is(want) {
		t.Errorf("it ended as %+v, want %+v", got, want)
	}
	return said
}

// flyteDriver runs a node in a process, which is restarted if it is killed.
type flyteDriver struct {
	*cluster
	namespace string
	way       way
	server    string

	lock    sync.Mutex
	command *exec.Cmd
	kills   int
}

// run returns the final node and its message.
func (d *flyteDriver) run(t *testing.T) (flyteNode, string) {
	t.Helper()
	state := filepath.Join(t.TempDir(), "node.json")
	var said, errors bytes.Buffer
	for killed := -1; killed != d.killed(); {
		killed = d.killed()
		command := exec.CommandContext(t.Context(), filepath.Join(d.bin, "flyte-node"),
			"-namespace="+d.namespace, "-retries=1", "-state="+state, fmt.Sprintf("-recipe=%t", d.way.recipe))
		command.Env = append(os.Environ(), d.recipeEnvironment(d.server)...)
		command.Env = append(command.Env, "KUBECONFIG="+filepath.Join(d.cluster.run, "kubeconfig"))
		command.Stdout, command.Stderr = &said, &errors
		must(t, d.start(command))
		if err := command.Wait(); err != nil && killed == d.killed() {
			t.Fatalf("%v: %s", err, errors.String())
		}
	}
	var node flyteNode
	must(t, json.Unmarshal(said.Bytes(), &node))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(errors.String())
		}
	})
	return node, strings.ReplaceAll(said.String(), d.namespace, "NAMESPACE")
}

func (d *flyteDriver) start(command *exec.Cmd) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.command = command
	return command.Start()
}

func (d *flyteDriver) killed() int {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.kills
}

// kill ends it at once.
func (d *flyteDriver) kill() {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.kills++
	_ = d.command.Process.Kill()
}
