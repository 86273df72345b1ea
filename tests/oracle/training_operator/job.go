package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

// A job is a generated case: an object of kubeflow.org/v1 as in the request,
// and its pods.
type job struct {
	kind     kind
	object   map[string]any
	replicas []replica
	pods     []*corev1.Pod
	// Another controller manages it.
	skipped bool
}

// A replica is one type of replica of a job.
type replica struct {
	name   string
	count  int
	policy string
}

func newJob(random *rand.Rand, number int) job {
	made := job{kind: pickKind(random)}
	name := fmt.Sprintf("job-%d", number)
	metadata := map[string]any{
		"name": name, "namespace": cases.Pick(random, "default", "ml"), "uid": fmt.Sprintf("u%d", number)}
	made.replicas = newReplicas(random, made.kind)
	policy, skipped := runPolicy(random, made.kind)
	made.skipped = skipped
	spec := map[string]any{"runPolicy": policy, made.kind.replicas: replicaSpecs(made.kind, made.replicas)}
	switch made.kind.name {
	case "PyTorchJob":
		if cases.Chance(random, 8) && len(made.replicas) > 0 && made.replicas[len(made.replicas)-1].name == "Worker" {
			spec["elasticPolicy"] = map[string]any{
				"minReplicas": 1, "maxReplicas": 4, "rdzvBackend": "c10d", "maxRestarts": 3}
		}
	case "TFJob":
		if cases.Chance(random, 4) {
			spec["successPolicy"] = cases.Pick(random, "", "AllWorkers")
		}
		if cases.Chance(random, 6) {
			spec["enableDynamicWorker"] = true
		}
	}
	made.object = map[string]any{
		"apiVersion": "kubeflow.org/v1", "kind": made.kind.name, "metadata": metadata, "spec": spec,
		"status": status(random, made, name)}
	made.pods = pods(random, made)
	return made
}

func pickKind(random *rand.Rand) kind {
	if !cases.Chance(random, 4) {
		return kinds[random.IntN(2)]
	}
	return kinds[random.IntN(len(kinds))]
}

func newReplicas(random *rand.Rand, kind kind) []replica {
	var made []replica
	for _, name := range cases.Pick(random, kind.types...) {
		count := cases.Pick(random, 1, 1, 2, 3)
		if name == "Master" || name == "Chief" || name == "Launcher" {
			count = 1
		}
		policy := cases.Pick(random, "Never", "OnFailure", "Always", "ExitCode", "ExitCode", "")
		made = append(made, replica{name, count, policy})
	}
	return made
}

func replicaSpecs(kind kind, replicas []replica) map[string]any {
	specs := map[string]any{}
	for _, replica := range replicas {
		spec := map[string]any{"template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": kind.container, "image": "i"}}}}}
		if replica.count != 1 || replica.name != "Worker" {
			spec["replicas"] = replica.count
		}
		if replica.policy != "" {
			spec["restartPolicy"] = replica.policy
		}
		specs[replica.name] = spec
	}
	return specs
}

// runPolicy returns the policy, and whether another controller manages the job.
func runPolicy(random *rand.Rand, kind kind) (map[string]any, bool) {
	policy := map[string]any{}
	if cases.Chance(random, 3) {
		policy["backoffLimit"] = cases.Pick(random, 0, 1, 2, 3, 4, 6, 2147483647, -1)
	}
	if cases.Chance(random, 4) {
		policy["activeDeadlineSeconds"] = cases.Pick(random, 60, 600, 3600, 0, -1)
	}
	if cases.Chance(random, 3) {
		policy["cleanPodPolicy"] = cases.Pick(random, "All", "None", "Running")
	}
	if cases.Chance(random, 9) {
		policy["suspend"] = !cases.Chance(random, 5)
	}
	if cases.Chance(random, 12) {
		policy["ttlSecondsAfterFinished"] = cases.Pick(random, 3600, 86400)
	}
	if release == "" && cases.Chance(random, 50) {
		policy["managedBy"] = cases.Pick(random, "kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
		return policy, policy["managedBy"] != "kubeflow.org/training-operator"
	}
	return policy, false
}

func condition(kind, name, state, reason, message string) map[string]any {
	return map[string]any{"type": name, "status": state, "reason": reason, "message": message,
		"lastUpdateTime": cases.At(-50 * time.Second), "lastTransitionTime": cases.At(-50 * time.Second)}
}

// status returns a status that earlier passes may have left.
func status(random *rand.Rand, made job, name string) map[string]any {
	kind := made.kind.name
	say := func(what, state, reason, message string) map[string]any {
		return condition(kind, what, state, kind+reason, message)
	}
	conditions := []any{say("Created", "True", "Created", fmt.Sprintf("%s %s is created.", kind, name))}
	running := func(state string) map[string]any {
		return say("Running", state, "Running", fmt.Sprintf("%s %s is running.", kind, name))
	}
	left := map[string]any{}
	switch random.IntN(16) {
	case 0, 1, 2:
	case 3, 4, 5, 6, 7, 8:
		conditions = append(conditions, running("True"))
	case 9, 10:
		conditions = append(conditions, say("Restarting", "True", "Restarting",
			fmt.Sprintf("%s %s is restarting because 1 Worker replica(s) failed.", kind, name)))
	case 11:
		conditions = append(conditions, say("Running", "False", "Suspended", kind+" "+name+" is suspended."),
			say("Suspended", "True", "Suspended", kind+" "+name+" is suspended."))
	case 12:
		conditions = append(conditions, say("Suspended", "False", "Resumed", kind+" "+name+" is resumed."), running("True"))
	case 13, 14, 15:
		conditions = append(conditions, running("False"),
			say(cases.Pick(random, "Succeeded", "Failed"), "True", "Done", "over"))
		if !cases.Chance(random, 6) {
			left["completionTime"] = cases.At(-10 * time.Second)
		}
	}
	left["conditions"] = conditions
	if !cases.Chance(random, 4) {
		left["startTime"] = cases.At(-time.Duration(cases.Pick(random, 59, 60, 61, 599, 600, 601, 3599, 3600, 100000)) * time.Second)
	}
	// An MPIJob's first pass does not count: the case asks about the next one.
	if made.kind.name == "MPIJob" || cases.Chance(random, 2) {
		counts := map[string]any{}
		for _, replica := range made.replicas {
			count := map[string]any{"active": cases.Pick(random, 0, 1, replica.count)}
			if cases.Chance(random, 3) {
				count["failed"] = random.IntN(3)
			}
			counts[replica.name] = count
		}
		left["replicaStatuses"] = counts
	}
	return left
}

// operatorName is the value of the label that the operator selects pods by.
func operatorName(kind kind) string { return strings.ToLower(kind.name) + "-controller" }
