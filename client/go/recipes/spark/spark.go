// Package spark lets Mulligan decide on the next run of a SparkApplication.
//
// Decision point: spark-operator, pkg/util/sparkapplication.go, ShouldRetry with
// TimeUntilNextRetryDue, before internal/controller/sparkapplication/controller.go
// calls them in reconcileFailingSparkApplication and
// reconcileFailedSubmissionSparkApplication. Sent are the SparkApplication, driver and
// executor pods, nodes and events.
//
//	RETRY, due      after a run: the driver's pod is deleted with its executors, and the
//	                state is PENDING_RERUN, as without Mulligan; after a refused
//	                submission: submitted again
//	RETRY, later    after a run: the same at once, so that all resources are released; the
//	                state stays PENDING_RERUN until it is due ([Hold]). After a refused
//	                submission, which holds nothing, the state stays
//	WAIT            undecided: nothing changes, because what runs is evidence. A refused
//	                submission is tried again after the wait, because nothing else would
//	                show that a quota has room
//	FAIL, WAIT_...  FAILED; status.applicationState.errorMessage is the sentence. With
//	                restartPolicy Always, as without Mulligan
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// executionAttempts and submissionAttempts, which onFailureRetries and
// onSubmissionFailureRetries limit, grow only if the work is to blame. The user's
// restartPolicy is respected: Never is not asked about, and Always, as of a stream,
// continues whatever is charged.
package spark

import (
	"context"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan/gate"
)

// Reasons of Events.
const (
	// ReasonRetries of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits of an undecided failure.
	ReasonWaits = "MulliganWaits"
	// ReasonStops of an application that is given up.
	ReasonStops = "MulliganStops"
)

// Actions are the controller's possible reactions to a failed application.
type Actions struct {
	// Rerun deletes what the run has made and sets PENDING_RERUN.
	Rerun func() error
	// Submit submits it again.
	Submit func() error
	// GiveUp records the operator's own Event of a submission that is given up.
	GiveUp func()
	// Tell records an Event.
	Tell func(reason, message string)
}

// Decide does one of the actions about an application in the state Failing or
// FailedSubmission, or gives it up, in memory. If decided, ShouldRetry is not called.
// With a positive hold, write nothing and repeat the round after it.
func Decide(ctx context.Context, g *gate.Gate, app *v1beta2.SparkApplication, actions Actions) (decided bool, hold time.Duration, err error) {
	if app.Spec.RestartPolicy.Type == v1beta2.RestartPolicyNever {
		return false, 0, nil
	}
	verdict, err := g.AskCounting(ctx, app)
	if err != nil {
		return false, 0, err
	}
	status := &app.Status
	submission := status.AppState.State == v1beta2.ApplicationStateFailedSubmission
	switch verdict.Way {
	case gate.Native:
		return false, 0, nil
	case gate.Stop:
		actions.Tell(ReasonStops, verdict.Sentence)
		status.AppState = v1beta2.ApplicationState{State: v1beta2.ApplicationStateFailed, ErrorMessage: verdict.Sentence}
		if submission {
			status.TerminationTime = metav1.Now()
			actions.GiveUp()
		}
		return true, 0, nil
	case gate.Wait:
		actions.Tell(ReasonWaits, verdict.Sentence)
		if hold = verdict.After; submission {
			hold = time.Until(status.LastSubmissionAttemptTime.Add(hold))
		}
	default:
		actions.Tell(ReasonRetries, verdict.Sentence)
		if submission {
			hold = verdict.After
		}
	}
	if hold > 0 {
		return true, hold, nil
	}
	attempts, next := &status.ExecutionAttempts, actions.Rerun
	if submission {
		attempts, next = &status.SubmissionAttempts, actions.Submit
	}
	// The next attempt counts itself.
	if !verdict.Counts || verdict.Way == gate.Wait {
		*attempts = max(0, *attempts-1)
	}
	if !submission {
		// Since 2.5 it also counts the submissions of earlier runs.
		status.SubmissionAttempts = min(status.SubmissionAttempts, status.ExecutionAttempts)
	}
	return true, 0, next()
}

// Hold returns how long an application stays PENDING_RERUN. Zero after a change of the
// spec, which clears the termination time.
func Hold(g *gate.Gate, app *v1beta2.SparkApplication, now time.Time) time.Duration {
	if app.Status.AppState.State != v1beta2.ApplicationStatePendingRerun || app.Status.TerminationTime.IsZero() {
		return 0
	}
	return g.Pause(app, now)
}

// Follow writes the advice for the next run into the spec that is about to be
// submitted, in memory. It returns the advice that could not be followed, and a
// function that restores the user's spec.
func Follow(g *gate.Gate, app *v1beta2.SparkApplication, now time.Time) (notes []string, restore func(), err error) {
	own := app.Spec.DeepCopy()
	notes, err = g.FollowIn(app, now)
	return notes, func() { app.Spec = *own }, err
}
