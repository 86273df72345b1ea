// Command flyte asks Flyte 1's own plugins for the phase of generated pods,
// kubeflow jobs and RayJobs. The node executor, which turns a plugin's phase
// into a retry, is part of FlytePropeller, which is not published as a module.
// Budgets are therefore so high here that it grants every retry, and the kind
// of an error selects the budget.
//
//oracle:module github.com/flyteorg/flyte/flyteplugins
//oracle:env GONOSUMDB=github.com/flyteorg/*
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// release is that of the plugins in this program.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/flyteorg/flyte/flyteplugins" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}

// generator makes one kind of failed object; weight is its relative frequency.
type generator struct {
	weight int
	make   func(random *rand.Rand, name string) subject
}

var generators = []generator{{6, makePod}, {2, makeKubeflowJob}, {1, makeRayJob}}

// subject is one failed object and the plugin that judges it.
type subject struct {
	// ID of the plugin in Flyte's registry.
	plugin string
	// Member of the report.
	member string
	object map[string]any
}

func makeSubject(random *rand.Rand, name string) subject {
	total := 0
	for _, one := range generators {
		total += one.weight
	}
	at := random.IntN(total)
	for _, one := range generators {
		if at < one.weight {
			return one.make(random, name)
		}
		at -= one.weight
	}
	panic("weights")
}

func generate(random *rand.Rand, number int) cases.Case {
	made := makeSubject(random, fmt.Sprintf("f%d-n0-0", number))
	settings := configure(random)
	settings["flyte.retries"] = "30"
	settings["flyte.max-node-retries-system-failures"] = "10"
	report := map[string]any{
		"failureId":  fmt.Sprintf("f%d", number),
		"observedAt": cases.Now,
	}
	if made.member == "pods" {
		report["pods"] = []any{made.object}
	} else {
		report[made.member] = made.object
	}
	return cases.Case{
		Request: map[string]any{
			"report": report,
			"inlinePolicy": map[string]any{
				"apiVersion": "mulligan.dev/v1", "kind": "RetryPolicy",
				"metadata": map[string]any{"name": "oracle"},
				"spec": map[string]any{"native": map[string]any{
					"useOwnSpec": true,
					"semantics": map[string]any{
						"operator": "flyte",
						"versions": map[string]any{"flyte": release()},
						"settings": settings,
					},
				}},
			},
		},
		Expect: expectation(judge(made)),
	}
}

func main() {
	// The plugins call time.Now, and print times in local time.
	time.Local = time.UTC
	logrus.SetOutput(io.Discard)
	// A bubble of synctest is the only clock that can be set, and package testing
	// the only way into one.
	arguments := os.Args
	os.Args = arguments[:1]
	testing.Main(
		func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "flyte", F: func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				time.Sleep(time.Until(cases.Now))
				os.Args = arguments
				cases.Main("flyte", 1, generate)
				os.Exit(0)
			})
		}}}, nil, nil)
}
