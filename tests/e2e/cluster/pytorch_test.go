package cluster

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pyTorchJobKind = schema.GroupVersionKind{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"}

const pyTorchManifest = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: bert}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.local/trainer:1
              resources: {limits: {memory: 1Gi}}
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
          containers:
            - name: pytorch
              image: registry.local/trainer:1
              resources: {limits: {memory: 1Gi}}
`

func memoryOf(t *testing.T, job *unstructured.Unstructured, role string) string {
	t.Helper()
	containers, _, err := unstructured.NestedSlice(job.Object, "spec", "pytorchReplicaSpecs", role, "template", "spec", "containers")
	must(t, err)
	memory, _, _ := unstructured.NestedString(containers[0].(map[string]any), "resources", "limits", "memory")
	return memory
}

// One worker is killed at its memory limit, and training-operator gives the job up.
func TestScenario05PyTorchJobOutOfMemory(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "training-operator")
	namespace := c.namespace(t)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		switch pod.Name {
		case "bert-worker-1":
			return exits(pod, 137, "OOMKilled")
		case "bert-master-0", "bert-worker-0":
			return false
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), object(t, namespace, pyTorchManifest)))

	var jobs []unstructured.Unstructured
	eventually(t, long, func() string {
		jobs = c.objects(t, namespace, pyTorchJobKind)
		last := &jobs[len(jobs)-1]
		if len(jobs) == 2 && conditionOf(last, "Succeeded").status == "True" {
			return ""
		}
		return fmt.Sprintf("%d PyTorchJobs, the last is %v, decided %+v", len(jobs), last.Object["status"], decisionOf(t, last))
	})
	if d := decisionOf(t, &jobs[0]); d.Action != "RETRY" || d.Cause != "CONTAINER_OOM" {
		t.Errorf("decided %+v, want RETRY of CONTAINER_OOM", d)
	}
	if ledger := spent(t, &jobs[0]); ledger.GetAttemptsSeen() != 1 || ledger.GetBudgets()["memory"].GetUsed() != 1 {
		t.Errorf("charged %v, want memory 1", ledger)
	}
	for _, role := range []string{"Master", "Worker"} {
		if got := memoryOf(t, &jobs[1], role); got != "1536Mi" {
			t.Errorf("%s has %s, want 1536Mi", role, got)
		}
	}
}
