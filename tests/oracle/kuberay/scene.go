package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// A scene is a generated case: objects as in a request, and the operator's
// settings.
type scene struct {
	name, namespace, clusterName string
	rayJob                       map[string]any
	// Other objects; nil if they do not exist.
	cluster, submitter, head map[string]any
	// Gate RayJobDeletionPolicy, and the operator's environment.
	deletionPolicy bool
	gracePeriod    *string
}

// ago returns a time near the generated limits, of which `limit` is one.
func ago(random *rand.Rand, limit int) string {
	return cases.At(-time.Duration(limit+cases.Pick(random, -30, -2, -1, 0, 1, 2, 30, 4000)) * time.Second)
}

func newScene(random *rand.Rand, number int) scene {
	made := scene{
		name: fmt.Sprintf("rj-%d", number), namespace: cases.Pick(random, "default", "ml"),
		deletionPolicy: cases.Chance(random, 4),
	}
	if cases.Chance(random, 8) {
		seconds := cases.Pick(random, "10", "900", "0", "-5", "", "abc", "+7", "1e3", " 5")
		made.gracePeriod = &seconds
	}
	if cases.Chance(random, 80) {
		made.name = cases.Pick(random, "1-starts-with-a-digit", "a-name-that-is-longer-than-the-operator-allows-for-a-rayjob")
	}
	made.clusterName = made.name + "-abcde"
	spec := rayJobSpec(random, &made)
	metadata := map[string]any{"name": made.name, "namespace": made.namespace, "uid": fmt.Sprintf("u%d", number),
		"finalizers": []any{"ray.io/rayjob-finalizer"}}
	if cases.Chance(random, 40) {
		metadata["deletionTimestamp"] = cases.At(-5 * time.Second)
	}
	status := rayJobStatus(random, made, spec)
	made.rayJob = map[string]any{
		"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": metadata, "spec": spec, "status": status}
	if status["rayClusterName"] == nil {
		return made
	}
	clusterStatus := map[string]any{}
	if cases.Chance(random, 2) {
		clusterStatus["state"] = cases.Pick(random, "ready", "ready", "failed", "suspended")
	}
	made.cluster = map[string]any{
		"apiVersion": "ray.io/v1", "kind": "RayCluster",
		"metadata": map[string]any{"name": made.clusterName, "namespace": made.namespace, "uid": fmt.Sprintf("c%d", number)},
		"spec":     clusterSpec(random, false), "status": clusterStatus}
	switch spec["submissionMode"] {
	case "K8sJobMode":
		if status["jobDeploymentStatus"] == "Running" && !leftAlone(made.rayJob) {
			made.submitter = submitterJob(random, made)
		}
	case "SidecarMode":
		made.head = headPod(random, made)
	}
	return made
}

// leftAlone returns whether the operator ignores a RayJob.
func leftAlone(rayJob map[string]any) bool {
	manager := rayJob["spec"].(map[string]any)["managedBy"]
	return rayJob["metadata"].(map[string]any)["deletionTimestamp"] != nil ||
		(manager != nil && manager != "ray.io/kuberay-operator")
}

func rayJobSpec(random *rand.Rand, made *scene) map[string]any {
	spec := map[string]any{"entrypoint": "python train.py"}
	modes := []string{"K8sJobMode", "K8sJobMode", "HTTPMode", "InteractiveMode"}
	if release >= "1.5" {
		modes = append(modes, "SidecarMode", "SidecarMode")
	}
	mode := cases.Pick(random, modes...)
	spec["submissionMode"] = mode
	spec["rayClusterSpec"] = clusterSpec(random, cases.Chance(random, 30))
	if cases.Chance(random, 25) {
		made.clusterName = "sel-" + made.name
		spec["clusterSelector"] = map[string]any{"ray.io/cluster": made.clusterName}
	}
	if cases.Chance(random, 2) && (mode != "InteractiveMode" || cases.Chance(random, 10)) {
		spec["backoffLimit"] = cases.Pick(random, 0, 0, 1, 1, 2, 3, 5, 2147483646, 2147483647)
		if cases.Chance(random, 40) {
			spec["backoffLimit"] = -1
		}
	}
	if cases.Chance(random, 3) {
		spec["activeDeadlineSeconds"] = cases.Pick(random, 1, 60, 60, 600, 600, 600, 3600, 3600, 2000000, 2000000)
	}
	if cases.Chance(random, 100) {
		spec["activeDeadlineSeconds"] = cases.Pick(random, 0, -5)
	}
	if cases.Chance(random, 2) {
		spec["shutdownAfterJobFinishes"] = true
		if cases.Chance(random, 3) {
			spec["ttlSecondsAfterFinished"] = cases.Pick(random, 0, 60, 600)
		}
	} else if cases.Chance(random, 30) {
		spec["ttlSecondsAfterFinished"] = cases.Pick(random, -1, 60)
	}
	if cases.Chance(random, 12) && (spec["shutdownAfterJobFinishes"] != nil || cases.Chance(random, 10)) {
		spec["suspend"] = true
	}
	if mode == "K8sJobMode" && cases.Chance(random, 6) {
		spec["submitterConfig"] = map[string]any{"backoffLimit": cases.Pick(random, 0, 1, 2, 6)}
	}
	if mode == "SidecarMode" && cases.Chance(random, 40) {
		spec["submitterConfig"] = map[string]any{"backoffLimit": 1}
	}
	if mode == "InteractiveMode" && cases.Chance(random, 2) {
		spec["jobId"] = "raysubmit_x"
	}
	if cases.Chance(random, 20) {
		spec["managedBy"] = cases.Pick(random, "ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue")
	}
	if cases.Chance(random, 40) {
		spec["runtimeEnvYAML"] = cases.Pick(random, "pip: [numpy]\n", "working_dir: .\n")
	}
	if release >= "1.5" && cases.Chance(random, 12) {
		spec["deletionStrategy"] = deletionStrategy(random)
	}
	return spec
}

func deletionStrategy(random *rand.Rand) map[string]any {
	policy := func(name string) map[string]any { return map[string]any{"policy": name} }
	rule := func(name, status string, seconds int) map[string]any {
		return map[string]any{"policy": name, "condition": map[string]any{"jobStatus": status, "ttlSeconds": seconds}}
	}
	branch := func() map[string]any {
		return policy(cases.Pick(random, "DeleteCluster", "DeleteWorkers", "DeleteSelf", "DeleteNone"))
	}
	switch random.IntN(6) {
	case 0:
		return map[string]any{}
	case 1:
		return map[string]any{"onSuccess": branch()}
	case 2, 3:
		return map[string]any{"onSuccess": branch(), "onFailure": branch()}
	case 4:
		return map[string]any{"deletionRules": []any{
			rule("DeleteWorkers", "FAILED", cases.Pick(random, 0, -1)), rule("DeleteCluster", "FAILED", 5)}}
	default:
		return map[string]any{"deletionRules": []any{
			rule(cases.Pick(random, "DeleteCluster", "DeleteSelf", "DeleteNone"), cases.Pick(random, "FAILED", "SUCCEEDED"), 10)}}
	}
}

// clusterSpec returns a cluster whose head may restart in place, which some
// modes refuse. The operator's other refusals of clusters are not generated.
func clusterSpec(random *rand.Rand, restarts bool) map[string]any {
	pod := func(name string) map[string]any {
		return map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": name, "image": "rayproject/ray:2.46.0"}}}}
	}
	head := map[string]any{"rayStartParams": map[string]any{}, "template": pod("ray-head")}
	spec := map[string]any{"headGroupSpec": head}
	if cases.Chance(random, 2) {
		spec["workerGroupSpecs"] = []any{map[string]any{"groupName": "g", "replicas": 1, "minReplicas": 0, "maxReplicas": 2,
			"rayStartParams": map[string]any{}, "template": pod("ray-worker")}}
	}
	if restarts {
		head["template"].(map[string]any)["spec"].(map[string]any)["restartPolicy"] = "Always"
	}
	return spec
}
