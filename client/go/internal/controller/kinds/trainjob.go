package kinds

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// trainJob is trainer.kubeflow.org TrainJob. Its pods are described by a runtime;
// the object itself can only override: the trainer's resources, and where pods run.
type trainJob struct{}

// The runtimes' name for the Job of the training nodes.
const trainerJobName = "node"

func (trainJob) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob"}
}

func (trainJob) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Complete")
}

func (trainJob) Renew(*unstructured.Unstructured) {}

// Shapes adds an override for the training nodes, which is empty until something is
// written into it; an empty override changes nothing.
func (trainJob) Shapes(obj *unstructured.Unstructured) []Shape {
	spec := mapAt(obj.Object, "spec")
	if spec == nil {
		return nil
	}
	grow := func(change Change) bool {
		return growResources(mapAt(spec, "trainer", "resourcesPerNode"), change)
	}
	return []Shape{{Pod: trainerOverride(spec), Grow: grow}}
}

func trainerOverride(spec map[string]any) map[string]any {
	for _, override := range mapsAt(spec, "podSpecOverrides") {
		targets := mapsAt(override, "targetJobs")
		if len(targets) == 1 && targets[0]["name"] == trainerJobName {
			return override
		}
	}
	override := map[string]any{"targetJobs": []any{map[string]any{"name": trainerJobName}}}
	overrides, _ := spec["podSpecOverrides"].([]any)
	spec["podSpecOverrides"] = append(overrides, override)
	return override
}

func (trainJob) SuspendField(*unstructured.Unstructured) []string { return []string{"spec", "suspend"} }
