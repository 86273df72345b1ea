package kinds

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// rayJob is ray.io RayJob. KubeRay never leaves the deployment status Failed.
type rayJob struct{ prompt }

func (rayJob) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("RayJob")
}

func (rayJob) Outcome(obj *unstructured.Unstructured) Outcome {
	status := mapAt(obj.Object, "status")
	since := timeOf(status["endTime"])
	switch status["jobDeploymentStatus"] {
	case "Failed", "ValidationFailed":
		return Outcome{Failed, since}
	case "Complete":
		// Releases before 1.2 reported failed jobs as complete, too.
		if status["jobStatus"] == "FAILED" {
			return Outcome{Failed, since}
		}
		return Outcome{Succeeded, since}
	}
	return Outcome{}
}

// Retrying returns whether this version of an object reports how an attempt failed, and
// its operator clears that within a tenth of a second: a RayJob that KubeRay tries again
// (1.6). began is when the attempt began.
func Retrying(obj *unstructured.Unstructured) (began time.Time, retrying bool) {
	status := mapAt(obj.Object, "status")
	if obj.GetKind() != "RayJob" || status["jobDeploymentStatus"] != "Retrying" {
		return time.Time{}, false
	}
	return timeOf(status["startTime"]), true
}

// The first attempt's job id names an existing Ray job.
func (rayJob) Renew(obj *unstructured.Unstructured) {
	unstructured.RemoveNestedField(obj.Object, "spec", "jobId")
}

// Each of KubeRay's retries is another cluster. The submitter's retries repeat the
// submission of the same Ray job.
func (rayJob) TakeOver(obj *unstructured.Unstructured) {
	noneOf(mapAt(obj.Object, "spec"), "backoffLimit")
}

func (rayJob) Shapes(obj *unstructured.Unstructured) []Shape {
	cluster := mapAt(obj.Object, "spec", "rayClusterSpec")
	shapes := template(mapAt(cluster, "headGroupSpec", "template"))
	for _, group := range mapsAt(cluster, "workerGroupSpecs") {
		shapes = append(shapes, template(mapAt(group, "template"))...)
	}
	return append(shapes, template(mapAt(obj.Object, "spec", "submitterPodTemplate"))...)
}

// KubeRay refuses to suspend jobs that keep their cluster or use another one.
func (rayJob) SuspendField(obj *unstructured.Unstructured) []string {
	spec := mapAt(obj.Object, "spec")
	if spec["shutdownAfterJobFinishes"] != true || mapAt(spec, "clusterSelector") != nil {
		return nil
	}
	return []string{"spec", "suspend"}
}

// KubeRay deletes the cluster of an attempt before it makes the next one by itself, and
// leaves it when it has given up, unless the spec says otherwise.
func (rayJob) Keeps(obj *unstructured.Unstructured) string {
	spec := mapAt(obj.Object, "spec")
	if spec["shutdownAfterJobFinishes"] == true || mapAt(spec, "clusterSelector") != nil || mapAt(spec, "deletionStrategy") != nil {
		return ""
	}
	return "Its RayCluster keeps running and holds its devices during the next attempt, because spec.shutdownAfterJobFinishes is not true: delete the RayJob, or its RayCluster, to free them."
}
