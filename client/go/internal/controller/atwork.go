package controller

import (
	"slices"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	corev1 "k8s.io/api/core/v1"

	mulligancorev1 "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// asAtWork edits a report of work that waits in a queue so that it says what it said
// when its pods failed. Left out are the queue's Workload, the status of the objects and
// that they are suspended, Events about anything but pods and nodes, and pods that did
// not fail by themselves: they run, wait, or ended because the queue stopped them.
func asAtWork(report *mulliganv1.FailureReport) {
	report.KueueWorkload = nil
	report.Pods = slices.DeleteFunc(report.Pods, func(pod *mulligancorev1.Pod) bool { return !failedByItself(pod) })
	report.Events = slices.DeleteFunc(report.Events, func(event *mulligancorev1.Event) bool {
		kind := event.GetInvolvedObject().GetKind()
		return kind != "Pod" && kind != "Node"
	})
	// What a workload's operator has made is of its next attempt by now.
	if report.JobSet != nil || report.TrainJob != nil || report.RayJob != nil {
		report.Jobs, report.RayCluster = nil, nil
	}
	if report.TrainJob != nil {
		report.JobSet = nil
	}
	report.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch field.Name() {
		case "jobs":
			for i := range value.List().Len() {
				restart(value.List().Get(i).Message())
			}
		case "job_set", "ray_job", "train_job", "spark_application", "kubeflow_job":
			restart(value.Message())
		}
		return true
	})
}

// restart removes from an object that it is suspended, and the status.
func restart(object protoreflect.Message) {
	object.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch field.Name() {
		case "status", "suspend":
			object.Clear(field)
		case "spec", "run_policy":
			restart(value.Message())
		}
		return true
	})
}

// failedByItself returns whether a pod failed, and no one had asked for its deletion
// before. A disruption marks the pods that it deletes.
func failedByItself(pod *mulligancorev1.Pod) bool {
	if pod.GetStatus().GetPhase() != string(corev1.PodFailed) {
		return false
	}
	if pod.GetMetadata().GetDeletionTimestamp() == nil {
		return true
	}
	asked := pod.GetMetadata().GetDeletionTimestamp().AsTime().Add(-time.Duration(pod.GetMetadata().GetDeletionGracePeriodSeconds()) * time.Second)
	return slices.ContainsFunc(pod.GetStatus().GetConditions(), func(condition *mulligancorev1.PodCondition) bool {
		return condition.GetType() == string(corev1.DisruptionTarget) && condition.GetStatus() == string(corev1.ConditionTrue)
	}) || slices.ContainsFunc(pod.GetStatus().GetContainerStatuses(), func(status *mulligancorev1.ContainerStatus) bool {
		ended := status.GetState().GetTerminated()
		return ended.GetExitCode() != 0 && ended.GetFinishedAt().AsTime().Before(asked)
	})
}
