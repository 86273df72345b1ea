package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An ending writes the end into a running pod's status. It returns false if the pod
// continues.
type ending func(pod *corev1.Pod) bool

// play ends each running pod of a namespace once, until the test ends.
func (c *cluster) play(t *testing.T, namespace string, end ending) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	t.Cleanup(func() {
		stop()
		<-stopped
	})
	go func() {
		defer close(stopped)
		ended := map[types.UID]bool{}
		var last error
		for ctx.Err() == nil {
			err := c.playOnce(ctx, namespace, end, ended)
			if err != nil && ctx.Err() == nil && (last == nil || last.Error() != err.Error()) {
				t.Logf("playing the kubelet: %v", err)
			}
			last = err
			time.Sleep(100 * time.Millisecond)
		}
	}()
}

func (c *cluster) playOnce(ctx context.Context, namespace string, end ending, ended map[types.UID]bool) error {
	pods := &corev1.PodList{}
	if err := c.List(ctx, pods, client.InNamespace(namespace)); err != nil {
		return err
	}
	var ending []*corev1.Pod
	for i := range pods.Items {
		pod := &pods.Items[i]
		begun := pod.Status.Phase == corev1.PodRunning || pod.Annotations[byHand] != "" && pod.Spec.NodeName != ""
		if !ended[pod.UID] && begun && pod.DeletionTimestamp == nil && end(pod) {
			ending = append(ending, pod)
		}
	}
	errs := make([]error, len(ending))
	each(len(ending), func(i int) { errs[i] = c.Status().Update(ctx, ending[i]) })
	for i, err := range errs {
		if err == nil {
			ended[ending[i].UID] = true
		} else if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// kwok does not start a pod with this annotation.
const byHand = "e2e.mulligan.dev/by-hand"

// exits ends all containers with this exit code and reason, and the pod.
func exits(pod *corev1.Pod, code int32, reason string) bool {
	started := metav1.NewTime(time.Now().Add(-2 * time.Second))
	if pod.Status.StartTime != nil {
		started = *pod.Status.StartTime
	}
	pod.Status.Phase = corev1.PodFailed
	if code == 0 {
		pod.Status.Phase = corev1.PodSucceeded
	}
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: code, Reason: reason, StartedAt: started, FinishedAt: metav1.Now(),
			}},
		})
	}
	for i := range pod.Status.Conditions {
		if kind := pod.Status.Conditions[i].Type; kind == corev1.PodReady || kind == corev1.ContainersReady {
			pod.Status.Conditions[i].Status = corev1.ConditionFalse
		}
	}
	return true
}

func succeeds(pod *corev1.Pod) bool { return exits(pod, 0, "Completed") }
func runsOutOfMemory(pod *corev1.Pod) bool {
	return exits(pod, 137, "OOMKilled")
}

// isTakenAway ends a pod like the kubelet's graceful shutdown of a spot machine.
func isTakenAway(pod *corev1.Pod) bool {
	exits(pod, 143, "Error")
	pod.Status.Reason = "Terminated"
	pod.Status.Message = "Pod was terminated in response to imminent node shutdown."
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
		Reason: corev1.PodReasonTerminationByKubelet, LastTransitionTime: metav1.Now(),
		Message: "Pod was terminated in response to imminent node shutdown.",
	})
	return true
}

// cannotPull makes a container wait for an image that is refused.
func cannotPull(pod *corev1.Pod, message string) bool {
	pod.Status.Phase = corev1.PodPending
	now := metav1.Now()
	pod.Status.StartTime = &now
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: message}},
		})
	}
	return true
}
