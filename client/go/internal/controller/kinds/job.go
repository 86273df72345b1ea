package kinds

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// job is batch/v1 Job. With backoffLimit 0 every failure is the controller's to decide;
// with more, the Job controller first retries pods itself.
type job struct{ prompt }

func (job) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("Job")
}

func (job) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Complete")
}

// Labels that tie pods to one Job object.
var jobOwnLabels = []string{
	"controller-uid", "job-name",
	"batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
}

// A selector made by the API server contains the Job's UID. manualSelector does not
// show that, because it can be changed later, unlike a selector.
func (job) Renew(obj *unstructured.Unstructured) {
	selector := mapAt(obj.Object, "spec", "selector")
	names := mapAt(selector, "matchLabels")
	if selector != nil && names["controller-uid"] == nil && names["batch.kubernetes.io/controller-uid"] == nil {
		return
	}
	unstructured.RemoveNestedField(obj.Object, "spec", "manualSelector")
	unstructured.RemoveNestedField(obj.Object, "spec", "selector")
	for _, labels := range []map[string]any{
		mapAt(obj.Object, "metadata", "labels"),
		mapAt(obj.Object, "spec", "template", "metadata", "labels"),
	} {
		for _, label := range jobOwnLabels {
			delete(labels, label)
		}
	}
}

// With several pods or indexes, the Job controller replaces only the failed one.
func (job) TakeOver(obj *unstructured.Unstructured) {
	spec := mapAt(obj.Object, "spec")
	if largest(spec, "completions", "parallelism") == 1 {
		noneOf(spec, "backoffLimit", "backoffLimitPerIndex")
	}
}

func (job) Shapes(obj *unstructured.Unstructured) []Shape {
	return template(mapAt(obj.Object, "spec", "template"))
}

// Pods of an Indexed Job have its name and their index as host name.
func (job) MaxName(obj *unstructured.Unstructured) int {
	spec := mapAt(obj.Object, "spec")
	return min(maxName, maxLabel-indexed(largest(spec, "completions", "parallelism"))-podSuffix)
}

func (job) Fixed() bool { return true }
