// The Spark operator oracle: what the reconciler of SparkApplications
// (github.com/kubeflow/spark-operator/v2) does with generated applications and
// driver pods. Every submission succeeds here: spark-submit is not run.
//
//oracle:module github.com/kubeflow/spark-operator/v2
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"mulligan.dev/mulligan/tests/oracle/cases"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	time.Local = time.UTC
	log.SetLogger(logr.Discard())
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	cases.Frozen(func() { cases.Main("spark", 1, generate) })
}

func generate(random *rand.Rand, number int) cases.Case {
	made := newScene(random, number)
	request := made.request(number)
	expect, err := observe(made)
	if err != nil {
		panic(fmt.Sprintf("case %d: %v", number, err))
	}
	return cases.Case{Request: request, Expect: expect}
}
