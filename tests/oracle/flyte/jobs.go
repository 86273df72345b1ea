package main

import (
	"math/rand/v2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// makeKubeflowJob makes a job of the training operator.
func makeKubeflowJob(random *rand.Rand, name string) subject {
	kind := cases.Pick(random,
		[2]string{"PyTorchJob", "pytorch"}, [2]string{"TFJob", "tensorflow"}, [2]string{"MPIJob", "mpi"})
	meta := metadata(random, name)
	policy := object{}
	if cases.Chance(random, 3) {
		policy["suspend"] = cases.Pick(random, true, true, false)
	}
	status := object{}
	if conditions := jobConditions(random); conditions != nil {
		status["conditions"] = conditions
	}
	maybe(random, status, "startTime", before(age(random)))
	return subject{plugin: kind[1], member: "kubeflowJob", object: object{
		"apiVersion": "kubeflow.org/v1", "kind": kind[0], "metadata": meta,
		"spec": object{"runPolicy": policy}, "status": status,
	}}
}

func jobConditions(random *rand.Rand) []any {
	types := []string{"Created", "Running", "Restarting", "Succeeded", "Suspended", "Failed", "Failed", "Strange"}
	var made []any
	for range random.IntN(5) {
		condition := object{
			"type":   cases.Pick(random, types...),
			"status": cases.Pick(random, "True", "True", "False", "Unknown"),
		}
		maybe(random, condition, "reason", cases.Pick(random, "", "PyTorchJobFailed", "JobSuspended", "x"))
		maybe(random, condition, "message", cases.Pick(random, messages...))
		maybe(random, condition, "lastUpdateTime", before(age(random)))
		maybe(random, condition, "lastTransitionTime", before(age(random)))
		made = append(made, condition)
	}
	return made
}

// makeRayJob makes a RayJob of KubeRay.
func makeRayJob(random *rand.Rand, name string) subject {
	status := object{}
	maybe(random, status, "jobDeploymentStatus", cases.Pick(random, "", "Initializing", "Running", "Complete",
		"Failed", "Failed", "Failed", "Suspended", "Suspending", "Retrying", "Waiting", "ValidationFailed", "New"))
	maybe(random, status, "jobStatus", cases.Pick(random, "", "PENDING", "RUNNING", "STOPPED", "SUCCEEDED", "FAILED"))
	maybe(random, status, "reason", cases.Pick(random, "", "AppFailed", "DeadlineExceeded", "SubmissionFailed",
		"JobDeploymentStatusTransitionGracePeriodExceeded"))
	maybe(random, status, "message", cases.Pick(random, messages...))
	maybe(random, status, "rayClusterName", cases.Pick(random, "", name+"-raycluster-x"))
	maybe(random, status, "startTime", before(age(random)))
	return subject{plugin: "ray", member: "rayJob", object: object{
		"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": metadata(random, name),
		"spec": object{"rayClusterSpec": object{}}, "status": status,
	}}
}
