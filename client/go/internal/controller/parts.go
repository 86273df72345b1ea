package controller

import (
	"slices"

	"google.golang.org/protobuf/proto"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// ofWhole returns the answer about an object that can only restart as a whole, if parts
// of it failed on their own (DecideResponse.separate). No kind restarts single indexes
// of a Job.
//
//  1. The restarted object gets the growth that any of its parts was granted.
//  2. An index that ends alone (FAIL with scope INDEX) does not keep the others
//     from a restart. It fails alone again, and its budget stays used up.
//
// Without separate retries it returns the answer itself.
func ofWhole(answer *mulliganv1.DecideResponse) *mulliganv1.DecideResponse {
	var granted []*mulliganv1.Decision
	for _, part := range answer.GetSeparate() {
		if part.GetDecision().GetAction() == mulliganv1.Decision_RETRY {
			granted = append(granted, part.GetDecision())
		}
	}
	if len(granted) == 0 {
		return answer
	}
	whole := proto.Clone(answer).(*mulliganv1.DecideResponse)
	if whole.GetDecision().GetScope() == mulliganv1.Decision_INDEX && whole.GetDecision().GetAction() == mulliganv1.Decision_FAIL {
		whole.Decision = proto.Clone(granted[0]).(*mulliganv1.Decision)
	}
	if whole.GetDecision().GetAction() != mulliganv1.Decision_RETRY {
		return answer
	}
	for _, part := range granted {
		whole.Decision.Resources = grown(whole.Decision.Resources, part.GetResources())
	}
	return whole
}

// grown returns the larger factor per resource and container.
func grown(changes, more []*mulliganv1.ResourceChange) []*mulliganv1.ResourceChange {
	for _, change := range more {
		i := slices.IndexFunc(changes, func(other *mulliganv1.ResourceChange) bool {
			return other.GetResource() == change.GetResource() && other.GetContainer() == change.GetContainer()
		})
		switch {
		case i < 0:
			changes = append(changes, change)
		case change.GetFactor() > changes[i].GetFactor():
			changes[i] = change
		}
	}
	return changes
}
