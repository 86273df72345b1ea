// The training-operator oracle: what the Reconcile of PyTorchJob, TFJob,
// MPIJob, XGBoostJob, PaddleJob and JAXJob
// (github.com/kubeflow/training-operator) does with generated jobs and pods.
//
//oracle:module github.com/kubeflow/training-operator
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/sirupsen/logrus"
	"k8s.io/klog/v2"
	"mulligan.dev/mulligan/tests/oracle/cases"
)

// repeats is how often a job of several replica types is reconciled: the
// operator iterates over a map, so one job can have more than one answer.
const repeats = 12

func main() {
	logrus.SetOutput(io.Discard)
	quiet := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(quiet)
	_ = quiet.Set("logtostderr", "false")
	klog.SetOutput(io.Discard)
	cases.Frozen(func() { cases.Main("training_operator", 1, generate) })
}

func generate(random *rand.Rand, number int) cases.Case {
	made := newJob(random, number)
	times := 1
	if len(made.replicas) > 1 {
		times = repeats
	}
	var outcomes []outcome
	for range times {
		did, err := pass(made)
		if err != nil {
			return cases.Case{}
		}
		outcomes = append(outcomes, did)
	}
	report := map[string]any{
		"failureId":   fmt.Sprintf("id-%d", number),
		"observedAt":  cases.Now.Format("2006-01-02T15:04:05Z"),
		"kubeflowJob": made.object,
	}
	if len(made.pods) > 0 {
		pods := make([]any, 0, len(made.pods))
		for _, pod := range made.pods {
			pods = append(pods, cases.Object(pod))
		}
		report["pods"] = pods
	}
	spec := map[string]any{"default": map[string]any{"action": "FAIL"}, "compareNative": true}
	if release != "" {
		spec["native"] = map[string]any{"semantics": map[string]any{
			"versions": map[string]any{"kubeflow": release}}}
	}
	return cases.Case{
		Request: map[string]any{
			"report":        report,
			"compareNative": true,
			"inlinePolicy": map[string]any{
				"apiVersion": "mulligan.dev/v1", "kind": "RetryPolicy",
				"metadata": map[string]any{"name": "oracle"}, "spec": spec},
		},
		Expect: expectation(outcomes),
	}
}
