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
//	FAIL, WAIT_...  condition Failed with the sentence; a change of the spec clears it,
//	                as it does without Mulligan
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// More memory and other nodes are not followed: the JobSet is made from the runtime's
// template by plugins.
package trainer

import (
	"context"
	"time"

	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan/gate"
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

// Terminal looks at a TrainJob whose status of this round is in memory. Without the
// condition Failed it does nothing. With a positive hold nothing is to be written, and
// the TrainJob is reconciled again after it.
func Terminal(ctx context.Context, g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, actions Actions) (hold time.Duration, err error) {
	failed := meta.FindStatusCondition(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed)
	if failed == nil || failed.Status != metav1.ConditionTrue || !g.Open() {
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
		return whileGoing, actions.DeleteJobSet()
	case gate.Stop:
		actions.Tell(ReasonStops, verdict.Sentence)
		failed.Message = verdict.Sentence
	}
	return 0, nil
}
