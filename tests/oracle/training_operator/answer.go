package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	corev1 "k8s.io/api/core/v1"
)

// words are the conditions in the order in which they decide, and their
// actions. Restarting and Running alone imply no action.
var words = []struct {
	condition kubeflow.JobConditionType
	action    string
}{
	{kubeflow.JobFailed, "FAIL"},
	{kubeflow.JobSucceeded, "IGNORE"},
	{kubeflow.JobSuspended, "IGNORE"},
	{kubeflow.JobRestarting, ""},
	{kubeflow.JobRunning, ""},
}

func find(status kubeflow.JobStatus, condition kubeflow.JobConditionType) *kubeflow.JobCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == condition && status.Conditions[i].Status == corev1.ConditionTrue {
			return &status.Conditions[i]
		}
	}
	return nil
}

func holds(status kubeflow.JobStatus, condition kubeflow.JobConditionType) bool {
	return find(status, condition) != nil
}

// answer returns one outcome, under the names of `expect`.
func answer(did outcome) map[string]any {
	if did.skipped {
		return map[string]any{"verdict": "Skipped", "action": "IGNORE"}
	}
	said := map[string]any{}
	if len(did.status.ReplicaStatuses) > 0 {
		counters := map[string]any{}
		for replica, counts := range did.status.ReplicaStatuses {
			prefix := fmt.Sprintf("replicaStatuses.%s.", replica)
			counters[prefix+"active"] = counts.Active
			counters[prefix+"succeeded"] = counts.Succeeded
			counters[prefix+"failed"] = counts.Failed
		}
		said["counters"] = counters
	}
	for _, word := range words {
		holding := find(did.status, word.condition)
		goesOn := word.action == ""
		if goesOn && did.recreated && word.condition != kubeflow.JobRestarting {
			break
		}
		if holding == nil {
			continue
		}
		said["verdict"] = string(word.condition)
		said["reason"] = holding.Reason
		said["message"] = holding.Message
		if !goesOn {
			said["action"] = word.action
		}
		break
	}
	if did.recreated {
		said["verdict"], said["action"] = "Restarting", "RETRY"
	}
	if _, ok := said["verdict"]; !ok {
		// No condition holds: only restarted containers can be reported.
		said["verdict"] = "None"
		if did.restarted {
			said["verdict"] = "Running"
		}
	}
	return said
}

// expectation joins the answers of repeated passes: if they differ, any of them
// is right.
func expectation(outcomes []outcome) map[string]any {
	lists := map[string][]any{}
	times := map[string]int{}
	for _, did := range outcomes {
		for name, value := range answer(did) {
			times[name]++
			if !slices.ContainsFunc(lists[name], func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(value) }) {
				lists[name] = append(lists[name], value)
			}
		}
	}
	expect := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		values := lists[name]
		slices.SortFunc(values, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		switch {
		case times[name] < len(outcomes) || (name == "counters" && len(values) > 1):
			// Not in every pass.
		case name == "counters" || name == "message" && len(values) == 1:
			expect[name] = values[0]
		default:
			expect[name] = values
		}
	}
	return expect
}
