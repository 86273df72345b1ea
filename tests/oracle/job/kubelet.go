package main

import (
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// advance changes a pod that has not ended.
func advance(random *rand.Rand, pod *corev1.Pod, now time.Time) {
	running := pod.Status.Phase == corev1.PodRunning
	switch {
	case pod.DeletionTimestamp != nil:
		if !cases.Chance(random, 3) {
			finish(random, pod, now, cases.Pick[int32](random, 143, 137, 137, 143, 0))
		}
	case !running && cases.Chance(random, 20):
		reject(random, pod)
	case !running && !cases.Chance(random, 4):
		start(pod, now)
	case running && cases.Chance(random, 8):
		disrupt(random, pod, now)
	case running && cases.Chance(random, 5):
		finish(random, pod, now, 0)
	case running && cases.Chance(random, 2):
		if pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && !cases.Chance(random, 5) {
			restart(random, pod)
		} else {
			finish(random, pod, now, cases.Pick(random, codes...))
		}
	}
}

func start(pod *corev1.Pod, now time.Time) {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.StartTime = ptr.To(metav1.NewTime(now))
	setCondition(pod, corev1.PodReady, corev1.ConditionTrue, "", now)
	for _, container := range pod.Spec.InitContainers {
		state := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.NewTime(now)}}
		if container.RestartPolicy != nil {
			state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		}
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{Name: container.Name, State: state})
	}
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: container.Name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})
	}
}

// restart restarts a failed container in its pod.
func restart(random *rand.Rand, pod *corev1.Pod) {
	statuses := pod.Status.ContainerStatuses
	if len(pod.Status.InitContainerStatuses) > 0 && cases.Chance(random, 4) {
		statuses = pod.Status.InitContainerStatuses
	}
	statuses[random.IntN(len(statuses))].RestartCount++
}

// disrupt evicts or preempts a pod, or loses its node.
func disrupt(random *rand.Rand, pod *corev1.Pod, now time.Time) {
	setCondition(pod, corev1.DisruptionTarget, corev1.ConditionTrue, cases.Pick(random, "EvictionByEvictionAPI",
		"PreemptionByScheduler", "DeletionByTaintManager", "DeletionByPodGC", "TerminationByKubelet"), now)
	if cases.Chance(random, 4) { // A node that does not answer any more.
		pod.Status.Phase, pod.Status.Reason = corev1.PodFailed, "NodeLost"
		return
	}
	remove(pod, now)
}

// remove requests the deletion of a pod.
func remove(pod *corev1.Pod, now time.Time) {
	if pod.DeletionTimestamp == nil {
		pod.DeletionTimestamp = ptr.To(metav1.NewTime(now.Add(30 * time.Second)))
		pod.DeletionGracePeriodSeconds = ptr.To(int64(30))
	}
}

// reject makes the kubelet refuse a pod.
func reject(random *rand.Rand, pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodFailed
	pod.Status.Reason = cases.Pick(random, "OutOfcpu", "UnexpectedAdmissionError", "NodeAffinity")
}

// finish ends a pod with the exit code of one of its containers.
func finish(random *rand.Rand, pod *corev1.Pod, now time.Time, code int32) {
	if len(pod.Status.ContainerStatuses) == 0 {
		pod.Status.Phase = corev1.PodFailed
		return
	}
	at := metav1.NewTime(now.Add(-time.Duration(random.IntN(3)) * time.Second))
	if pod.Status.StartTime != nil && at.Before(pod.Status.StartTime) {
		at = *pod.Status.StartTime
	}
	guilty := random.IntN(len(pod.Status.ContainerStatuses))
	for index := range pod.Status.ContainerStatuses {
		state := &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: at}
		if index == guilty && code != 0 {
			state.ExitCode, state.Reason = code, "Error"
			if code == 137 && cases.Chance(random, 2) {
				state.Reason = "OOMKilled"
			}
		}
		pod.Status.ContainerStatuses[index].State = corev1.ContainerState{Terminated: state}
	}
	for index, status := range pod.Status.InitContainerStatuses {
		if status.State.Running != nil {
			last := metav1.NewTime(at.Add(time.Duration(random.IntN(2)) * time.Second))
			pod.Status.InitContainerStatuses[index].State = corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: cases.Pick[int32](random, 0, 0, 143), FinishedAt: last}}
		}
	}
	pod.Status.Phase = corev1.PodFailed
	reason := "PodFailed"
	if code == 0 {
		pod.Status.Phase, reason = corev1.PodSucceeded, "PodCompleted"
	}
	switch random.IntN(12) {
	case 0: // Orphaned: its end has no time.
		pod.Status.ContainerStatuses = nil
	case 1:
		setCondition(pod, "ConfigIssue", corev1.ConditionTrue, "", at.Time)
	case 2:
		pod.Status.Reason = "Evicted"
		setCondition(pod, corev1.DisruptionTarget, corev1.ConditionTrue, "TerminationByKubelet", at.Time)
	case 3:
		return // Ready is not reported.
	}
	setCondition(pod, corev1.PodReady, corev1.ConditionFalse, reason, at.Time)
}

func setCondition(pod *corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus, reason string, at time.Time) {
	made := corev1.PodCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(at)}
	for index := range pod.Status.Conditions {
		if pod.Status.Conditions[index].Type == kind {
			pod.Status.Conditions[index] = made
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, made)
}
