// The training-operator oracle: what the Reconcile of PyTorchJob, TFJob,
// MPIJob, XGBoostJob, PaddleJob and JAXJob
// (github.com/kubeflow/training-operator) does with generated jobs and pods.
//
//oracle:module github.com/kubeflow/training-operator
package main

import (
	"flag"
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
	report := map[string]any{"kubeflowJob": made.object}
	if pods := cases.Objects(made.pods); pods != nil {
		report["pods"] = pods
	}
	semantics := map[string]any{}
	if release != "" {
		semantics["versions"] = map[string]any{"kubeflow": release}
	}
	return cases.Case{Request: cases.Compared(number, report, semantics), Expect: expectation(outcomes)}
}
