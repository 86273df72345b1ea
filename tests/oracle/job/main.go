// Command job asks the API server's validation and the Job controller's syncJob
// what they do with generated Jobs whose pods have failed.
//
//oracle:module k8s.io/kubernetes
package main

import (
	"math/rand/v2"
	"slices"
	"strings"

	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

func main() {
	klog.SetOutput(nowhere{})
	klog.LogToStderr(false)
	cases.Main("job", 1, generate)
}

func generate(random *rand.Rand, number int) cases.Case {
	job := newJob(random, number)
	spoiled := cases.Chance(random, 8)
	if spoiled {
		spoil(random, job)
	}
	if refusals := admit(job); slices.Contains(refusals, crashed) {
		return cases.Case{}
	} else if refusals != nil {
		made := cases.Case{Request: request(job, nil, "2026-08-22T12:00:00Z"), Expect: refused(refusals)}
		known := slices.DeleteFunc(slices.Clone(refusals), isOfNewer)
		if len(known) < len(refusals) {
			made.Point = "job-newer"
		} else if len(known) > maxRefusals {
			made.Point = "job-many"
		}
		if made.Point != "" {
			made.Instead = []map[string]any{refused(known[:min(len(known), maxRefusals)])}
		}
		return made
	}
	if spoiled && cases.Chance(random, 2) {
		return cases.Case{}
	}
	return live(random, job)
}

// maxRefusals is the number of refusals reported for one object.
const maxRefusals = 1000

func refused(refusals []string) map[string]any {
	if len(refusals) == 0 {
		return map[string]any{"refused": false}
	}
	return map[string]any{"refused": true, "refusals": refusals}
}

// isOfNewer returns whether a newer release may accept what is refused.
func isOfNewer(refusal string) bool {
	return strings.Contains(refusal, `Unsupported value: "Restart"`) || strings.Contains(refusal, `Unsupported value: "Is"`)
}

// request returns Mulligan's request about a Job and its pods.
func request(job *batch.Job, pods []*corev1.Pod, now string) map[string]any {
	report := map[string]any{"jobs": []any{cases.Object(job)}}
	if listed := cases.Objects(pods); listed != nil {
		report["pods"] = listed
	}
	semantics := map[string]any{}
	if release := cases.Release("k8s.io/kubernetes"); release != "1.34" {
		semantics["versions"] = map[string]any{"kubernetes": release}
	}
	made := cases.Native(report, semantics)
	report["observedAt"] = now
	return made
}

type nowhere struct{}

func (nowhere) Write(text []byte) (int, error) { return len(text), nil }
