// Package spark lets Mulligan decide about the next run of a SparkApplication.
//
// Decision point: spark-operator v2.3.0, pkg/util/sparkapplication.go, ShouldRetry
// with TimeUntilNextRetryDue, before internal/controller/sparkapplication/controller.go
// asks them in reconcileFailingSparkApplication and
// reconcileFailedSubmissionSparkApplication. What is sent: the SparkApplication, driver
// and executor pods, nodes and events.
//
//	RETRY, due      after a run: the driver's pod is deleted, with it its executors, and
//	                the state is PENDING_RERUN, as without Mulligan; after a refused
//	                submission: submitted again
//	RETRY, later    after a run the same at once, so that everything is given back; the
//	                state stays PENDING_RERUN until it is due ([Hold]). A submission that
//	                was refused holds nothing: the state stays
//	WAIT            undecided: nothing changes, what runs is evidence. A submission that
//	                was refused is tried again after the wait: nothing else would show
//	                that a quota has room
//	FAIL, WAIT_...  FAILED; status.applicationState.errorMessage is the sentence. With a
//	                restartPolicy of Always as without Mulligan
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// executionAttempts and submissionAttempts, which onFailureRetries and
// onSubmissionFailureRetries are compared with, do not grow by what the work is not to
// blame for. A restartPolicy is the user's word: Never is not asked about, and Always, as of
// a stream, goes on whatever is charged.
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
	// ReasonRetries is that of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits is that of a failure that is not decided yet.
	ReasonWaits = "MulliganWaits"
	// ReasonStops is that of an application that is given up.
	ReasonStops = "MulliganStops"
)

// Actions are what the controller can do about a failed application.
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
// FailedSubmission, or gives it up, in memory. decided: ShouldRetry is not asked. With a
// positive hold nothing is to be written and the round is repeated after it.
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
	// The next one will count itself.
	if !verdict.Counts || verdict.Way == gate.Wait {
		*attempts = max(0, *attempts-1)
	}
	return true, 0, next()
}

// Hold is how long an application that is PENDING_RERUN stays so. Another spec, which
// clears the termination time, need not wait for that.
func Hold(g *gate.Gate, app *v1beta2.SparkApplication, now time.Time) time.Duration {
	if app.Status.AppState.State != v1beta2.ApplicationStatePendingRerun || app.Status.TerminationTime.IsZero() {
		return 0
	}
	return g.Pause(app, now)
}

// Follow writes what was advised for the next run into the spec that is about to be
// submitted, in memory. It returns what could not be followed, and what makes the spec
// the user's again.
func Follow(g *gate.Gate, app *v1beta2.SparkApplication, now time.Time) (notes []string, restore func(), err error) {
	own := app.Spec.DeepCopy()
	notes, err = g.FollowIn(app, now)
	return notes, func() { app.Spec = *own }, err
}
