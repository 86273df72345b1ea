package kinds

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// trainJob is trainer.kubeflow.org TrainJob. A runtime describes its pods. The object
// itself can only override the trainer's resources and the placement.
type trainJob struct{ ordinary }

// The runtimes' name for the Job of the training nodes.
const trainerJobName = "node"

func (trainJob) GroupVersionKind() schema.GroupVersionKind {
	return reportkinds.Named("TrainJob")
}

func (trainJob) Outcome(obj *unstructured.Unstructured) Outcome {
	return conditionOutcome(obj, "Failed", "Complete")
}

// If Trainer cannot build the JobSet, which is named like its TrainJob, only an Event
// says so.
func (trainJob) Begun(ctx context.Context, reader client.Reader, obj *unstructured.Unstructured) (bool, error) {
	if suspended, _, _ := unstructured.NestedBool(obj.Object, "spec", "suspend"); suspended {
		return true, nil
	}
	set := &unstructured.Unstructured{}
	set.SetGroupVersionKind(jobSet{}.GroupVersionKind())
	err := reader.Get(ctx, client.ObjectKeyFromObject(obj), set)
	return err == nil, client.IgnoreNotFound(err)
}

// Shapes adds overrides for the training nodes; an empty override changes nothing.
// Trainer 2.0 has podSpecOverrides, without affinity, 2.1 has podTemplateOverrides,
// with affinity, and 2.3 has runtimePatches in its place. The API server drops the fields
// that it does not know.
func (trainJob) Shapes(obj *unstructured.Unstructured) []Shape {
	spec := mapAt(obj.Object, "spec")
	if spec == nil {
		return nil
	}
	grow := func(change Change) bool {
		return growResources(mapAt(spec, "trainer", "resourcesPerNode"), change)
	}
	none := func(Change) bool { return false }
	template := trainerOverride(spec, "podTemplateOverrides")
	if mapAt(template, "spec") == nil {
		template["spec"] = map[string]any{}
	}
	return []Shape{
		{Pod: trainerOverride(spec, "podSpecOverrides"), Grow: grow},
		{Pod: mapAt(template, "spec"), Grow: none},
		{Pod: trainerPatch(spec), Grow: none},
	}
}

func trainerOverride(spec map[string]any, field string) map[string]any {
	for _, override := range mapsAt(spec, field) {
		targets := mapsAt(override, "targetJobs")
		if len(targets) == 1 && targets[0]["name"] == trainerJobName {
			return override
		}
	}
	override := map[string]any{"targetJobs": []any{map[string]any{"name": trainerJobName}}}
	overrides, _ := spec[field].([]any)
	spec[field] = append(overrides, override)
	return override
}

// The owner of our entry in spec.runtimePatches: there is one an owner, and Kueue's is its own.
const patchManager = "mulligan.dev/retry"

// trainerPatch returns the pod of the training nodes in our own patch.
func trainerPatch(spec map[string]any) map[string]any {
	others, _ := spec["runtimePatches"].([]any)
	others = slices.DeleteFunc(slices.Clone(others), func(entry any) bool {
		patch, _ := entry.(map[string]any)
		return patch["manager"] == patchManager
	})
	pod := map[string]any{}
	for _, patch := range mapsAt(spec, "runtimePatches") {
		jobs := mapsAt(patch, "trainingRuntimeSpec", "template", "spec", "replicatedJobs")
		if patch["manager"] != patchManager || len(jobs) == 0 {
			continue
		}
		if there := mapAt(jobs[0], "template", "spec", "template", "spec"); there != nil {
			pod = there
		}
	}
	under := func(key string, value any) map[string]any { return map[string]any{key: value} }
	job := map[string]any{"name": trainerJobName, "template": under("spec", under("template", under("spec", pod)))}
	spec["runtimePatches"] = append(others, map[string]any{
		"manager":             patchManager,
		"trainingRuntimeSpec": under("template", under("spec", under("replicatedJobs", []any{job}))),
	})
	return pod
}

// The longest name of a replicated Job in Trainer's runtimes. Trainer names the JobSet
// after the TrainJob.
const longestRuntimeJob = "dataset-initializer"

func (trainJob) MaxName(obj *unstructured.Unstructured) int {
	nodes := largest(mapAt(obj.Object, "spec", "trainer"), "numNodes")
	return min(maxName, maxLabel-1-len(longestRuntimeJob)-indexed(1)-indexed(nodes)-podSuffix)
}
