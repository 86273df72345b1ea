// Package gate is shared by the recipes: it asks Mulligan where an operator decides on
// a retry, and returns one of five ways to go on.
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

// Gate is the operator's feature: a flag and an [mulligan.Asker]. A nil Gate is closed.
type Gate struct {
	// Enabled is the operator's flag. If false, everything is as without Mulligan.
	Enabled bool
	// Asker asks, and stores the ledger on the object. Mandatory if Enabled.
	Asker *mulligan.Asker
	// Deadline of a question, including the reads for it and the write of the ledger.
	// The call itself has the deadline of [mulligan.Dial]. Zero: 2 seconds, because a
	// reconcile should not wait long.
	Deadline time.Duration
}

// New opens a gate. kube stores the ledger. live reads the report's objects, except for
// the watched kinds, which are listed from kube's cache: those that the operator itself
// watches.
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

// Way is how the operator goes on.
type Way int

const (
	// Native: as without Mulligan. The flag is off, no answer could be stored, or there
	// is nothing to decide.
	Native Way = iota
	// Retry: start the next attempt now.
	Retry
	// Later: release the resources of the ended attempt, and start the next one after
	// Verdict.After.
	Later
	// Wait: undecided. Change nothing, to keep the evidence, and ask again after
	// Verdict.After.
	Wait
	// Stop: no further attempt. The reason is Verdict.Sentence.
	Stop
)

func (w Way) String() string { return [...]string{"Native", "Retry", "Later", "Wait", "Stop"}[w] }

// Verdict is the way, with details.
type Verdict struct {
	Way Way
	// After is how long to wait. Positive for Later and Wait, else zero.
	After time.Duration
	// Sentence for a condition or an Event. Empty for Native.
	Sentence string
	// Charged says whether a budget paid.
	Charged bool
	// Counts says whether the operator's own counter moves: a budget paid for a fault
	// of the work itself. Faults of the environment do not move it, so that a limit of
	// one means one bug, also when the flag is off again.
	Counts bool
	// Advice is the whole answer; nil for Native.
	Advice *mulligan.Advice
	// NoAnswer is why an answer is missing. It is also logged.
	NoAnswer error
}

// The least pause, so that a reconcile does not spin.
const leastPause = time.Second

const defaultDeadline = 2 * time.Second

// Ask returns the verdict. obj is the object as the operator is about to see it, so its
// status in memory may be newer than the stored one.
//
// An error means that obj was not the latest version, or that ctx ended: do nothing and
// reconcile again, which costs nothing. All other errors may last, so they are Native
// with [Verdict.NoAnswer], like a service that is away: slow or forbidden reads, an
// invalid annotation, a refused patch. If it is unknown whether the ledger was stored,
// as after a timeout, obj keeps its old resource version. If the ledger was stored, the
// operator's own update is then a conflict.
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

// AskCounting is Ask for an operator that moves its own counter by [Verdict.Counts].
// Failures that it counts while there is no answer are charged with the next answer.
// Only kinds in the table of counters are allowed. If the user wants to continue
// in any case, a Stop becomes Native, charged or not.
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

// Open returns whether the gate asks Mulligan.
func (g *Gate) Open() bool { return g != nil && g.Enabled }
