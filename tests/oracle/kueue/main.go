// The Kueue oracle: what the workload controller (sigs.k8s.io/kueue) does with
// generated Workloads, pass after pass until nothing changes. Before an
// eviction the clock is moved to a requeueAt that the controller waits for. The
// job behind the workload does not change.
//
//oracle:module sigs.k8s.io/kueue
package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
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
	cases.Main("kueue", 1, generate)
}

func generate(random *rand.Rand, number int) cases.Case {
	made := newScene(random, number)
	request := made.request(number)
	expect, err := observe(made)
	if err != nil {
		panic(fmt.Sprintf("case %d: %v", number, err))
	}
	result := cases.Case{Request: request, Expect: expect}
	message, _ := expect["message"].(string)
	if unnamed := strings.Replace(message, "ClusterQueue "+clusterQueue, "ClusterQueue", 1); unnamed != message &&
		made.workload.Status.Admission == nil {
		other := maps.Clone(expect)
		other["message"] = unnamed
		result.Point, result.Instead = "kueue-queue-name", []map[string]any{other}
	}
	return result
}
