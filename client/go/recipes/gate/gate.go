// Package gate is what the recipes share: ask Mulligan at the place where an
// operator decides about a retry, and say in four words what to do there.
package gate

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Gate is the operator's feature: a flag, and who is asked. A nil Gate is closed.
type Gate struct {
	// Enabled is the operator's flag. False: everything stays as it is without
	// Mulligan.
	Enabled bool
	// Asker asks and stores the ledger on the object. Mandatory when Enabled.
	Asker *mulligan.Asker
	// Deadline of a question. Zero: 2 seconds; a reconcile should not wait long.
	Deadline time.Duration
}

// Way is what to do at the place of decision.
type Way int

const (
	// Native: what the operator does without Mulligan. The flag is off, there is no
	// answer, or nothing is to be decided.
	Native Way = iota
	// Retry: start the next attempt now.
	Retry
	// Hold: change nothing and persist nothing; look again after Verdict.After.
	Hold
	// Stop: no further attempt. The reason is Verdict.Sentence.
	Stop
)

func (w Way) String() string { return [...]string{"Native", "Retry", "Hold", "Stop"}[w] }

// Verdict is the way with its particulars.
type Verdict struct {
	Way Way
	// After is how long to hold. Positive for Hold, else zero.
	After time.Duration
	// Sentence for a condition or an Event. Empty for Native.
	Sentence string
	// Charged says whether a budget paid. The operator's own counter moves with it,
	// so that it is right on the day the flag is switched off.
	Charged bool
	// Advice is the whole answer; nil for Native.
	Advice *mulligan.Advice
	// NoAnswer is why there is none although it was asked for; for the log.
	NoAnswer error
}

// Pauses of a Hold are at least this long, so that a reconcile does not spin.
const leastHold = time.Second

const defaultDeadline = 2 * time.Second

// Ask returns the way. obj is the object as the operator is about to see it: the
// status in memory may be newer than the stored one. An error means that the ledger
// could not be stored: do nothing, and reconcile again.
func (g *Gate) Ask(ctx context.Context, obj client.Object) (Verdict, error) {
	if g == nil || !g.Enabled {
		return Verdict{}, nil
	}
	deadline := g.Deadline
	if deadline == 0 {
		deadline = defaultDeadline
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	advice, err := g.Asker.Ask(ctx, obj)
	if err != nil {
		return Verdict{}, err
	}
	if advice.NoAnswer != nil {
		return Verdict{NoAnswer: advice.NoAnswer}, nil
	}
	return verdictOf(advice), nil
}

func verdictOf(advice *mulligan.Advice) Verdict {
	v := Verdict{
		Sentence: advice.Decision.GetSentence(),
		Charged:  chargedOf(advice.Response),
		Advice:   advice,
	}
	switch advice.Action() {
	case mulliganv1.Decision_RETRY:
		if v.After = advice.RetryAfter(); v.After > 0 {
			v.Way, v.After = Hold, max(v.After, leastHold)
		} else {
			v.Way = Retry
		}
	case mulliganv1.Decision_WAIT:
		v.Way, v.After = Hold, max(advice.RetryAfter(), leastHold)
	case mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE:
		v.Way = Stop
	default:
		return Verdict{}
	}
	return v
}

// chargedOf looks at the record of the failure: an answer told again charges
// nothing, but the failure was charged.
func chargedOf(response *mulliganv1.DecideResponse) bool {
	if response.GetAccounting().GetUnits() > 0 {
		return true
	}
	for _, record := range response.GetLedger().GetHistory() {
		if record.GetFailureId() == response.GetFailureId() {
			return record.GetChargedTo() != ""
		}
	}
	return false
}
