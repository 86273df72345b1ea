package cluster

import (
	"fmt"
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
type jobSetWork struct {
	policy   string
	replicas int
	// end makes the ending of one run of the scenario.
	end func() ending
}

var jobSetScenarios = []recipeScenario{
	{
		name:   "spot takes a worker five times",
		work:   jobSetWork{"failurePolicy: {maxRestarts: 1}", 2, func() ending { return workerEnds(5, isTakenAway) }},
		native: ended{state: "Failed", reason: "ReachedMaxRestarts", counts: counts{"restarts": 1, "counted": 1}, memory: "1Gi"},
		asking: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 5}, memory: "1Gi", charged: map[string]int32{"disruption": 5}},
	},
	{
		name:   "preempted without any policy",
		work:   jobSetWork{"", 2, func() ending { return workerEnds(1, isPreempted) }},
		native: ended{state: "Failed", reason: "FailedJobs", memory: "1Gi"},
		asking: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 1}, memory: "1Gi", charged: map[string]int32{"disruption": 1}},
	},
	{
		name:   "the program fails",
		work:   jobSetWork{"failurePolicy: {maxRestarts: 1}", 2, func() ending { return workerEnds(1, fails) }},
		native: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 1, "counted": 1}, memory: "1Gi"},
		asking: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 1, "counted": 1}, memory: "1Gi", charged: map[string]int32{"application": 1}},
	},
	{
		name: "a mistake in the image",
		work: jobSetWork{"failurePolicy: {maxRestarts: 3}", 2, func() ending {
			return workerEnds(9, says("ModuleNotFoundError: No module named 'trianer'"))
		}},
		native: ended{state: "Failed", reason: "ReachedMaxRestarts", counts: counts{"restarts": 3, "counted": 3}, memory: "1Gi"},
		asking: ended{state: "Failed", reason: "Mulligan", memory: "1Gi"},
	},
	{
		name:   "a gang of eight, one of them out of memory",
		work:   jobSetWork{"failurePolicy: {maxRestarts: 2}", 8, func() ending { return gangNeeds(8, "1536Mi", false) }},
		native: ended{state: "Failed", reason: "ReachedMaxRestarts", counts: counts{"restarts": 2, "counted": 2}, memory: "1Gi"},
		asking: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 1, "counted": 1}, memory: "1536Mi", charged: map[string]int32{"memory": 1}},
	},
	{
		name:   "a peer of the one out of memory ends first",
		work:   jobSetWork{"failurePolicy: {maxRestarts: 2}", 4, func() ending { return gangNeeds(4, "1536Mi", true) }},
		native: ended{state: "Failed", reason: "ReachedMaxRestarts", counts: counts{"restarts": 2, "counted": 2}, memory: "1Gi"},
		asking: ended{state: "Completed", reason: "AllJobsCompleted", counts: counts{"restarts": 1, "counted": 1}, memory: "1536Mi", charged: map[string]int32{"memory": 1}},
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
	return func(pod *corev1.Pod) bool { return failsWith(pod, message) }
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

const peerLost = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error; Connection closed by remote peer"

// gangNeeds ends an attempt with less memory: its third worker runs out of it, and the
// others lose their peer a second later. With peerFirst only the first worker loses its
// peer, three seconds before the kubelet of the third one reports.
func gangNeeds(size int, memory string, peerFirst bool) ending {
	enough := resource.MustParse(memory)
	first, later := "2", time.Second
	if peerFirst {
		first, later = "0", 3*time.Second
	}
	var lock sync.Mutex
	seen := map[int]map[string]bool{}
	begun := map[int]time.Time{}
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
		index := pod.Labels["jobset.sigs.k8s.io/job-index"]
		if index == first {
			begun[attempt] = time.Now()
		} else if begun[attempt].IsZero() || time.Since(begun[attempt]) < later || peerFirst && index != "2" {
			return false
		}
		if index == "2" {
			return runsOutOfMemory(pod)
		}
		return failsWith(pod, peerLost)
	}
}

var webhookPort = regexp.MustCompile(`webhook: \{port: (\d+)\}`)

func (c *cluster) jobSetReady(t *testing.T) func() string {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(c.run, "jobset.yaml"))
	must(t, err)
	return listening(webhookPort.FindStringSubmatch(string(config))[1])
}

func (s jobSetWork) play(t *testing.T, c *cluster, _ way, namespace string) (*unstructured.Unstructured, ended) {
	c.play(t, namespace, s.end())
	must(t, c.Create(t.Context(), object(t, namespace, fmt.Sprintf(jobSetTemplate, s.policy, s.replicas))))
	set := c.jobSetEnds(t, namespace)
	var got ended
	got.state, _, _ = unstructured.NestedString(set.Object, "status", "terminalState")
	got.reason = conditionOf(set, got.state).reason
	restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts")
	counted, _, _ := unstructured.NestedInt64(set.Object, "status", "restartsCountTowardsMax")
	got.counts = counts{"restarts": restarts, "counted": counted}
	for _, job := range c.jobs(t, namespace) {
		if job.Labels["jobset.sigs.k8s.io/restart-attempt"] == strconv.FormatInt(restarts, 10) {
			got.memory = job.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().String()
		}
	}
	return set, got
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
