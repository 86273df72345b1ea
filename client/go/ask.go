package mulligan

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Asker does the whole of a controller's part: gather, ask, fall back, store. The
// zero value of every field but Service and Kube is of use. A process needs one: questions
// that come together share what is the same for them.
type Asker struct {
	// Service answers. Mandatory; from [Dial], or mulligantest in tests.
	Service mulliganv1.RetryDecisionServiceClient
	// Kube reads the objects and stores the ledger. Mandatory.
	Kube client.Client
	// Reader reads what [Gather] gathers. Default: Kube. mgr.GetAPIReader() does
	// not start to watch nodes and events.
	Reader client.Reader
	// Fallback decides while there is no answer. Its zero value waits.
	Fallback Fallback
	// Hints asks another tool what it makes of the failure ([Report.Hint]). It is asked
	// with every question and should be quick: keep what it said. Its errors become a
	// note of the advice, and the question is asked without. Nil: nobody else is asked.
	Hints func(ctx context.Context, obj client.Object, report *mulliganv1.FailureReport) ([]*mulliganv1.Hint, error)
	// Logs complete what no termination message tells ([Report.AddLogs]). Nil: they are
	// not read. They leave the process with what looks like a secret blanked.
	Logs LogReader
	// Edit changes a request before it is sent: the policy's name, limits of the
	// workload's own, progress, recent failures elsewhere. Nil: sent as gathered.
	Edit func(ctx context.Context, obj client.Object, request *mulliganv1.DecideRequest) error

	// Nodes and events, of which questions that come together need the same.
	shared memory
}

// Advice is what to do about a workload.
type Advice struct {
	// Workload is the object that the advice is about and that holds the ledger:
	// the one asked about, or the most senior owner of that ([Report.Workload]).
	Workload client.Object
	// Decision is the service's, or that of the fallback. Never nil.
	Decision *mulliganv1.Decision
	// Response is the whole answer. Nil when there is none.
	Response *mulliganv1.DecideResponse
	// NoAnswer is why there is no answer, nil when there is one. Then Decision is
	// the fallback's and nothing was charged.
	NoAnswer error
	// Notes say what could not be seen.
	Notes []string
}

// Action is that of the decision.
func (a *Advice) Action() mulliganv1.Decision_Action { return a.Decision.GetAction() }

// RetryAfter is how long to wait before a RETRY is started or, for WAIT, the
// question is asked again. Zero for other actions.
func (a *Advice) RetryAfter() time.Duration { return a.Decision.GetRetryAfter().AsDuration() }

// Ask returns what to do about obj, as it was last read. It may be called on any
// reconcile, for work that is well, too: only what came to a bad end is charged,
// and a failure that is asked about again gets the same answer for nothing.
//
// When Ask returns without an error the new ledger is stored on the workload, and
// the advice may be acted on. A conflict (apierrors.IsConflict) means that somebody else
// decided or changed it meanwhile: read obj and ask again. So does every other error.
func (a *Asker) Ask(ctx context.Context, obj client.Object) (*Advice, error) {
	request, workload, notes, err := a.request(ctx, obj)
	if err != nil {
		return nil, err
	}
	response, err := a.Service.Decide(ctx, request)
	if err != nil {
		decision, fallbackErr := a.Fallback.Decide(ctx, workload, FailedAt(request.GetReport()), err)
		if fallbackErr != nil {
			return nil, fallbackErr
		}
		return &Advice{Workload: workload, Decision: decision, NoAnswer: err, Notes: notes}, nil
	}
	if err := StoreLedger(ctx, a.Kube, workload, response.GetLedger()); err != nil {
		return nil, err
	}
	return &Advice{Workload: workload, Decision: response.GetDecision(), Response: response, Notes: notes}, nil
}

// Completed asks once more about obj, which has ended well, where its ledger tells of
// failures: nothing is decided or stored by it, but the service's decision log knows what
// the retries were worth (docs/report.md). Call it when the work has come to its good end;
// a second call changes nothing. Nothing depends on it: an error may be ignored.
func (a *Asker) Completed(ctx context.Context, obj client.Object) error {
	request, _, _, err := a.request(ctx, obj)
	if err != nil || request.GetLedger().GetAttemptsSeen() == 0 {
		return err
	}
	_, err = a.Service.Decide(ctx, request)
	return err
}

// request is about obj, with the ledger of its workload.
func (a *Asker) request(ctx context.Context, obj client.Object) (*mulliganv1.DecideRequest, client.Object, []string, error) {
	var reader client.Reader = a.Kube
	if a.Reader != nil {
		reader = a.Reader
	}
	report, err := gather(ctx, reader, &a.shared, obj)
	if err != nil {
		return nil, nil, nil, err
	}
	if a.Logs != nil {
		report.AddLogs(ctx, a.Logs)
	}
	workload := report.Workload()
	ledger, err := LedgerFrom(workload)
	if err != nil {
		return nil, nil, nil, err
	}
	request, err := report.Request(ledger)
	notes := report.Notes()
	if err == nil && a.Hints != nil {
		hints, hintErr := a.Hints(ctx, obj, request.GetReport())
		if hintErr != nil {
			notes = append(notes, fmt.Sprintf("no hint: %v", hintErr))
		}
		request.Report.Hints = append(request.Report.Hints, hints...)
	}
	if err == nil && a.Edit != nil {
		if err = a.Edit(ctx, obj, request); err != nil {
			err = fmt.Errorf("mulligan: %s: %w", label(obj), err)
		}
	}
	return request, workload, notes, err
}

// FailedAt is the latest end of a container in the report, for the patience of a
// [Fallback]. Without one, the time at which the failure was observed.
func FailedAt(report *mulliganv1.FailureReport) time.Time {
	var latest time.Time
	for _, pod := range report.GetPods() {
		for _, status := range pod.GetStatus().GetContainerStatuses() {
			if ended := status.GetState().GetTerminated().GetFinishedAt(); ended != nil && ended.AsTime().After(latest) {
				latest = ended.AsTime()
			}
		}
	}
	if latest.IsZero() && report.GetObservedAt() != nil {
		return report.GetObservedAt().AsTime()
	}
	return latest
}
