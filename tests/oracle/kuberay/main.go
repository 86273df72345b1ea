// The kuberay oracle: what the RayJob controller of KubeRay
// (github.com/ray-project/kuberay/ray-operator) does with generated RayJobs,
// their clusters, their submitters and the messages of Ray's dashboard.
//
//oracle:module github.com/ray-project/kuberay/ray-operator
package main

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

func main() {
	cases.Frozen(func() { cases.Main("kuberay", 1, generate) })
}

// release is the operator's minor release as in a policy: "1.5".
var release = func() string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == "github.com/ray-project/kuberay/ray-operator" {
			parts := strings.SplitN(strings.TrimPrefix(dependency.Version, "v"), ".", 3)
			return parts[0] + "." + parts[1]
		}
	}
	panic("the operator's release is not known")
}()

func generate(random *rand.Rand, number int) cases.Case {
	made := newScene(random, number)
	did, err := pass(made)
	if err != nil {
		return cases.Case{}
	}
	report := map[string]any{
		"failureId":  fmt.Sprintf("id-%d", number),
		"observedAt": cases.Now.Format("2006-01-02T15:04:05Z"),
		"rayJob":     made.rayJob,
	}
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
	result := cases.Case{
		Request: map[string]any{
			"report":        report,
			"compareNative": true,
			"inlinePolicy": map[string]any{
				"apiVersion": "mulligan.dev/v1", "kind": "RetryPolicy",
				"metadata": map[string]any{"name": "oracle"},
				"spec": map[string]any{
					"default": map[string]any{"action": "FAIL"}, "compareNative": true,
					"native": map[string]any{"semantics": semantics}}},
		},
		Expect: expectation(did),
	}
	return result
}
