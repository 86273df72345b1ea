package mulligan

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Asker does a controller's whole part: gather, ask, fall back, store. All fields
// except Service and Kube may be zero. A process needs only one, because concurrent
// questions share what they read.
type Asker struct {
	// Service answers. Mandatory; from [Dial], or mulligantest in tests.
	Service mulliganv1.RetryDecisionServiceClient
	// Kube reads the objects and stores the ledger. Mandatory.
	Kube client.Client
	// Reader reads what [Gather] needs. Default: Kube. mgr.GetAPIReader() avoids
	// watches of nodes and events.
	Reader client.Reader
	// Fallback decides while there is no answer. Its zero value waits.
	Fallback Fallback
	// Hints returns another tool's view of the failure ([Report.Hint]). It is called
	// for every question and should be quick, so cache its results. Its errors become
	// notes of the advice, and the question is asked without hints. Nil: no other tool
	// is asked.
	Hints func(ctx context.Context, obj client.Object, report *mulliganv1.FailureReport) ([]*mulliganv1.Hint, error)
	// Logs complete reports if no termination message says why ([Report.AddLogs]).
	// Likely secrets are blanked before they leave the process. Nil: logs are not read.
	Logs LogReader
	// Edit changes a request before it is sent: the policy's name, the workload's own
	// limits, progress, recent failures elsewhere. Nil: sent as gathered.
	Edit func(ctx context.Context, obj client.Object, request *mulliganv1.DecideRequest) error

	// Nodes and events that concurrent questions share.
	shared memory
}

// Advice is what to do about a workload.
type Advice struct {
	// Workload is the object that the advice is about and that holds the ledger: the
	// one asked about, or its most senior owner ([Report.Workload]).
	Workload client.Object
	// Decision is the service's or the fallback's. Never nil.
	Decision *mulliganv1.Decision
	// Response is the whole answer. Nil if there is none.
	Response *mulliganv1.DecideResponse
	// NoAnswer is why there is no answer; nil if there is one. Then Decision is the
	// fallback's, and nothing was charged.
	NoAnswer error
	// Notes say what could not be read.
	Notes []string
}

// Action returns the decision's action.
func (a *Advice) Action() mulliganv1.Decision_Action { return a.Decision.GetAction() }

// RetryAfter returns how long to wait before a RETRY starts or, for WAIT, before asking
// again. Zero for other actions.
func (a *Advice) RetryAfter() time.Duration { return a.Decision.GetRetryAfter().AsDuration() }

// Ask returns what to do about obj, as it was last read. Call it in any reconcile, also
// for healthy work: only bad ends are charged, and asking again about a failure returns
// the same answer without a charge.
//
// If Ask returns no error, the new ledger is stored on the workload, and the caller may
// act on the advice. After an error, read obj and ask again; a conflict
// (apierrors.IsConflict) means that another client decided or changed it in between.
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

// Completed reports the good end of obj if its ledger has failures. It decides and
// stores nothing, but shows the service's decision log what the retries were worth
// (docs/report.md). Call it when the work has completed; a second call changes nothing.
// Errors may be ignored.
func (a *Asker) Completed(ctx context.Context, obj client.Object) error {
	request, _, _, err := a.request(ctx, obj)
	if err != nil || request.GetLedger().GetAttemptsSeen() == 0 {
		return err
	}
	_, err = a.Service.Decide(ctx, request)
	return err
}

// request returns a request about obj, with the ledger of its workload.
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

// FailedAt returns the latest end of a container in the report, for the patience of a
// [Fallback]. Without one, the time of the observation.
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
