package gate

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	sparkv1beta2 "mulligan.dev/mulligan/gen/mulligan/kubernetes/spark/v1beta2"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// A counter is that of an operator whose recipe moves it only for faults of the work
// itself ([Verdict.Counts]), so that it has fewer failures than the ledger.
type counter struct {
	// has is how many failures it has before the one at hand.
	has func(report *mulliganv1.FailureReport) int32
	// keeps is how many of those it has once the next attempt has begun.
	keeps func(report *mulliganv1.FailureReport) int32
	// tell lets it have so many.
	tell func(report *mulliganv1.FailureReport, failures int32)
	// name is what the operator calls the attempt: a counter that does not have all
	// of them tells none from the next.
	name func(report *mulliganv1.FailureReport) string
	// goesOn says whether the user's word is to go on whatever happens. Nil: never.
	goesOn func(report *mulliganv1.FailureReport) bool
}

// The counters, by kind. JobSet's and Trainer's need no row: status.restarts has every
// restart. Kueue's can have none: docs/recipes.md.
var counters = map[string]*counter{
	// KubeRay asks before it counts the failure at hand.
	"RayJob": {
		has:   failedBefore,
		keeps: failedBefore,
		tell: func(report *mulliganv1.FailureReport, failures int32) {
			report.GetRayJob().GetStatus().Failed = proto.Int32(failures + 1)
		},
		name: func(report *mulliganv1.FailureReport) string {
			return report.GetRayJob().GetStatus().GetRayClusterName()
		},
	},
	// Both of its counters have the attempt at hand.
	"SparkApplication": {
		has: func(report *mulliganv1.FailureReport) int32 {
			return mostTries(report.GetSparkApplication().GetStatus()) - 1
		},
		keeps: func(report *mulliganv1.FailureReport) int32 {
			status := report.GetSparkApplication().GetStatus()
			if status.GetApplicationState().GetState() == "SUBMISSION_FAILED" {
				return mostTries(status) - 1
			}
			// Of the next run no submission is counted yet.
			return status.GetExecutionAttempts() - 1
		},
		tell: func(report *mulliganv1.FailureReport, failures int32) {
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

// heldBack is a question of an operator that holds its counter back, and the key of it.
type heldBack struct {
	kind string
	// Whether the user's word is to go on whatever happens: a Stop is Native.
	goesOn bool
	// Whether the counter moves when the answer is acted on.
	moves bool
}

// askedIn is nil for a question of an operator that counts every failure.
func askedIn(ctx context.Context) *heldBack {
	asked, _ := ctx.Value(heldBack{}).(*heldBack)
	return asked
}

// verdict is the way of an answer to this question.
func (asked *heldBack) verdict(response *mulliganv1.DecideResponse) Verdict {
	verdict := VerdictOf(response)
	if asked != nil && asked.goesOn && verdict.Way == Stop {
		return Verdict{}
	}
	return verdict
}

// counting is the service, which hears of the failures that the operator has decided by
// itself since the last answer, as when there was none. The ledger remembers for it what
// the counter has once an answer is acted on: what it has beyond that, no answer was about.
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
	// Asked again about a failure that was answered and not acted on, there is none.
	if missed := row.has(report) - ledger.GetNativeCount(); missed > 0 {
		row.tell(report, ledger.GetAttemptsSeen()+missed)
	}
	response, err := c.RetryDecisionServiceClient.Decide(ctx, request, options...)
	if err != nil {
		return nil, err
	}
	if response.GetAccounting().GetDuplicate() {
		// What the failure looked like may be gone by now. It counts as it did.
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
