// The kuberay oracle: what the RayJob controller of KubeRay
// (github.com/ray-project/kuberay/ray-operator) does with generated RayJobs,
// their clusters, their submitters and the messages of Ray's dashboard.
//
//oracle:module github.com/ray-project/kuberay/ray-operator
package main

import (
	"math/rand/v2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

func main() {
	cases.Frozen(func() { cases.Main("kuberay", 1, generate) })
}

// release is the operator's minor release as in a policy: "1.5".
var release = cases.Release("github.com/ray-project/kuberay/ray-operator")

func generate(random *rand.Rand, number int) cases.Case {
	made := newScene(random, number)
	did, err := pass(made)
	if err != nil {
		return cases.Case{}
	}
	report := map[string]any{"rayJob": made.rayJob}
	if made.cluster != nil {
		report["rayCluster"] = made.cluster
	}
	if made.submitter != nil {
		report["jobs"] = []any{made.submitter}
	}
	if made.head != nil {
		report["pods"] = []any{made.head}
	}
	semantics := map[string]any{"versions": map[string]any{"kuberay": release}}
	if made.deletionPolicy {
		semantics["featureGates"] = map[string]any{"RayJobDeletionPolicy": true}
	}
	if made.gracePeriod != nil {
		semantics["settings"] = map[string]any{
			"kuberay.RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS": *made.gracePeriod}
	}
	return cases.Case{Request: cases.Compared(number, report, semantics), Expect: expectation(did)}
}
