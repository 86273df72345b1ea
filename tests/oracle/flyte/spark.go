//go:build spark

package main

import (
	"math/rand/v2"

	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/spark"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

func init() { generators = append(generators, generator{1, makeSparkApplication}) }

// makeSparkApplication makes an application of the Spark operator.
func makeSparkApplication(random *rand.Rand, name string) subject {
	state := object{}
	maybe(random, state, "state", cases.Pick(random, "", "SUBMITTED", "RUNNING", "COMPLETED", "FAILED", "FAILED",
		"SUBMISSION_FAILED", "SUBMISSION_FAILED", "PENDING_RERUN", "INVALIDATING", "SUCCEEDING", "FAILING", "UNKNOWN"))
	maybe(random, state, "errorMessage", cases.Pick(random, messages...))
	status := object{"applicationState": state, "driverInfo": object{}}
	maybe(random, status, "executionAttempts", random.IntN(4))
	maybe(random, status, "submissionAttempts", random.IntN(4))
	maybe(random, status, "lastSubmissionAttemptTime", before(age(random)))
	if cases.Chance(random, 3) {
		status["driverInfo"] = object{"podName": name + "-driver"}
	}
	return subject{plugin: "spark", member: "sparkApplication", object: object{
		"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication", "metadata": metadata(random, name),
		"spec": object{"type": "Python", "sparkVersion": "3.5.0"}, "status": status,
	}}
}
