// Package gate is what the recipes share: ask Mulligan at the place where an
// operator decides about a retry, and say in five words what to do there.
package gate

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

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
	// Deadline of a question with all that is read for it and of storing the
	// ledger; the call itself has that of [mulligan.Dial]. Zero: 2 seconds; a
	// reconcile should not wait long.
	Deadline time.Duration
}

// New opens a gate. kube stores the ledger; live reads what a report needs, but for the
// kinds that are watched, which are listed from kube's cache: those that the operator
// watches for itself.
func New(service mulliganv1.RetryDecisionServiceClient, kube client.Client, live client.Reader, watched ...string) *Gate {
	g := &Gate{Enabled: true, Asker: &mulligan.Asker{Service: counting{service}, Kube: kube, Reader: live}}
	if len(watched) > 0 {
		g.Asker.Reader = reader{Reader: live, cache: kube, scheme: kube.Scheme(), watched: watched}
	}
	g.Asker.Edit = func(ctx context.Context, obj client.Object, request *mulliganv1.DecideRequest) error {
		request.ReplacesOperator = true
		return g.addKept(ctx, obj, request)
	}
	return g
}

// Way is what to do at the place of decision.
type Way int

const (
	// Native: what the operator does without Mulligan. The flag is off, there is no
	// answer that could be stored, or nothing is to be decided.
	Native Way = iota
	// Retry: start the next attempt now.
	Retry
	// Later: give back what the ended attempt holds, and start the next one after
	// Verdict.After.
	Later
	// Wait: undecided. Change nothing, since what is there is evidence, and ask again
	// after Verdict.After.
	Wait
	// Stop: no further attempt. The reason is Verdict.Sentence.
	Stop
)

func (w Way) String() string { return [...]string{"Native", "Retry", "Later", "Wait", "Stop"}[w] }

// Verdict is the way with its particulars.
type Verdict struct {
	Way Way
	// After is how long to hold. Positive for Later and Wait, else zero.
	After time.Duration
	// Sentence for a condition or an Event. Empty for Native.
	Sentence string
	// Charged says whether a budget paid.
	Charged bool
	// Counts says whether the operator's own counter moves: a budget paid for a fault
	// of the work itself. What its surroundings are to blame for leaves the counter
	// alone, so that a limit of one means one bug, also on the day the flag is switched
	// off.
	Counts bool
	// Advice is the whole answer; nil for Native.
	Advice *mulligan.Advice
	// NoAnswer is why there is none although it was asked for. It is in the log, too.
	NoAnswer error
}

// Pauses are at least this long, so that a reconcile does not spin.
const leastPause = time.Second

const defaultDeadline = 2 * time.Second

// Ask returns the way. obj is the object as the operator is about to see it: the
// status in memory may be newer than the stored one.
//
// An error means that obj was not the latest, or that ctx has ended: do nothing, and
// reconcile again. That ends by itself, and the repeated answer is free. Whatever else
// stands between the question and a stored answer may last for ever, so it is Native
// with [Verdict.NoAnswer], as is a service that is away: reads that are slow or forbidden,
// an annotation that is no ledger, a patch that is refused. Where it is not known whether
// the ledger was stored, as after a timeout, obj's resource version tells: it is still the
// old one, so that the operator's own update is a conflict if it was.
func (g *Gate) Ask(ctx context.Context, obj client.Object) (Verdict, error) {
	if !g.Open() {
		return Verdict{}, nil
	}
	deadline := g.Deadline
	if deadline == 0 {
		deadline = defaultDeadline
	}
	bounded, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	advice, err := g.Asker.Ask(bounded, obj)
	switch {
	case ctx.Err() != nil:
		return Verdict{}, ctx.Err()
	case apierrors.IsConflict(err):
		return Verdict{}, err
	case err == nil:
		err = advice.NoAnswer
	}
	if err != nil {
		log.FromContext(ctx).Info("Mulligan has no answer: decided as without it", "reason", err.Error())
		return Verdict{NoAnswer: err}, nil
	}
	verdict := askedIn(ctx).verdict(advice.Response)
	if verdict.Way != Native {
		verdict.Advice = advice
	}
	log.FromContext(ctx).Info("Mulligan was asked", "action", advice.Action().String(), "way", verdict.Way.String(),
		"after", verdict.After.String(), "sentence", advice.Decision.GetSentence())
	return verdict, nil
}

// AskCounting does the same for the operator of obj, where it moves its own counter as
// [Verdict.Counts] says: what it counts in between, since nobody answered, is charged with
// the next answer. It is for the kinds that have a row in the table of counters. Where
// its user's word is to go on whatever happens, a Stop is Native, charged or not.
func (g *Gate) AskCounting(ctx context.Context, obj client.Object) (Verdict, error) {
	if !g.Open() {
		return Verdict{}, nil
	}
	gvk, err := apiutil.GVKForObject(obj, g.Asker.Kube.Scheme())
	if err != nil {
		return Verdict{}, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
	}
	if counters[gvk.Kind] == nil {
		return Verdict{}, fmt.Errorf("mulligan: %s: a %s has no counter that is held back", obj.GetName(), gvk.Kind)
	}
	asked := &heldBack{kind: gvk.Kind}
	verdict, err := g.Ask(context.WithValue(ctx, heldBack{}, asked), obj)
	verdict.Counts = verdict.Way != Native && asked.moves
	return verdict, err
}

// Open says whether there is anybody to ask.
func (g *Gate) Open() bool { return g != nil && g.Enabled }
