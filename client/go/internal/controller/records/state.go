package records

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State of the work, for tables.
type State string

// The states, with what is true in each.
const (
	// Watched: nothing is decided about the latest attempt.
	Watched State = "Watched"
	// Retrying: another attempt was granted, or runs.
	Retrying State = "Retrying"
	// WaitingForSpecUpdate: a user has to change its spec.
	WaitingForSpecUpdate State = "WaitingForSpecUpdate"
	// GivenUp: there is no further attempt.
	GivenUp State = "GivenUp"
	// Succeeded: an attempt completed.
	Succeeded State = "Succeeded"
	// RetryNotCreated: the API server refuses the object of the next attempt, and its
	// creation is repeated.
	RetryNotCreated State = "RetryNotCreated"
	// RetryRefused: it refuses the object, and its creation is not repeated.
	RetryRefused State = "RetryRefused"
	// Observed: the reason is what would have been done in act mode.
	Observed State = "Observed"
)

// The types of the conditions, and the states in which each is true.
var conditions = []struct {
	name   string
	states []State
}{
	{"Retrying", []State{Retrying, RetryNotCreated}},
	{"WaitingForSpecUpdate", []State{WaitingForSpecUpdate}},
	{"RetryNotCreated", []State{RetryNotCreated, RetryRefused}},
	{"GivenUp", []State{GivenUp, RetryRefused}},
	{"Succeeded", []State{Succeeded}},
}

// The most bytes of a condition's message.
const maxMessage = 4096

// Become enters a state: its conditions become true, with reason and message, and the
// others false.
func (r *RetryRecord) Become(state State, reason, message string, now time.Time) {
	r.Status.State = state
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "")
	}
	for _, condition := range conditions {
		next := metav1.Condition{
			Type: condition.name, Status: metav1.ConditionFalse, Reason: reason, Message: message,
			LastTransitionTime: metav1.NewTime(now),
		}
		if slices.Contains(condition.states, state) {
			next.Status = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&r.Status.Conditions, next)
	}
}

// Since returns when a condition became true, and its message; zero if it is not true.
func (r *RetryRecord) Since(condition State) (time.Time, string) {
	found := meta.FindStatusCondition(r.Status.Conditions, string(condition))
	if found == nil || found.Status != metav1.ConditionTrue {
		return time.Time{}, ""
	}
	return found.LastTransitionTime.Time, found.Message
}

// IsOver returns whether nothing more is created for the work as it is.
func (r *RetryRecord) IsOver() bool {
	return r.Status.State == RetryRefused || r.Status.State == GivenUp || r.Status.State == Succeeded
}
