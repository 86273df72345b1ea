package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

var exitCodes = []int32{
	0, 0, 0, 1, 1, 1, 2, 126, 127, 128, 129, 130, 134, 137, 137, 137, 138, 139, 143, 255, -1, 48879}

// pods of a job: most positions are filled, some empty, a few twice or beyond
// the wanted number (a job that was scaled down).
func pods(random *rand.Rand, made job) []*corev1.Pod {
	var all []*corev1.Pod
	for _, replica := range made.replicas {
		places := replica.count
		if cases.Chance(random, 25) && made.kind.name != "MPIJob" {
			places++
		}
		for index := range places {
			// An MPIJob without one of its workers ends the pass with an error. The case
			// asks about the next one, with the worker.
			if made.kind.name != "MPIJob" && cases.Chance(random, 12) {
				continue
			}
			all = append(all, pod(random, made, replica, index, ""))
			if cases.Chance(random, 40) && made.kind.name != "MPIJob" {
				all = append(all, pod(random, made, replica, index, "-again"))
			}
		}
	}
	return all
}

func pod(random *rand.Rand, made job, replica replica, index int, suffix string) *corev1.Pod {
	metadata := made.object["metadata"].(map[string]any)
	name, uid := metadata["name"].(string), metadata["uid"].(string)
	controller := true
	kind := strings.ToLower(replica.name)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%s-%d%s", name, kind, index, suffix), Namespace: metadata["namespace"].(string),
			UID: types.UID(fmt.Sprintf("p%s-%s-%d%s", uid, replica.name, index, suffix)),
			Labels: map[string]string{
				"training.kubeflow.org/job-name":      name,
				"training.kubeflow.org/operator-name": operatorName(made.kind),
				"training.kubeflow.org/replica-type":  kind,
				"training.kubeflow.org/replica-index": strconv.Itoa(index)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "kubeflow.org/v1", Kind: made.kind.name, Name: name, UID: types.UID(uid),
				Controller: &controller}}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: made.kind.container, Image: "i"}}},
	}
	if made.kind.name == "MPIJob" && replica.name == "Launcher" {
		pod.Name = name + "-launcher"
	}
	if cases.Chance(random, 8) {
		deleted := metav1.NewTime(cases.Now.Add(time.Duration(random.IntN(130)-100) * time.Second))
		pod.DeletionTimestamp = &deleted
	}
	pod.Status = podStatus(random, made.kind.container)
	return pod
}

func podStatus(random *rand.Rand, container string) corev1.PodStatus {
	status := corev1.PodStatus{Phase: cases.Pick(random,
		corev1.PodFailed, corev1.PodFailed, corev1.PodFailed, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning,
		corev1.PodRunning, corev1.PodPending, corev1.PodSucceeded, corev1.PodUnknown)}
	if status.Phase == corev1.PodFailed && cases.Chance(random, 6) {
		// Evicted or lost: no container has an exit code.
		status.Reason = cases.Pick(random, "Evicted", "NodeLost", "Shutdown")
		return status
	}
	main := corev1.ContainerStatus{
		Name: container, RestartCount: int32(cases.Pick(random, 0, 0, 0, 0, 1, 2, 3)), State: state(random, status.Phase)}
	main.Ready = main.State.Running != nil
	status.ContainerStatuses = []corev1.ContainerStatus{main}
	if cases.Chance(random, 6) {
		sidecar := corev1.ContainerStatus{Name: "sidecar", RestartCount: int32(random.IntN(2))}
		if cases.Chance(random, 2) {
			sidecar.State.Running = &corev1.ContainerStateRunning{}
		} else {
			sidecar.State.Terminated = &corev1.ContainerStateTerminated{
				ExitCode: cases.Pick[int32](random, 0, 1, 137), Reason: "Error"}
		}
		status.ContainerStatuses = append(status.ContainerStatuses, sidecar)
		if cases.Chance(random, 2) {
			status.ContainerStatuses[0], status.ContainerStatuses[1] = sidecar, main
		}
	}
	if cases.Chance(random, 12) {
		status.InitContainerStatuses = []corev1.ContainerStatus{{
			Name: "init", Ready: true, RestartCount: int32(random.IntN(3)),
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}}}
	}
	return status
}

func state(random *rand.Rand, phase corev1.PodPhase) corev1.ContainerState {
	switch phase {
	case corev1.PodRunning:
		if cases.Chance(random, 8) {
			return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		}
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{
			StartedAt: metav1.NewTime(cases.Now.Add(-30 * time.Second))}}
	case corev1.PodFailed, corev1.PodSucceeded:
		code := cases.Pick(random, exitCodes...)
		if phase == corev1.PodSucceeded && !cases.Chance(random, 8) {
			code = 0
		}
		reason := "Error"
		if code == 0 {
			reason = "Completed"
		}
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, FinishedAt: metav1.NewTime(cases.Now.Add(-5 * time.Second))}}
	default:
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	}
}
