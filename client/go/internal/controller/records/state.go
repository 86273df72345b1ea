package records

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State of the work, for a table of it.
type State string

// The states; the comment says what is true then.
const (
	// Watched: nothing is decided about the latest attempt.
	Watched State = "Watched"
	// Retrying: another attempt was granted, or is at work.
	Retrying State = "Retrying"
	// WaitingForSpecUpdate: it waits for somebody to change its spec.
	WaitingForSpecUpdate State = "WaitingForSpecUpdate"
	// GivenUp: there is no further attempt.
	GivenUp State = "GivenUp"
	// Succeeded: an attempt has come through.
	Succeeded State = "Succeeded"
	// RetryNotCreated: the API server refuses the object of the next attempt, and it
	// is tried again.
	RetryNotCreated State = "RetryNotCreated"
	// RetryRefused: so it is, and it is not tried again.
	RetryRefused State = "RetryRefused"
	// Observed: what would have been done in act mode is the reason.
	Observed State = "Observed"
)

// The types of the conditions, and in which states each is true.
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

// Most bytes of a condition's message.
const maxMessage = 4096

// Become enters a state: its conditions are true, with reason and message, the others
// are not.
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

// Since is when a condition became true, and with which message; zero: it is not true.
func (r *RetryRecord) Since(condition State) (time.Time, string) {
	found := meta.FindStatusCondition(r.Status.Conditions, string(condition))
	if found == nil || found.Status != metav1.ConditionTrue {
		return time.Time{}, ""
	}
	return found.LastTransitionTime.Time, found.Message
}

// IsOver says whether nothing more is created for the work as it is.
func (r *RetryRecord) IsOver() bool {
	return r.Status.State == RetryRefused || r.Status.State == GivenUp || r.Status.State == Succeeded
}
