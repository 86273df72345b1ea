package kinds

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// jobSet is jobset.x-k8s.io JobSet. It restarts inside the object, and has failed when
// its restarts are used up.
type jobSet struct{ prompt }

func (jobSet) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("JobSet")
}

func (jobSet) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Completed")
}

// A JobSet restarts as a whole, except for pods that its Jobs replace.
func (jobSet) TakeOver(obj *unstructured.Unstructured) {
	noneOf(mapAt(obj.Object, "spec", "failurePolicy"), "maxRestarts")
}

func (jobSet) Shapes(obj *unstructured.Unstructured) []Shape {
	var shapes []Shape
	for _, replicated := range mapsAt(obj.Object, "spec", "replicatedJobs") {
		shapes = append(shapes, template(mapAt(replicated, "template", "spec", "template"))...)
	}
	return shapes
}

// JobSet's webhook refuses names that make a pod's name too long: the JobSet's, the
// replicated Job's, two indexes and a random suffix.
func (jobSet) MaxName(obj *unstructured.Unstructured) int {
	longest := 0
	for _, replicated := range mapsAt(obj.Object, "spec", "replicatedJobs") {
		name, _ := replicated["name"].(string)
		pods := largest(mapAt(replicated, "template", "spec"), "completions", "parallelism")
		longest = max(longest, 1+len(name)+indexed(largest(replicated, "replicas"))+indexed(pods))
	}
	return min(maxName, maxLabel-longest-podSuffix)
}
