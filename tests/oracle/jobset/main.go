// Command jobset asks the JobSet webhook and the JobSet controller's Reconcile
// what they do with generated JobSets whose child Jobs have failed.
//
//oracle:module sigs.k8s.io/jobset
package main

import (
	"math/rand/v2"

	"github.com/go-logr/logr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// gates are those that change the reaction to a failure.
var gates = []string{"RestartJob", "InPlaceRestart"}

func main() {
	log.SetLogger(logr.Discard())
	cases.Main("jobset", 1, generate)
}

func generate(random *rand.Rand, number int) cases.Case {
	enabled := setGates(random)
	world := newWorld(random, number, enabled)
	refusals := admit(world)
	made := cases.Case{Request: world.request(enabled)}
	if refusals != nil {
		made.Expect = map[string]any{"refused": true, "refusals": refusals}
		return made
	}
	made.Expect = reconcile(world)
	if other := world.withoutCostlyPatterns(); other != nil {
		made.Point, made.Instead = "jobset-patterns", []map[string]any{reconcile(other)}
	}
	return made
}

// setGates chooses the feature gates of a case, except those that the release
// lacks.
func setGates(random *rand.Rand) []string {
	var enabled []string
	for _, gate := range gates {
		wanted := cases.Chance(random, 3)
		if gate == "InPlaceRestart" {
			wanted = cases.Chance(random, 10)
		}
		err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{gate: wanted})
		if wanted && err == nil {
			enabled = append(enabled, gate)
		}
	}
	return enabled
}

// semantics states the release and gates in a request.
func semantics(enabled []string) map[string]any {
	said := map[string]any{}
	if release := cases.Release("sigs.k8s.io/jobset"); release != "0.12" {
		said["versions"] = map[string]any{"jobset": release}
	}
	if len(enabled) > 0 {
		on := map[string]any{}
		for _, gate := range enabled {
			on[gate] = true
		}
		said["featureGates"] = on
	}
	return said
}
