package kinds

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// jobSet is jobset.x-k8s.io JobSet. Its own restarts happen inside the object; it
// has failed when they are used up.
type jobSet struct{ prompt }

func (jobSet) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("JobSet")
}

func (jobSet) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Completed")
}

// A JobSet restarts as a whole, but for the pods that its Jobs replace.
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

// Its webhook refuses what would give a pod too long a name: that of the JobSet, of the
// replicated Job, two indexes and what is random.
func (jobSet) MaxName(obj *unstructured.Unstructured) int {
	longest := 0
	for _, replicated := range mapsAt(obj.Object, "spec", "replicatedJobs") {
		name, _ := replicated["name"].(string)
		pods := largest(mapAt(replicated, "template", "spec"), "completions", "parallelism")
		longest = max(longest, 1+len(name)+indexed(largest(replicated, "replicas"))+indexed(pods))
	}
	return min(maxName, maxLabel-longest-podSuffix)
}
