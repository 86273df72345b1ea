package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	"github.com/kubeflow/spark-operator/v2/pkg/common"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

// pods returns the driver, if it exists, and some executors.
func pods(random *rand.Rand, app *v1beta2.SparkApplication) []*corev1.Pod {
	var made []*corev1.Pod
	state := app.Status.AppState.State
	between := state == v1beta2.ApplicationStateFailedSubmission || state == v1beta2.ApplicationStatePendingRerun
	there := !cases.Chance(random, 5)
	if between {
		there = cases.Chance(random, 3)
	}
	if there && state != v1beta2.ApplicationStateNew {
		made = append(made, driver(random, app))
	}
	for i := range random.IntN(3) {
		pod := newPod(app, fmt.Sprintf("%s-exec-%d", app.Name, i+1), common.SparkRoleExecutor)
		pod.Labels[common.LabelSparkExecutorID] = fmt.Sprint(i + 1)
		pod.Status.Phase = cases.Pick(random, corev1.PodPending, corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded)
		if pod.Status.Phase == corev1.PodFailed && cases.Chance(random, 2) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{
				{Name: common.Spark3DefaultExecutorContainerName, State: terminated(137, "OOMKilled")}}
		}
		made = append(made, pod)
	}
	return made
}

func newPod(app *v1beta2.SparkApplication, name, role string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: app.Namespace, UID: types.UID("u-" + name),
			Labels: map[string]string{
				common.LabelLaunchedBySparkOperator: "true",
				common.LabelSparkAppName:            app.Name,
				common.LabelSubmissionID:            app.Status.SubmissionID,
				common.LabelSparkRole:               role,
			},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: app.APIVersion, Kind: app.Kind,
				Name: app.Name, UID: app.UID, Controller: pointer(true)}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "spark:3.5.5"}}},
	}
}

func driver(random *rand.Rand, app *v1beta2.SparkApplication) *corev1.Pod {
	pod := newPod(app, driverName(app), common.SparkRoleDriver)
	if cases.Chance(random, 40) {
		pod.Name = "another-driver"
	}
	if cases.Chance(random, 15) {
		now := metav1.NewTime(cases.Now.Add(-3 * time.Second))
		pod.DeletionTimestamp = &now
		pod.Finalizers = []string{"example.com/keep"}
	}
	pod.Status.Phase = cases.Pick(random, corev1.PodPending, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning,
		corev1.PodSucceeded, corev1.PodFailed, corev1.PodFailed, corev1.PodFailed, corev1.PodFailed,
		corev1.PodUnknown, "")
	if pod.Status.Phase == corev1.PodFailed && cases.Chance(random, 4) {
		pod.Status.Reason = cases.Pick(random, "Evicted", "NodeLost", "DeadlineExceeded", "Preempting")
		pod.Status.Message = "The node was low on resource: memory."
	}
	sidecar := corev1.ContainerStatus{Name: "sidecar", State: containerState(random)}
	own := corev1.ContainerStatus{Name: common.SparkDriverContainerName, State: containerState(random)}
	if cases.Chance(random, 12) {
		own.LastTerminationState = terminated(1, "Error")
	}
	switch random.IntN(9) {
	case 0:
	case 1:
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{sidecar}
	case 2:
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{sidecar, own}
	case 3:
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{own, sidecar}
	case 4:
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "init", State: terminated(1, "Error")}}
	default:
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{own}
	}
	return pod
}

func containerState(random *rand.Rand) corev1.ContainerState {
	switch random.IntN(6) {
	case 0:
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(cases.Now.Add(-time.Minute))}}
	case 1:
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no"}}
	case 2:
		return terminated(0, cases.Pick(random, "Completed", ""))
	default:
		return terminated(cases.Pick[int32](random, 1, 1, 2, 52, 134, 137, 137, 143, 255, -1),
			cases.Pick(random, "Error", "Error", "OOMKilled", "ContainerStatusUnknown", "StartError", ""))
	}
}

func terminated(code int32, reason string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason,
		FinishedAt: metav1.NewTime(cases.Now.Add(-8 * time.Second))}}
}
