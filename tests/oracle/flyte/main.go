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
	"time"

	"github.com/sirupsen/logrus"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

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
	report := map[string]any{"failureId": fmt.Sprintf("f%d", number), made.member: made.object}
	if made.member == "pods" {
		report["pods"] = []any{made.object}
	}
	version := cases.Version("github.com/flyteorg/flyte/flyteplugins")
	return cases.Case{
		Request: cases.Native(report, map[string]any{
			"operator": "flyte", "versions": map[string]any{"flyte": version}, "settings": settings,
		}),
		Expect: expectation(judge(made)),
	}
}

func main() {
	// The plugins call time.Now, and print times in local time.
	time.Local = time.UTC
	logrus.SetOutput(io.Discard)
	cases.Frozen(func() { cases.Main("flyte", 1, generate) })
}
