package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What the kubelet of Kubernetes 1.34 writes into a pod's status. A pod whose containers
// have ended gets its last phase one version later, when nothing in it can run any more.

// beat is the time of a step that is quick on a real node.
const beat = 700 * time.Millisecond

func containerID(name string) string {
	return fmt.Sprintf("containerd://%x", sha256.Sum256([]byte(name+time.Now().String())))
}

// set sets a condition, with the time of its last change.
func set(obj *corev1.Pod, kind corev1.PodConditionType, value bool, reason, message string) {
	status := corev1.ConditionFalse
	if value {
		status, reason, message = corev1.ConditionTrue, "", ""
	}
	condition := corev1.PodCondition{
		Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now(),
		ObservedGeneration: obj.Generation,
	}
	for i := range obj.Status.Conditions {
		if old := &obj.Status.Conditions[i]; old.Type == kind {
			if old.Status == status {
				condition.LastTransitionTime = old.LastTransitionTime
			}
			*old = condition
			return
		}
	}
	obj.Status.Conditions = append(obj.Status.Conditions, condition)
}

// ready sets the conditions that follow from the containers.
func ready(obj *corev1.Pod, reason string) {
	var unready []string
	for _, status := range all(obj) {
		if !status.Ready {
			unready = append(unready, status.Name)
		}
	}
	message := ""
	if reason == "" && len(unready) > 0 {
		reason, message = "ContainersNotReady", fmt.Sprintf("containers with unready status: [%s]", strings.Join(unready, " "))
	}
	set(obj, corev1.PodReady, reason == "", reason, message)
	set(obj, corev1.ContainersReady, reason == "", reason, message)
}

// all returns the statuses of the containers and of the sidecars.
func all(obj *corev1.Pod) []*corev1.ContainerStatus {
	var statuses []*corev1.ContainerStatus
	for i := range obj.Status.InitContainerStatuses {
		statuses = append(statuses, &obj.Status.InitContainerStatuses[i])
	}
	for i := range obj.Status.ContainerStatuses {
		statuses = append(statuses, &obj.Status.ContainerStatuses[i])
	}
	return statuses
}

// waits makes obj a pod that the kubelet has just received.
func waits(obj *corev1.Pod) {
	now, no := metav1.Now(), false
	obj.Status.Phase, obj.Status.StartTime, obj.Status.HostIP = corev1.PodPending, &now, "10.128.0.7"
	begin := func(containers []corev1.Container, reason string) (statuses []corev1.ContainerStatus) {
		for _, container := range containers {
			statuses = append(statuses, corev1.ContainerStatus{
				Name: container.Name, Image: container.Image, Started: &no,
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
			})
		}
		return statuses
	}
	obj.Status.InitContainerStatuses = begin(obj.Spec.InitContainers, "PodInitializing")
	obj.Status.ContainerStatuses = begin(obj.Spec.Containers, "ContainerCreating")
	set(obj, corev1.PodReadyToStartContainers, false, "", "")
	set(obj, corev1.PodInitialized, true, "", "")
	ready(obj, "")
}

// waitsFor makes obj a pod that cannot start.
func waitsFor(obj *corev1.Pod, reason, message string) {
	set(obj, corev1.PodReadyToStartContainers, true, "", "")
	for _, status := range all(obj) {
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	}
}

func runs(obj *corev1.Pod) {
	obj.Status.Phase, obj.Status.PodIP = corev1.PodRunning, "10.4.1.23"
	for _, status := range all(obj) {
		begins(status)
	}
	set(obj, corev1.PodReadyToStartContainers, true, "", "")
	ready(obj, "")
}

func begins(status *corev1.ContainerStatus) {
	yes := true
	status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	status.Ready, status.Started, status.ContainerID = true, &yes, containerID(status.Name)
	status.ImageID = fmt.Sprintf("registry.example.com/research@sha256:%x", sha256.Sum256([]byte(status.Image)))
}

func terminated(status *corev1.ContainerStatus, code int32, reason, message string) {
	no := false
	end := &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, Message: message, FinishedAt: metav1.Now(), ContainerID: status.ContainerID,
	}
	if status.State.Running != nil {
		end.StartedAt = status.State.Running.StartedAt
	}
	status.State = corev1.ContainerState{Terminated: end}
	status.Ready, status.Started = false, &no
}

// ended writes the end of a container, or of all if none is named. It returns the restart
// count if the container restarts, otherwise -1, and whether the pod is over.
func ended(obj *corev1.Pod, end ending) (restarts int32, over bool) {
	restarts, over = -1, true
	for i := range obj.Status.ContainerStatuses {
		status := &obj.Status.ContainerStatuses[i]
		if end.container == "" || end.container == status.Name {
			terminated(status, end.code, end.reason, end.message)
			if obj.Spec.RestartPolicy != corev1.RestartPolicyNever && end.code != 0 && end.podReason == "" {
				restarts, over = status.RestartCount, false
			}
		}
		over = over && status.State.Terminated != nil
	}
	if over {
		ready(obj, overReason(obj))
	} else {
		ready(obj, "")
	}
	return restarts, over
}

func overReason(obj *corev1.Pod) string {
	if lastPhase(obj) == corev1.PodSucceeded {
		return "PodCompleted"
	}
	return "PodFailed"
}

func lastPhase(obj *corev1.Pod) corev1.PodPhase {
	for _, status := range obj.Status.ContainerStatuses {
		if end := status.State.Terminated; end == nil || end.ExitCode != 0 {
			return corev1.PodFailed
		}
	}
	return corev1.PodSucceeded
}

// killed writes the effect of SIGTERM on the containers.
func killed(obj *corev1.Pod, code int32) {
	reason := "Error"
	if code == 0 {
		reason = "Completed"
	}
	for _, status := range all(obj) {
		if status.State.Running != nil {
			terminated(status, code, reason, "")
		}
	}
	ready(obj, overReason(obj))
}

// isOver writes the last phase, with a reason if the kubelet itself ended the pod.
func isOver(obj *corev1.Pod, reason, message string) {
	for _, status := range all(obj) {
		if status.State.Running != nil {
			terminated(status, 143, "Error", "")
		} else if status.State.Terminated == nil {
			status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: 137, Reason: "ContainerStatusUnknown",
				Message: "The container could not be located when the pod was terminated",
			}}
		}
	}
	obj.Status.Phase = lastPhase(obj)
	if reason != "" {
		obj.Status.Phase, obj.Status.Reason, obj.Status.Message = corev1.PodFailed, reason, message
	}
	set(obj, corev1.PodReadyToStartContainers, false, "", "")
	ready(obj, overReason(obj))
	if reason == "Evicted" || reason == "Terminated" {
		obj.Status.Conditions = append(obj.Status.Conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonTerminationByKubelet,
			Message: message, LastTransitionTime: metav1.Now(), ObservedGeneration: obj.Generation,
		})
	}
}

func named(obj *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range obj.Status.ContainerStatuses {
		if status := &obj.Status.ContainerStatuses[i]; container == "" || status.Name == container {
			return status
		}
	}
	return &corev1.ContainerStatus{}
}

// backsOff makes container one that ended and has not restarted yet.
func backsOff(obj *corev1.Pod, container, message string) {
	status := named(obj, container)
	status.LastTerminationState = status.State
	status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: message}}
}

func runsAgain(obj *corev1.Pod, container string) {
	status := named(obj, container)
	if status.State.Terminated != nil {
		status.LastTerminationState = status.State
	}
	begins(status)
	status.RestartCount++
	ready(obj, "")
}
