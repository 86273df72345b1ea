package controller

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	corev1 "k8s.io/api/core/v1"

	mulligancorev1 "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// asAtWork edits a report of work that waits in a queue so that it says what it said
// when its pods failed. Left out are the queue's Workload, that the objects are
// suspended, and pods that did not fail by themselves: they run, wait, or ended because
// the queue stopped them.
func asAtWork(report *mulliganv1.FailureReport) {
	report.KueueWorkload = nil
	report.Pods = slices.DeleteFunc(report.Pods, func(pod *mulligancorev1.Pod) bool { return !failedByItself(pod) })
	pods := report.Pods
	report.Pods = nil
	resume(report.ProtoReflect())
	report.Pods = pods
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

// resume removes every field and condition that says that an object is suspended.
func resume(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch field.Name() {
		case "suspend":
			message.Clear(field)
			return true
		case "state", "job_deployment_status":
			if field.Kind() == protoreflect.StringKind && saysSuspended(value.String()) {
				message.Clear(field)
				return true
			}
		}
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			list, kept := value.List(), 0
			for i := range list.Len() {
				entry := list.Get(i)
				if kind := entry.Message().Descriptor().Fields().ByName("type"); field.Name() == "conditions" && kind != nil && saysSuspended(entry.Message().Get(kind).String()) {
					continue
				}
				resume(entry.Message())
				list.Set(kept, entry)
				kept++
			}
			list.Truncate(kept)
		default:
			resume(value.Message())
		}
		return true
	})
}

// saysSuspended returns whether a state or the type of a condition, such as Suspended,
// SUSPENDING or RayClusterSuspended, is that of a suspended object.
func saysSuspended(state string) bool {
	state = strings.ToLower(strings.TrimPrefix(state, "RayCluster"))
	return state == "suspended" || state == "suspending"
}
