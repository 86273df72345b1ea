// The trainer oracle: what the TrainJob controller of Kubeflow Trainer
// (github.com/kubeflow/trainer/v2) does with generated TrainJobs and JobSets.
//
//oracle:module github.com/kubeflow/trainer/v2
package main

import (
	"math/rand/v2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// release is the name in a policy of the release in go.mod.
const release = "2.0"

func main() {
	cases.Frozen(func() { cases.Main("trainer", 1, generate) })
}

func generate(random *rand.Rand, number int) cases.Case {
	made := newScene(random, number)
	did, err := pass(made)
	if err != nil {
		return cases.Case{}
	}
	report := map[string]any{"trainJob": made.trainJob}
	if made.jobSet != nil {
		report["jobSet"] = made.jobSet
	}
	if did.failure != "" {
		report["creationError"] = creationError(made, did.failure)
	}
	semantics := map[string]any{"versions": map[string]any{"trainer": release}}
	return cases.Case{Request: cases.Compared(number, report, semantics), Expect: expectation(made, did)}
}

// creationError is a controller's report of a pass that could not create the
// objects.
func creationError(made scene, failure string) map[string]any {
	reported := map[string]any{"message": failure, "phase": "BUILD"}
	if made.refusal != nil {
		status := made.refusal.Status()
		reported["phase"] = "CREATE"
		reported["httpCode"] = status.Code
		reported["reason"] = string(status.Reason)
		reported["kind"] = "JobSet"
	}
	return reported
}
