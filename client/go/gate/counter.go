package gate

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	sparkv1beta2 "mulligan.dev/mulligan/gen/mulligan/kubernetes/spark/v1beta2"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// A counter of an operator whose recipe increments it only for faults of the work
// itself ([Verdict.Counts]), and so counts fewer failures than the ledger.
type counter struct {
	// has returns the number of failures counted before the current one.
	has func(report *mulliganv1.FailureReport) int32
	// keeps returns how many of them remain counted after the next attempt begins.
	keeps func(report *mulliganv1.FailureReport) int32
	// set sets the number of failures.
	set func(report *mulliganv1.FailureReport, failures int32)
	// name returns the operator's name for the attempt. The counter cannot identify it,
	// because it does not count all attempts.
	name func(report *mulliganv1.FailureReport) string
	// goesOn returns whether the user wants to continue in any case. Nil: never.
	goesOn func(report *mulliganv1.FailureReport) bool
}

// The counters by kind. JobSet and Trainer need none, because status.restarts counts
// every restart. Kueue can have none: docs/recipes.md.
var counters = map[string]*counter{
	// KubeRay asks before it counts the current failure.
	"RayJob": {
		has:   failedBefore,
		keeps: failedBefore,
		set: func(report *mulliganv1.FailureReport, failures int32) {
			report.GetRayJob().GetStatus().Failed = proto.Int32(failures + 1)
		},
		name: func(report *mulliganv1.FailureReport) string {
			return report.GetRayJob().GetStatus().GetRayClusterName()
		},
	},
	// Both counters include the current attempt.
	"SparkApplication": {
		has: func(report *mulliganv1.FailureReport) int32 {
			return mostTries(report.GetSparkApplication().GetStatus()) - 1
		},
		keeps: func(report *mulliganv1.FailureReport) int32 {
			status := report.GetSparkApplication().GetStatus()
			if status.GetApplicationState().GetState() == "SUBMISSION_FAILED" {
				return mostTries(status) - 1
			}
			// No submission of the next run is counted yet.
			return status.GetExecutionAttempts() - 1
		},
		set: func(report *mulliganv1.FailureReport, failures int32) {
			status := report.GetSparkApplication().GetStatus()
			status.ExecutionAttempts = proto.Int32(failures + 1)
			status.SubmissionAttempts = proto.Int32(min(status.GetSubmissionAttempts(), failures+1))
		},
		name: func(report *mulliganv1.FailureReport) string {
			return report.GetSparkApplication().GetStatus().GetSubmissionId()
		},
		goesOn: func(report *mulliganv1.FailureReport) bool {
			return report.GetSparkApplication().GetSpec().GetRestartPolicy().GetType() == "Always"
		},
	},
}

func failedBefore(report *mulliganv1.FailureReport) int32 {
	return report.GetRayJob().GetStatus().GetFailed()
}

func mostTries(status *sparkv1beta2.SparkApplicationStatus) int32 {
	return max(status.GetExecutionAttempts(), status.GetSubmissionAttempts())
}

// heldBack is a question of an operator that holds its counter back, and its context
// key.
type heldBack struct {
	kind string
	// The user wants to continue in any case, so a Stop becomes Native.
	goesOn bool
	// The counter moves when the caller acts on the answer.
	moves bool
}

// askedIn returns nil if the operator counts every failure.
func askedIn(ctx context.Context) *heldBack {
	asked, _ := ctx.Value(heldBack{}).(*heldBack)
	return asked
}

// verdict returns the verdict of an answer to this question.
func (asked *heldBack) verdict(response *mulliganv1.DecideResponse) Verdict {
	verdict := VerdictOf(response)
	if asked != nil && asked.goesOn && verdict.Way == Stop {
		return Verdict{}
	}
	return verdict
}

// counting is the service. It also reports failures that the operator decided alone
// since the last answer, as when there was none. The ledger stores the counter's value
// after the caller acts on an answer; failures beyond it had no answer.
type counting struct {
	mulliganv1.RetryDecisionServiceClient
}

func (c counting) Decide(ctx context.Context, request *mulliganv1.DecideRequest, options ...grpc.CallOption) (*mulliganv1.DecideResponse, error) {
	asked := askedIn(ctx)
	if asked == nil {
		return c.RetryDecisionServiceClient.Decide(ctx, request, options...)
	}
	row := counters[asked.kind]
	report, ledger := request.GetReport(), request.GetLedger()
	asked.goesOn = row.goesOn != nil && row.goesOn(report)
	if report.GetFailureId() == "" {
		report.FailureId = row.name(report)
	}
	kept := row.keeps(report)
	// Asked again about a failure with an answer that was not acted on, none is
	// missing.
	if missed := row.has(report) - ledger.GetNativeCount(); missed > 0 {
		row.set(report, ledger.GetAttemptsSeen()+missed)
	}
	response, err := c.RetryDecisionServiceClient.Decide(ctx, request, options...)
	if err != nil {
		return nil, err
	}
	if response.GetAccounting().GetDuplicate() {
		// The evidence may be gone by now, so the failure counts as before.
		asked.moves = ledger.GetNativeCount() > kept
		return response, nil
	}
	verdict := asked.verdict(response)
	asked.moves = verdict.Way == Native || verdict.Way != Wait && verdict.Counts
	if response.GetLedger().GetAttemptsSeen() > 0 {
		if asked.moves {
			kept++
		}
		response.Ledger.NativeCount = proto.Int32(max(0, kept))
	}
	return response, nil
}
