// Package trainer lets Mulligan decide about a TrainJob that has failed.
//
// Decision point: trainer v2.1.0, pkg/controller/trainjob_controller.go, Reconcile,
// after setTrainJobStatus has taken over the condition Failed of the JobSet and before
// the status is written. What is sent: the TrainJob with the status of this round, its
// JobSet and Jobs, their pods, nodes and events.
//
//	RETRY, due      the JobSet is deleted, and made again once it is gone; the
//	                condition Failed is not written
//	RETRY, later    nothing is written until it is due; a JobSet that has failed has
//	                given back what it held
//	WAIT            undecided: nothing is written, asked again
//	FAIL, WAIT_...  condition Failed with the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// Failed is final: Reconcile takes it from the JobSet anew each time, so where it is
// stored for the same failure of the JobSet it is as it was stored, and nobody is asked.
// Without the right to delete the JobSet a retry is Failed as well, and an Event says why.
//
// A JobSet that could not be made is asked about, too; Trainer tries again with its own
// back-off, and never gives up:
//
//	RETRY           tried again when it is due
//	WAIT            the same
//	WAIT_..., FAIL  an Event says what is to be changed, and Trainer tries on: what was
//	                missing may be made
//
// More memory and other nodes are written into the TrainJob that the JobSet is made from
// ([Follow]), in memory: spec.trainer.resourcesPerNode where it is set, and
// spec.podTemplateOverrides. While one is suspended Trainer applies the JobSet as a whole
// in each round; it is made from what it was made from first, since most of it is immutable.
package trainer

import (
	"context"
	"slices"
	"time"

	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Reasons of Events.
const (
	// ReasonRetries is that of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits is that of a failure that is not decided yet.
	ReasonWaits = "MulliganWaits"
	// ReasonStops is that of a TrainJob that is given up.
	ReasonStops = "MulliganStops"
)

// Actions are what the controller can do about a failed TrainJob.
type Actions struct {
	// Restarting says whether the JobSet is being deleted.
	Restarting func() (bool, error)
	// DeleteJobSet with its Jobs. Must succeed where there is none.
	DeleteJobSet func() error
	// Tell records an Event.
	Tell func(reason, message string)
}

// While a JobSet goes, its TrainJob is looked at so often.
const whileGoing = time.Second

// Terminal looks at a TrainJob whose status of this round is in memory; stored is the one
// that it was read with. Without the condition Failed, and without an error about its
// JobSet (creation), it does nothing. With a positive hold nothing is to be written, and
// the TrainJob is reconciled again after it.
func Terminal(ctx context.Context, g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, stored *trainerv1alpha1.TrainJobStatus, creation error, actions Actions) (hold time.Duration, err error) {
	if !g.Open() {
		return 0, nil
	}
	failed := meta.FindStatusCondition(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed)
	if failed == nil || failed.Status != metav1.ConditionTrue {
		if creation == nil {
			return 0, nil
		}
		return notMade(ctx, g, trainJob, actions)
	}
	if final := meta.FindStatusCondition(stored.Conditions, trainerv1alpha1.TrainJobFailed); sameFailure(final, failed) {
		*failed = *final
		return 0, nil
	}
	// A failed JobSet that is being deleted was decided about: not again, and not Failed.
	if restarting, err := actions.Restarting(); err != nil || restarting {
		return whileGoing, err
	}
	verdict, err := g.Ask(ctx, trainJob)
	if err != nil {
		return 0, err
	}
	switch verdict.Way {
	case gate.Later:
		actions.Tell(ReasonRetries, verdict.Sentence)
		return verdict.After, nil
	case gate.Wait:
		actions.Tell(ReasonWaits, verdict.Sentence)
		return verdict.After, nil
	case gate.Retry:
		actions.Tell(ReasonRetries, verdict.Sentence)
		return restart(actions)
	case gate.Stop:
		actions.Tell(ReasonStops, verdict.Sentence)
		failed.Message = verdict.Sentence
	}
	return 0, nil
}

// sameFailure says whether both conditions were taken from one failure of one JobSet. The
// message may be ours.
func sameFailure(stored, taken *metav1.Condition) bool {
	return stored != nil && stored.Status == metav1.ConditionTrue && stored.Reason == taken.Reason &&
		stored.LastTransitionTime.Equal(&taken.LastTransitionTime)
}

// restart deletes the JobSet. What the operator may not do it will not be able to do in the
// next round either.
func restart(actions Actions) (hold time.Duration, err error) {
	err = actions.DeleteJobSet()
	if apierrors.IsForbidden(err) {
		actions.Tell(ReasonStops, "the JobSet cannot be made again: "+err.Error())
		return 0, nil
	}
	return whileGoing, err
}

// notMade asks about a JobSet that could not be made. The Event of the controller says
// why; until it is stored there is nothing to decide.
func notMade(ctx context.Context, g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, actions Actions) (hold time.Duration, err error) {
	verdict, err := g.Ask(ctx, trainJob)
	if err != nil {
		return 0, err
	}
	// An error of Trainer's own that passes, such as a JobSet that is not found as it is
	// applied: it looks again by itself, and at once.
	if verdict.Advice != nil && verdict.Advice.Response.GetDiagnosis().GetCause() == mulliganv1.Cause_NOT_FAILED {
		return 0, nil
	}
	switch verdict.Way {
	case gate.Retry, gate.Later:
		actions.Tell(ReasonRetries, verdict.Sentence)
	case gate.Wait:
		actions.Tell(ReasonWaits, verdict.Sentence)
	case gate.Stop:
		actions.Tell(ReasonStops, verdict.Sentence)
	}
	return verdict.After, nil
}

// Follow returns the TrainJob that the JobSet is to be made from, and what of the advice
// could not be followed. made is when the JobSet was made, zero where there is none: what
// was advised since is for the next one.
func Follow(g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, made, now time.Time) (*trainerv1alpha1.TrainJob, []string, error) {
	if !g.Open() {
		return trainJob, nil, nil
	}
	followed := trainJob.DeepCopy()
	if !made.IsZero() {
		if err := adviseAsOf(followed, made); err != nil {
			return nil, nil, err
		}
		now = made
	}
	notes, err := g.FollowIn(followed, now)
	return followed, notes, err
}

// adviseAsOf takes from the ledger what is later. The API server tells times in seconds. One
// that cannot be read stays, for whoever follows it to note.
func adviseAsOf(trainJob *trainerv1alpha1.TrainJob, made time.Time) error {
	ledger, err := mulligan.LedgerFrom(trainJob)
	if err != nil || len(ledger.GetHistory()) == 0 {
		return nil
	}
	ledger.History = slices.DeleteFunc(ledger.GetHistory(), func(record *mulliganv1.AttemptRecord) bool {
		return record.GetObservedAt().AsTime().Truncate(time.Second).After(made)
	})
	trainJob.Annotations[mulligan.LedgerAnnotation], err = mulligan.EncodeLedger(ledger)
	return err
}
