package kinds

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// pyTorchJob is kubeflow.org/v1 PyTorchJob of the training-operator.
type pyTorchJob struct{ prompt }

func (pyTorchJob) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("PyTorchJob")
}

func (pyTorchJob) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Succeeded")
}

// The limit covers restarts of all replicas together. Without it, restartable replicas
// restart forever, and the job never fails because of them.
func (pyTorchJob) TakeOver(obj *unstructured.Unstructured) {
	noneOf(mapAt(obj.Object, "spec", "runPolicy"), "backoffLimit")
}

func (pyTorchJob) Shapes(obj *unstructured.Unstructured) []Shape {
	replicas := mapAt(obj.Object, "spec", "pytorchReplicaSpecs")
	var shapes []Shape
	for _, role := range slices.Sorted(maps.Keys(replicas)) {
		shapes = append(shapes, template(mapAt(replicas, role, "template"))...)
	}
	return shapes
}

func (pyTorchJob) SuspendField(*unstructured.Unstructured) []string {
	return []string{"spec", "runPolicy", "suspend"}
}
