package evidence

import corev1 "k8s.io/api/core/v1"

// Every container begins with these waits.
var ordinaryWaits = map[string]bool{"": true, "ContainerCreating": true, "PodInitializing": true}

// InTrouble returns whether a pod shows anything worth a question while its operator
// has not given up. Mulligan says what it means.
func InTrouble(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodFailed {
		return true
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse ||
			condition.Type == corev1.DisruptionTarget && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, status := range statuses {
			if waiting := status.State.Waiting; waiting != nil && !ordinaryWaits[waiting.Reason] {
				return true
			}
			if ended := status.State.Terminated; ended != nil && ended.ExitCode != 0 {
				return true
			}
		}
	}
	return false
}
