package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

// A scene is a generated case: the TrainJob and its JobSet as in a request, and
// how creating the objects fails.
type scene struct {
	name, namespace string
	trainJob        map[string]any
	jobSet          map[string]any
	// The runtime that the TrainJob refers to exists.
	runtimeExists bool
	// The API server's answer when the JobSet is applied; nil: it accepts it.
	refusal *apierrors.StatusError
}

func newScene(random *rand.Rand, number int) scene {
	made := scene{
		name: fmt.Sprintf("tj-%d", number), namespace: cases.Pick(random, "default", "ml"),
		runtimeExists: !cases.Chance(random, 8),
	}
	uid := fmt.Sprintf("u%d", number)
	spec := map[string]any{"runtimeRef": map[string]any{
		"apiGroup": "trainer.kubeflow.org",
		"kind":     cases.Pick(random, "ClusterTrainingRuntime", "TrainingRuntime"), "name": "torch"}}
	switch {
	case cases.Chance(random, 5):
		spec["suspend"] = true
	case cases.Chance(random, 5):
		spec["suspend"] = false
	}
	if cases.Chance(random, 12) {
		spec["managedBy"] = cases.Pick(random, "trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue")
	}
	if cases.Chance(random, 3) {
		spec["trainer"] = map[string]any{"numNodes": cases.Pick(random, 1, 2, 8)}
	}
	metadata := map[string]any{"name": made.name, "namespace": made.namespace, "uid": uid,
		"creationTimestamp": cases.At(-time.Hour)}
	made.trainJob = map[string]any{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
		"metadata": metadata, "spec": spec}
	if conditions := trainJobConditions(random); conditions != nil {
		made.trainJob["status"] = map[string]any{"conditions": conditions}
	}
	if !cases.Chance(random, 4) {
		made.jobSet = jobSet(random, made, uid)
	}
	if cases.Chance(random, 4) {
		made.refusal = refusal(random, made.name)
	}
	return made
}

func condition(kind, state, reason, message string) map[string]any {
	return map[string]any{"type": kind, "status": state, "reason": reason, "message": message,
		"lastTransitionTime": cases.At(-50 * time.Second)}
}

// trainJobConditions returns conditions that earlier passes may have left.
func trainJobConditions(random *rand.Rand) []any {
	switch random.IntN(10) {
	case 0:
		return []any{condition("Suspended", "True", "Suspended", "TrainJob is suspended")}
	case 1:
		return []any{condition("Suspended", "False", "Resumed", "TrainJob is resumed")}
	case 2:
		return []any{condition("Complete", "True", "AllJobsCompleted", "jobset completed successfully")}
	case 3:
		return []any{condition("Failed", "True", "FailedJobs", "jobset failed due to one or more job failures")}
	case 4:
		return []any{condition("Suspended", "False", "Resumed", "TrainJob is resumed"),
			condition("Failed", "True", "ReachedMaxRestarts", "jobset failed due to reaching max number of restarts")}
	case 5:
		return []any{condition("Failed", "False", "Recovered", "it goes on")}
	default:
		return nil
	}
}

func jobSet(random *rand.Rand, made scene, uid string) map[string]any {
	spec := map[string]any{"replicatedJobs": []any{map[string]any{"name": "node", "replicas": 1,
		"template": map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": "node", "image": "i"}}}}}}}}}
	if cases.Chance(random, 4) {
		spec["suspend"] = !cases.Chance(random, 3)
	}
	if cases.Chance(random, 3) {
		spec["failurePolicy"] = map[string]any{"maxRestarts": cases.Pick(random, 0, 1, 3)}
	}
	status := map[string]any{}
	switch random.IntN(8) {
	case 0, 1:
		status["conditions"] = []any{condition("Failed", "True",
			cases.Pick(random, "FailedJobs", "ReachedMaxRestarts", "FailJobSetFailurePolicyAction"),
			cases.Pick(random, "jobset failed due to one or more job failures (first failed job: "+made.name+"-node-0)",
				"jobset failed due to reaching max number of restarts", ""))}
	case 2:
		status["conditions"] = []any{condition("Completed", "True", "AllJobsCompleted", "jobset completed successfully")}
	case 3:
		status["conditions"] = []any{
			condition("Failed", "False", "FailedJobs", "not yet"), condition("Completed", "False", "Running", "")}
	case 4:
		status["conditions"] = []any{condition("Suspended", "True", "SuspendedJobs", "jobset is suspended")}
	case 5:
		// Both: the operator decides which one counts.
		status["conditions"] = []any{condition("Failed", "True", "FailedJobs", "jobset failed"),
			condition("Completed", "True", "AllJobsCompleted", "jobset completed successfully")}
	}
	if cases.Chance(random, 2) {
		status["restarts"] = cases.Pick(random, 1, 2)
	}
	return map[string]any{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
		"metadata": map[string]any{"name": made.name, "namespace": made.namespace, "uid": "js" + uid,
			"ownerReferences": []any{map[string]any{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob",
				"name": made.name, "uid": uid, "controller": true}}},
		"spec": spec, "status": status}
}

func refusal(random *rand.Rand, name string) *apierrors.StatusError {
	resource := schema.GroupResource{Group: "jobset.x-k8s.io", Resource: "jobsets"}
	long := strings.Repeat(cases.Pick(random, "x", "ü", "long "), cases.Pick(random, 100, 460, 900, 951, 2000))
	switch random.IntN(5) {
	case 0:
		return apierrors.NewForbidden(resource, name, errors.New("exceeded quota: team"))
	case 1:
		return apierrors.NewInternalError(errors.New("failed calling webhook \"mjobset.kb.io\": " + long))
	case 2:
		return apierrors.NewBadRequest("admission webhook denied the request: " + long)
	case 3:
		return apierrors.NewTooManyRequests("slow down", 1)
	default:
		return apierrors.NewTimeoutError("etcd is slow", 1)
	}
}
