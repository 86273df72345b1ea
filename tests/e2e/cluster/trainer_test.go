package cluster

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var trainJobKind = schema.GroupVersionKind{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob"}

const trainJobManifest = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: finetune}
spec:
  runtimeRef: {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: torch}
`

const runtimeManifest = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {numNodes: 1, torch: {numProcPerNode: auto}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec:
                  containers: [{name: node, image: "registry.local/trainer:1"}]
`

func TestScenario08TrainJobThatCannotBeBuiltWaits(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "trainer")
	namespace := c.namespace(t)
	c.play(t, namespace, succeeds)
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), object(t, namespace, trainJobManifest)))

	var job *unstructured.Unstructured
	eventually(t, long, func() string {
		job = &c.objects(t, namespace, trainJobKind)[0]
		if d := decisionOf(t, job); d.Action != "WAIT_FOR_SPEC_UPDATE" || d.Cause != "CREATE_REJECTED" {
			return fmt.Sprintf("decided %+v", d)
		}
		return ""
	})
	if ledger := spent(t, job); len(ledger.GetBudgets()) != 0 {
		t.Errorf("charged %v, want nothing", ledger.GetBudgets())
	}
	c.anEvent(t, job, "WaitingForSpecUpdate", "torch")

	must(t, c.Create(context.Background(), object(t, namespace, runtimeManifest)))
	eventually(t, long, func() string {
		jobs := c.objects(t, namespace, trainJobKind)
		job := &jobs[0]
		if d := decisionOf(t, job); len(jobs) != 1 || d.Action != "" {
			return fmt.Sprintf("%d TrainJobs, still decided %+v", len(jobs), d)
		}
		if conditionOf(job, "Complete").status == "True" {
			return ""
		}
		return fmt.Sprintf("the TrainJob does not run: %v", job.Object["status"])
	})
}
