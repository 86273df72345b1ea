package main

import (
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ends are the conditions that end a TrainJob, and their actions. The
// controller does not check them in an order.
var ends = []struct{ condition, action string }{
	{trainer.TrainJobFailed, "FAIL"},
	{trainer.TrainJobComplete, "IGNORE"},
}

func by(condition *metav1.Condition, action string) map[string]any {
	return map[string]any{
		"verdict": []string{condition.Type}, "reason": []string{condition.Reason}, "message": condition.Message,
		"action": []string{action}}
}

// expectation returns the pass's result, under the names of `expect`.
func expectation(made scene, did outcome) map[string]any {
	for _, end := range ends {
		if condition := meta.FindStatusCondition(did.status.Conditions, end.condition); condition != nil &&
			condition.Status == metav1.ConditionTrue {
			return by(condition, end.action)
		}
	}
	if did.eventReason != "" {
		return map[string]any{
			"verdict": []string{"Retry"}, "reason": []string{did.eventReason}, "message": did.eventMessage,
			"action": []string{"RETRY"}, "counted": false}
	}
	if suspended := meta.FindStatusCondition(did.status.Conditions, trainer.TrainJobSuspended); suspended != nil &&
		suspended.Status == metav1.ConditionTrue {
		return by(suspended, "IGNORE")
	}
	// No decision of its own: the JobSet decides.
	expect := map[string]any{"verdict": []string{"None"}, "action": []string{"IGNORE"}, "counted": false}
	if made.jobSet != nil {
		expect["verdict"] = []string{"None", "Suspended"}
	}
	return expect
}
