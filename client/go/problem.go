package mulligan

import (
	"strings"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Problem returns what stopped the work, in one sentence for people without a full
// stop. It is Diagnosis.Problem, or the diagnosis's summary from a service before 0.2
// or without an explanation.
func Problem(answer *mulliganv1.DecideResponse) string {
	if problem := answer.GetDiagnosis().GetProblem(); problem != "" {
		return problem
	}
	if summary := answer.GetDiagnosis().GetSummary(); summary != "" {
		return strings.TrimRight(summary, ".")
	}
	return strings.TrimRight(answer.GetDecision().GetSentence(), ".")
}
