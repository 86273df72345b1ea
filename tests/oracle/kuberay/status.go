package main

import (
	"math/rand/v2"
	"time"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// rayJobStatus returns a status that earlier passes may have left.
func rayJobStatus(random *rand.Rand, made scene, spec map[string]any) map[string]any {
	state := cases.Pick(random, "", "Initializing", "Initializing", "Running", "Running", "Running", "Running", "Running",
		"Running", "Running", "Retrying", "Failed", "Complete", "Suspending", "Suspended", "Waiting", "ValidationFailed", "Bogus")
	if state == "Waiting" && spec["submissionMode"] != "InteractiveMode" && !cases.Chance(random, 8) {
		state = "Running"
	}
	if spec["clusterSelector"] != nil && (state == "Retrying" || state == "Suspending") {
		// Neither happens to a cluster that is not the RayJob's own.
		state = "Running"
	}
	status := map[string]any{}
	if state == "" {
		return status
	}
	status["jobDeploymentStatus"] = state
	limit := cases.Pick(random, 60, 600, 3600)
	if seconds, ok := spec["activeDeadlineSeconds"].(int); ok && seconds < 100000 {
		limit = seconds
	}
	status["startTime"] = ago(random, limit)
	if cases.Chance(random, 2) {
		status["failed"], status["succeeded"] = random.IntN(5), random.IntN(2)
	}
	gone := state == "Suspended" || ((state == "Suspending" || state == "Retrying") && cases.Chance(random, 3))
	if gone {
		return status
	}
	status["rayClusterName"], status["jobId"] = made.clusterName, made.name+"-fghij"
	if state != "Initializing" || cases.Chance(random, 3) {
		status["dashboardURL"] = made.clusterName + "-head-svc." + made.namespace + ".svc.cluster.local:8265"
	}
	if state == "Initializing" || state == "Waiting" {
		return status
	}
	if cases.Chance(random, 2) {
		status["rayClusterStatus"] = map[string]any{"state": cases.Pick(random, "ready", "ready", "suspended", "failed")}
	}
	if !cases.Chance(random, 6) {
		status["jobStatus"] = cases.Pick(random, "PENDING", "RUNNING", "RUNNING", "SUCCEEDED", "FAILED", "FAILED", "STOPPED")
		status["message"] = cases.Pick(random, "Job finished successfully.", "Job is currently running.",
			"Unexpected error occurred: The actor died because its node has died. ☃",
			"Job entrypoint command failed with exit code 1")
	}
	if job := status["jobStatus"]; job == "SUCCEEDED" || job == "FAILED" || job == "STOPPED" {
		if release >= "1.4" && !cases.Chance(random, 4) {
			status["rayJobInfo"] = map[string]any{"startTime": cases.At(-5 * time.Hour), "endTime": ago(random, cases.Pick(random, 300, 10, 7))}
		}
	}
	switch state {
	case "Failed", "Retrying", "Complete":
		status["endTime"] = cases.At(-20 * time.Second)
		status["reason"] = cases.Pick(random, "AppFailed", "DeadlineExceeded", "SubmissionFailed",
			"JobDeploymentStatusTransitionGracePeriodExceeded", "SomethingElse")
	}
	return status
}

// submitterJob returns the submitting Job, as left by its controller.
func submitterJob(random *rand.Rand, made scene) map[string]any {
	status := map[string]any{}
	ended := func(kind, reason, message string) []any {
		return []any{map[string]any{"type": kind, "status": "True", "reason": reason, "message": message,
			"lastTransitionTime": ago(random, 30)}}
	}
	switch random.IntN(6) {
	case 0, 1:
		status["succeeded"] = 1
		status["conditions"] = ended("Complete", "CompletionsReached", "Reached expected number of succeeded pods")
	case 2, 3:
		status["failed"] = 3
		status["conditions"] = ended("Failed", cases.Pick(random, "BackoffLimitExceeded", "DeadlineExceeded"),
			"Job has reached the specified backoff limit")
	case 4:
		status["active"] = 1
		conditions := ended("Complete", "", "")
		conditions[0].(map[string]any)["status"] = "False"
		status["conditions"] = conditions
	default:
		status["active"] = 1
	}
	return map[string]any{"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{"name": made.name, "namespace": made.namespace},
		"spec": map[string]any{"backoffLimit": 2, "template": map[string]any{"spec": map[string]any{
			"restartPolicy": "Never",
			"containers":    []any{map[string]any{"name": "ray-job-submitter", "image": "rayproject/ray:2.46.0"}}}}},
		"status": status}
}

// headPod returns a head whose second container is the submitter.
func headPod(random *rand.Rand, made scene) map[string]any {
	running := map[string]any{"running": map[string]any{"startedAt": cases.At(-100 * time.Second)}}
	state := running
	if cases.Chance(random, 2) {
		code := cases.Pick(random, 0, 0, 1, 2, 137, 143)
		terminated := map[string]any{"exitCode": code, "finishedAt": ago(random, 30)}
		if reason := cases.Pick(random, "Error", "Error", "OOMKilled", ""); code != 0 && reason != "" {
			terminated["reason"] = reason
		} else if code == 0 {
			terminated["reason"] = "Completed"
		}
		state = map[string]any{"terminated": terminated}
	}
	container := func(name string, state map[string]any) map[string]any {
		return map[string]any{"name": name, "image": "", "imageID": "", "ready": false, "restartCount": 0, "state": state}
	}
	head, submitter := container("ray-head", running), container("ray-job-submitter", state)
	statuses := []any{head, submitter}
	if cases.Chance(random, 8) {
		statuses = []any{head}
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": made.clusterName + "-head", "namespace": made.namespace,
			"labels": map[string]any{"ray.io/cluster": made.clusterName, "ray.io/node-type": "head"}},
		"spec": map[string]any{"restartPolicy": "Never", "containers": []any{
			map[string]any{"name": "ray-head", "image": "i"}, map[string]any{"name": "ray-job-submitter", "image": "i"}}},
		"status": map[string]any{"phase": "Running", "containerStatuses": statuses}}
}
