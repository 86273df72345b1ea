// Package jobset lets Mulligan decide about the restart of a JobSet.
//
// Decision point: jobset v0.12.0, pkg/controllers/failure_policy.go,
// executeFailurePolicy, which reconcile calls when a child Job has failed. Its caller
// would become
//
//	hold, err := jobset.FailurePolicy(ctx, r.gate, js, jobset.Actions{
//		Native:     func() error { return executeFailurePolicy(ctx, js, ownedJobs, updateStatusOpts) },
//		RestartAll: func(counts bool, message string) { failurePolicyRecreateAll(ctx, js, counts, updateStatusOpts, ...) },
//		Fail:       func(reason, message string) { setJobSetFailedCondition(js, reason, message, updateStatusOpts) },
//	})
//	if err != nil || hold > 0 {
//		return ctrl.Result{RequeueAfter: hold}, err
//	}
//
// What is sent: the JobSet, its Jobs, their pods, nodes and events.
//
//	RETRY, due      all Jobs anew; counts toward maxRestarts if a budget paid
//	RETRY, later    nothing until it is due
//	WAIT            the same
//	FAIL, WAIT_...  condition Failed with reason Mulligan and the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// Memory and node advice is not followed here: a JobSet's templates are immutable,
// and it takes a new JobSet (mulligan-controller does that).
package jobset

import (
	"context"
	"time"

	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/recipes/gate"
)

// FailedReason is the reason of the condition of a JobSet that is given up.
const FailedReason = "Mulligan"

// Actions are what the controller can do about a failed JobSet.
type Actions struct {
	// Native is the failure policy of the spec.
	Native func() error
	// RestartAll starts all Jobs anew; counts: toward maxRestarts.
	RestartAll func(counts bool, message string)
	// Fail sets the condition Failed.
	Fail func(reason, message string)
}

// FailurePolicy does one of the actions, or none and returns how long to hold.
func FailurePolicy(ctx context.Context, g *gate.Gate, js *jobsetv1alpha2.JobSet, actions Actions) (hold time.Duration, err error) {
	verdict, err := g.Ask(ctx, js)
	if err != nil {
		return 0, err
	}
	switch verdict.Way {
	case gate.Hold:
		return verdict.After, nil
	case gate.Retry:
		actions.RestartAll(verdict.Charged, verdict.Sentence)
		return 0, nil
	case gate.Stop:
		actions.Fail(FailedReason, verdict.Sentence)
		return 0, nil
	}
	return 0, actions.Native()
}
