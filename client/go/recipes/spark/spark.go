// Package spark lets Mulligan decide about the next run of a SparkApplication.
//
// Decision point: spark-operator v2.3.0, pkg/util/sparkapplication.go, ShouldRetry
// with TimeUntilNextRetryDue, which internal/controller/sparkapplication/controller.go
// asks in reconcileFailingSparkApplication and reconcileFailedSubmissionSparkApplication.
// Both would call
//
//	next, err := spark.Next(ctx, r.gate, app, util.ShouldRetry, util.TimeUntilNextRetryDue)
//	switch {
//	case err != nil:
//		return err
//	case next.After > 0:
//		result.RequeueAfter = next.After // the state stays
//	case next.Retry:
//		// delete the resources, then PENDING_RERUN, as now
//	default:
//		app.Status.AppState.State = v1beta2.ApplicationStateFailed
//	}
//
// What is sent: the SparkApplication, driver and executor pods, nodes and events.
//
//	RETRY, due      the resources are deleted and the application is submitted again
//	RETRY, later    the state stays until it is due
//	WAIT            the same
//	FAIL, WAIT_...  FAILED; status.applicationState.errorMessage is the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A restartPolicy of Never is the user's word and is not overruled.
package spark

import (
	"context"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"

	"mulligan.dev/mulligan/gate"
)

// Run is what comes next.
type Run struct {
	// Retry: the application is run again.
	Retry bool
	// After is how long to leave the state as it is, whatever Retry says; zero: now.
	After time.Duration
}

// Next decides about an application in the state Failing or FailedSubmission.
func Next(ctx context.Context, g *gate.Gate, app *v1beta2.SparkApplication, shouldRetry func(*v1beta2.SparkApplication) bool, due func(*v1beta2.SparkApplication) (time.Duration, error)) (Run, error) {
	if app.Spec.RestartPolicy.Type == v1beta2.RestartPolicyNever {
		return native(app, shouldRetry, due)
	}
	verdict, err := g.Ask(ctx, app)
	if err != nil {
		return Run{}, err
	}
	switch verdict.Way {
	case gate.Later, gate.Wait:
		return Run{After: verdict.After}, nil
	case gate.Retry:
		return Run{Retry: true}, nil
	case gate.Stop:
		app.Status.AppState.ErrorMessage = verdict.Sentence
		return Run{}, nil
	}
	return native(app, shouldRetry, due)
}

func native(app *v1beta2.SparkApplication, shouldRetry func(*v1beta2.SparkApplication) bool, due func(*v1beta2.SparkApplication) (time.Duration, error)) (Run, error) {
	if !shouldRetry(app) {
		return Run{}, nil
	}
	after, err := due(app)
	if err != nil {
		return Run{}, err
	}
	return Run{Retry: true, After: max(after, 0)}, nil
}
