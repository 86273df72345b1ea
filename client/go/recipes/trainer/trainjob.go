// Package trainer lets Mulligan decide on a TrainJob that has failed.
//
// Decision point: trainer, pkg/controller/trainjob_controller.go, Reconcile,
// after setTrainJobStatus has copied the condition Failed from the JobSet and before
// the status is written. Sent are the TrainJob with the status of this round, its
// JobSet and Jobs, their pods, nodes and events.
//
//	RETRY, due      the JobSet is deleted, and made again when it is gone; the
//	                condition Failed is not written
//	RETRY, later    nothing is written until it is due; a failed JobSet has already
//	                released its resources
//	WAIT            undecided: nothing is written, asked again
//	FAIL, WAIT_...  condition Failed with the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// Failed is final. Reconcile copies it from the JobSet each time, so if it is stored
// for the same failure of the JobSet, the stored one is kept and Mulligan is not asked.
// Without the right to delete the JobSet a retry becomes Failed, and an Event says why.
//
// A JobSet that could not be made is asked about, too. Trainer retries that with its
// own back-off and never gives up:
//
//	RETRY           tried again when it is due
//	WAIT            the same
//	WAIT_..., FAIL  an Event says what to change, and Trainer continues, because what is
//	                missing may appear
//
// More memory and other nodes are written, in memory, into the TrainJob from which the
// JobSet is made ([Follow]): spec.trainer.resourcesPerNode if it is set, and
// spec.runtimePatches (before 2.3: podTemplateOverrides). While a TrainJob is suspended, Trainer applies the whole
// JobSet in each round; it must not change, because most of it is immutable.
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
	// ReasonRetries of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits of an undecided failure.
	ReasonWaits = "MulliganWaits"
	// ReasonStops of a TrainJob that is given up.
	ReasonStops = "MulliganStops"
)

// Actions are the controller's possible reactions to a failed TrainJob.
type Actions struct {
	// Restarting says whether the JobSet is being deleted.
	Restarting func() (bool, error)
	// DeleteJobSet with its Jobs. Must succeed if there is none.
	DeleteJobSet func() error
	// Tell records an Event.
	Tell func(reason, message string)
}

// The pause between two looks at a TrainJob whose JobSet is being deleted.
const whileGoing = time.Second

// Terminal checks a TrainJob whose status of this round is in memory; stored is the
// status that was read. It does nothing without the condition Failed and without an
// error about its JobSet (creation). With a positive hold, write nothing and reconcile
// again after it.
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
	// A failed JobSet that is being deleted was decided already, and is not Failed.
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

// sameFailure returns whether both conditions are from one failure of one JobSet. The
// message may be ours.
func sameFailure(stored, taken *metav1.Condition) bool {
	return stored != nil && stored.Status == metav1.ConditionTrue && stored.Reason == taken.Reason &&
		stored.LastTransitionTime.Equal(&taken.LastTransitionTime)
}

// restart deletes the JobSet. If that is forbidden, it would be in the next round, too.
func restart(actions Actions) (hold time.Duration, err error) {
	err = actions.DeleteJobSet()
	if apierrors.IsForbidden(err) {
		actions.Tell(ReasonStops, "the JobSet cannot be made again: "+err.Error())
		return 0, nil
	}
	return whileGoing, err
}

// notMade asks about a JobSet that could not be made. The controller's Event says why;
// until it is stored there is nothing to decide.
func notMade(ctx context.Context, g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, actions Actions) (hold time.Duration, err error) {
	verdict, err := g.Ask(ctx, trainJob)
	if err != nil {
		return 0, err
	}
	// A transient error of Trainer's own, such as a JobSet that is not found while it
	// is applied. Trainer looks again by itself, at once.
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

// Follow returns the TrainJob to make the JobSet from, and the advice that could not be
// followed. made is when the JobSet was made; zero if there is none. Later advice is
// for the next one.
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

// adviseAsOf removes later records from the ledger. The API server has times in
// seconds. An invalid ledger stays, so that FollowIn notes it.
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
