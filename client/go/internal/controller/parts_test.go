package controller

import (
	"slices"
	"testing"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func TestOfWhole(t *testing.T) {
	retry := func(factors ...float64) *mulliganv1.Decision {
		decision := &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY}
		for _, factor := range factors {
			decision.Resources = append(decision.Resources, &mulliganv1.ResourceChange{Resource: "memory", Container: "main", Factor: factor})
		}
		return decision
	}
	fail := func() *mulliganv1.Decision {
		return &mulliganv1.Decision{Action: mulliganv1.Decision_FAIL, Scope: mulliganv1.Decision_INDEX}
	}
	failJob := &mulliganv1.Decision{Action: mulliganv1.Decision_FAIL, Scope: mulliganv1.Decision_JOB}
	for _, test := range []struct {
		name    string
		whole   *mulliganv1.Decision
		parts   []*mulliganv1.Decision
		action  mulliganv1.Decision_Action
		factors []float64
	}{
		{"nothing separate", retry(1.5), nil, mulliganv1.Decision_RETRY, []float64{1.5}},
		{"a part may grow", retry(), []*mulliganv1.Decision{retry(1.5)}, mulliganv1.Decision_RETRY, []float64{1.5}},
		{"the larger one", retry(1.5), []*mulliganv1.Decision{retry(2.25), retry(1.2)}, mulliganv1.Decision_RETRY, []float64{2.25}},
		{"a part may not", retry(1.5), []*mulliganv1.Decision{fail()}, mulliganv1.Decision_RETRY, []float64{1.5}},
		{"only a part may", fail(), []*mulliganv1.Decision{fail(), retry(1.5)}, mulliganv1.Decision_RETRY, []float64{1.5}},
		{"only a part may, and one failure ends all", failJob, []*mulliganv1.Decision{retry(1.5)}, mulliganv1.Decision_FAIL, nil},
		{"none may", fail(), []*mulliganv1.Decision{fail()}, mulliganv1.Decision_FAIL, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer := &mulliganv1.DecideResponse{Decision: test.whole}
			for _, part := range test.parts {
				answer.Separate = append(answer.Separate, &mulliganv1.SeparateFailure{Decision: part})
			}
			got := ofWhole(answer).GetDecision()
			var factors []float64
			for _, change := range got.GetResources() {
				factors = append(factors, change.GetFactor())
			}
			if got.GetAction() != test.action || !slices.Equal(factors, test.factors) {
				t.Errorf("%s with %v, want %s with %v", got.GetAction(), factors, test.action, test.factors)
			}
		})
	}
}
