package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	workloadKind     = schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload"}
	clusterQueueKind = schema.GroupVersionKind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "ClusterQueue"}
)

const (
	queueLabel    = "kueue.x-k8s.io/queue-name"
	priorityLabel = "kueue.x-k8s.io/priority-class"
)

// A namespace's ClusterQueue and what it needs, with places for flavor and memory.
const queueManifests = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: urgent}
value: 1000
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
    - coveredResources: [cpu, memory]
      flavors:
        - name: %[2]s
          resources: [{name: cpu, nominalQuota: 100}, {name: memory, nominalQuota: %[3]s}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: queue, namespace: %[1]s}
spec: {clusterQueue: %[1]s}
`

// queueOf makes a namespace's LocalQueue "queue" with this memory of a flavor.
func (c *cluster) queueOf(t *testing.T, namespace, flavor, memory string) {
	t.Helper()
	// The previous test may have run another Kueue.
	eventually(t, long, c.kueueReady(t))
	must(t, c.createAll(fmt.Sprintf(queueManifests, namespace, flavor, memory)))
	t.Cleanup(func() {
		queue := &unstructured.Unstructured{}
		queue.SetGroupVersionKind(clusterQueueKind)
		queue.SetName(namespace)
		if err := c.Delete(context.Background(), queue); err != nil {
			t.Logf("ClusterQueue %s stays: %v", namespace, err)
		}
	})
}

// queuedJob returns a Job of one pod in its namespace's queue.
func queuedJob(namespace, name, memory string) *batchv1.Job {
	job := newJob(namespace, name)
	job.Labels = map[string]string{queueLabel: "queue"}
	yes := true
	job.Spec.Suspend = &yes
	amount := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	job.Spec.Template.Spec.Containers[0].Resources = corev1.ResourceRequirements{Limits: amount, Requests: amount}
	return job
}

// workloadOf returns Kueue's Workload of an object; nil if there is none yet.
func (c *cluster) workloadOf(t *testing.T, obj client.Object) *unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(workloadKind)
	must(t, c.List(t.Context(), list, client.InNamespace(obj.GetNamespace()),
		client.MatchingLabels{"kueue.x-k8s.io/job-uid": string(obj.GetUID())}))
	if len(list.Items) == 0 {
		return nil
	}
	return &list.Items[0]
}

type condition struct {
	status, reason, message string
	since                   time.Time
}

// conditionOf returns a condition of an object; empty if it has none.
func conditionOf(obj *unstructured.Unstructured, kind string) condition {
	if obj == nil {
		return condition{}
	}
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, entry := range conditions {
		held, _ := entry.(map[string]any)
		if held["type"] != kind {
			continue
		}
		since, _ := time.Parse(time.RFC3339, fmt.Sprint(held["lastTransitionTime"]))
		return condition{
			status: fmt.Sprint(held["status"]), reason: fmt.Sprint(held["reason"]),
			message: fmt.Sprint(held["message"]), since: since,
		}
	}
	return condition{}
}

// evictions returns how often a Workload was evicted, by reason.
func evictions(workload *unstructured.Unstructured) map[string]int64 {
	counted := map[string]int64{}
	if workload == nil {
		return counted
	}
	entries, _, _ := unstructured.NestedSlice(workload.Object, "status", "schedulingStats", "evictions")
	for _, entry := range entries {
		eviction, _ := entry.(map[string]any)
		count, _ := eviction["count"].(int64)
		counted[fmt.Sprint(eviction["reason"])] += count
	}
	return counted
}

func isAdmitted(workload *unstructured.Unstructured) bool {
	return conditionOf(workload, "Admitted").status == "True"
}

var kueuePort = regexp.MustCompile(`port: (\d+)`)

func (c *cluster) kueueReady(t *testing.T) func() string {
	t.Helper()
	config, err := os.ReadFile(filepath.Join(c.run, "kueue.yaml"))
	must(t, err)
	return listening(kueuePort.FindStringSubmatch(string(config))[1])
}

// runsKueue runs Kueue in a way, with this appended to its configuration.
func (c *cluster) runsKueue(t *testing.T, w way, configuration string) {
	t.Helper()
	w.configuration = configuration
	c.runs(t, "kueue", "kueue", w, c.kueueReady(t))
}

func (c *cluster) running(t *testing.T, namespace string) int {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	running := 0
	for i := range pods.Items {
		if pods.Items[i].Status.Phase == corev1.PodRunning && pods.Items[i].DeletionTimestamp == nil {
			running++
		}
	}
	return running
}
