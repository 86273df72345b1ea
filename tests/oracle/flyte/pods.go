package main

import (
	"math/rand/v2"
	"time"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

type object = map[string]any

var messages = []string{
	"", "", "x|y", "\ttab\r\n", "%s %d %!v", "100% of <node> & \"quotes\" \\ back\\slash",
	"Back-off pulling image \"ghcr.io/x:y\"", "failed to pull: 429 Too Many Requests",
	"0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
	"Pod was terminated in response to imminent node shutdown.", "größer als ✓",
}

var podReasons = []string{
	"", "", "", "Shutdown", "Terminated", "NodeShutdown", "NodeAffinity", "Evicted", "Preempting",
	"NodeLost", "OutOfcpu", "OutOfmemory", "UnexpectedAdmissionError", "DeadlineExceeded", "UnknownError",
	"Interrupted", "Error", "shutdown", "NodeShutdown ", "TopologyAffinityError", "TerminationByKubelet",
	"PreemptionByScheduler", "OOMKilled", "UnexpectedPodEvicted",
}

var endReasons = []string{
	"", "Error", "Error", "OOMKilled", "oomkilled", "InitOOMKilled2", "Completed", "ContainerCannotRun",
	"StartError", "DeadlineExceeded", "Evicted", "ContainerStatusUnknown", "UnknownError",
}

var exitCodes = []int{0, 0, 1, 1, 2, 9, 126, 127, 128, 134, 137, 137, 137, 139, 143, 241, 247, 255, 256, -1, -9, -15}

var waitingReasons = []string{
	"", "ErrImagePull", "ImagePullBackOff", "ImagePullBackOff", "ContainerCreating", "PodInitializing",
	"CreateContainerError", "CreateContainerConfigError", "InvalidImageName", "CrashLoopBackOff",
	"RunContainerError", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "PostStartHookError",
	"imagepullbackoff", "StartError", "CreatePodSandboxError",
}

// before returns the time `age` before Now, in Kubernetes' format.
func before(age time.Duration) string { return cases.At(-age) }

// age returns a random age near the configured durations.
func age(random *rand.Rand) time.Duration {
	near := cases.Pick(random, -time.Second, 0, 0, time.Second, time.Minute)
	return max(0, cases.Pick(random, durations...)+near).Truncate(time.Second)
}

// maybe sets a member or leaves it out.
func maybe(random *rand.Rand, into object, name string, value any) {
	if !cases.Chance(random, 4) {
		into[name] = value
	}
}

func terminated(random *rand.Rand) object {
	state := object{"exitCode": cases.Pick(random, exitCodes...)}
	maybe(random, state, "reason", cases.Pick(random, endReasons...))
	maybe(random, state, "message", cases.Pick(random, messages...))
	maybe(random, state, "finishedAt", before(age(random)))
	if cases.Chance(random, 6) {
		state["signal"] = cases.Pick(random, 9, 15)
	}
	return object{"terminated": state}
}

func waiting(random *rand.Rand) object {
	state := object{}
	maybe(random, state, "reason", cases.Pick(random, waitingReasons...))
	maybe(random, state, "message", cases.Pick(random, messages...))
	return object{"waiting": state}
}

// containerState is more often terminated if the pod has ended.
func containerState(random *rand.Rand, phase string) object {
	running := object{"running": object{"startedAt": before(age(random))}}
	switch {
	case cases.Chance(random, 12):
		return object{}
	case phase == "Pending" && !cases.Chance(random, 4):
		return waiting(random)
	case phase != "Pending" && !cases.Chance(random, 3):
		return terminated(random)
	}
	return cases.Pick(random, running, waiting(random), terminated(random))
}

func containerStatuses(random *rand.Rand, phase string, names ...string) []any {
	var statuses []any
	for _, name := range names {
		if cases.Chance(random, 10) {
			continue
		}
		status := object{
			"name": name, "image": "i", "imageID": "", "ready": cases.Chance(random, 6),
			"restartCount": random.IntN(4), "state": containerState(random, phase),
		}
		if cases.Chance(random, 4) {
			status["lastState"] = terminated(random)
		}
		statuses = append(statuses, status)
	}
	random.Shuffle(len(statuses), func(i, j int) { statuses[i], statuses[j] = statuses[j], statuses[i] })
	return statuses
}

// conditions returns conditions of a pod. A pending pod has mostly been
// scheduled and waits for its containers.
func conditions(random *rand.Rand, phase string) []any {
	types := []string{"PodScheduled", "Initialized", "Ready", "ContainersReady", "DisruptionTarget",
		"PodReadyToStartContainers", "Unschedulable"}
	random.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	var made []any
	for _, name := range types {
		awaited := name == "Ready" && phase == "Pending"
		if !awaited && cases.Chance(random, 2) || name == "Unschedulable" && !cases.Chance(random, 8) {
			continue
		}
		condition := object{"type": name, "status": cases.Pick(random, "True", "False", "False", "Unknown")}
		if name == "PodScheduled" && !cases.Chance(random, 6) {
			condition["status"] = "True"
		} else if awaited && !cases.Chance(random, 6) {
			condition["status"] = "False"
		}
		maybe(random, condition, "reason",
			cases.Pick(random, "", "ContainersNotReady", "Unschedulable", "PodCompleted", "SchedulingGated"))
		maybe(random, condition, "message", cases.Pick(random, messages...))
		maybe(random, condition, "lastTransitionTime", before(age(random)))
		made = append(made, condition)
	}
	return made
}

// metadata returns metadata of a Flyte task's object.
func metadata(random *rand.Rand, name string) object {
	made := object{
		"name": name, "namespace": cases.Pick(random, "ml", "flytesnacks-development"), "uid": "uid-" + name,
		"labels": object{"execution-id": "e", "node-id": "n0", "interruptible": cases.Pick(random, "true", "false")},
	}
	maybe(random, made, "creationTimestamp", before(age(random)))
	return made
}

// makePod makes the pod of a container task, which failed or may fail.
func makePod(random *rand.Rand, name string) subject {
	phase := cases.Pick(random, "Failed", "Failed", "Failed", "Failed", "Failed", "Failed", "Pending", "Pending",
		"Pending", "Pending", "Pending", "Pending", "Running", "Running", "Running", "Running", "Succeeded",
		"Unknown", "", "Unschedulable")
	containers := []string{"main", "side", "istio-proxy"}[:1+random.IntN(3)]
	inits := []string{"init", "copilot"}[:random.IntN(3)]
	meta := metadata(random, name)
	if !cases.Chance(random, 3) {
		meta["annotations"] = object{
			"primary_container_name": cases.Pick(random, "main", "main", "main", "main", "main", "side", "", "absent"),
		}
	}
	status := object{
		"containerStatuses":     containerStatuses(random, phase, containers...),
		"initContainerStatuses": containerStatuses(random, phase, inits...),
		"conditions":            conditions(random, phase),
	}
	if phase != "" {
		status["phase"] = phase
	}
	if cases.Chance(random, 8) {
		status["ephemeralContainerStatuses"] = containerStatuses(random, phase, "debug")
	}
	maybe(random, status, "reason", cases.Pick(random, podReasons...))
	maybe(random, status, "message", cases.Pick(random, messages...))
	maybe(random, status, "startTime", before(age(random)))
	return subject{plugin: "pod", member: "pods", object: object{
		"apiVersion": "v1", "kind": "Pod", "metadata": meta,
		"spec":   object{"containers": named(containers), "initContainers": named(inits)},
		"status": status,
	}}
}

func named(names []string) []any {
	var containers []any
	for _, name := range names {
		containers = append(containers, object{"name": name, "image": "i"})
	}
	return containers
}
