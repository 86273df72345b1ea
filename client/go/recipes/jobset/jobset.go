// Package jobset lets Mulligan decide about the restart of a JobSet.
//
// Decision point: jobset v0.12.0, pkg/controllers/jobset_controller.go, reconcile,
// before it calls executeFailurePolicy because a child Job has failed. What is sent:
// the JobSet, its Jobs, their pods, nodes and events.
//
//	RETRY, due      all Jobs anew; counts toward maxRestarts where the work is to blame
//	RETRY, later    the Jobs that still run are deleted, all Jobs anew when it is due
//	WAIT            undecided: nothing changes, the members that run are evidence
//	FAIL, WAIT_...  condition Failed with reason Mulligan and the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// Jobs of a restart are made from the JobSet's templates, which are immutable; more
// memory and other nodes are written into the Jobs ([Follow]).
package jobset

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/gate"
)

// Reasons of conditions and Events.
const (
	// ReasonFailed is that of the condition Failed.
	ReasonFailed = "Mulligan"
	// ReasonRestarts is that of the condition Restarting once the restart has begun.
	ReasonRestarts = "MulliganRestarts"
	// ReasonHolds is that of the condition Restarting until the restart is due.
	ReasonHolds = "MulliganHolds"
	// ReasonWaits is that of the Event about a failure that is not decided yet.
	ReasonWaits = "MulliganWaits"
)

// Actions are what the controller can do about a failed JobSet.
type Actions struct {
	// Restart makes all Jobs anew; counts: toward maxRestarts.
	Restart func(counts bool, message string)
	// Release deletes the Jobs that still run and says so in the status.
	Release func(message string) error
	// Tell records an Event.
	Tell func(reason, message string)
	// Fail sets the condition Failed.
	Fail func(reason, message string)
}

// FailurePolicy does one of the actions. decided: the failure policy of the spec is
// not asked, and the JobSet is reconciled again after a positive hold.
func FailurePolicy(ctx context.Context, g *gate.Gate, js *jobsetv1alpha2.JobSet, actions Actions) (decided bool, hold time.Duration, err error) {
	verdict, err := g.Ask(ctx, js)
	if err != nil {
		return false, 0, err
	}
	switch verdict.Way {
	case gate.Retry:
		actions.Restart(verdict.Counts, verdict.Sentence)
	case gate.Later:
		err = actions.Release(verdict.Sentence)
	case gate.Wait:
		actions.Tell(ReasonWaits, verdict.Sentence)
	case gate.Stop:
		actions.Fail(ReasonFailed, verdict.Sentence)
	default:
		return false, 0, nil
	}
	return true, verdict.After, err
}

// Follow writes what was advised for the restart into Jobs that are about to be
// created. It returns what could not be followed.
func Follow(g *gate.Gate, js *jobsetv1alpha2.JobSet, jobs []*batchv1.Job, now time.Time) ([]string, error) {
	var templates []*corev1.PodTemplateSpec
	for _, job := range jobs {
		templates = append(templates, &job.Spec.Template)
	}
	return g.Follow(js, now, templates...)
}
