package controller

import (
	"context"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/record"
)

// asker puts the question about one workload.
type asker struct {
	decider mulliganv1.RetryDecisionServiceClient
	// Reads past the cache: a decision is about how things are now.
	reader client.Reader
	// What the reader does not see any more.
	evidence *evidence
	// What failed elsewhere; of all kinds.
	recent *recent
}

// ask gathers what there is to know and returns the answer. In Observe nothing is
// counted as enforced, and the operator's own verdict comes along.
func (a asker) ask(ctx context.Context, obj *unstructured.Unstructured, policy string, mode Mode) (*mulliganv1.DecideResponse, error) {
	ledger, err := mulligan.LedgerFrom(obj)
	if err != nil {
		return nil, err
	}
	report, err := mulligan.Gather(ctx, a.reader, obj)
	if err != nil {
		return nil, err
	}
	a.evidence.addTo(report, obj.GetUID())
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	request.Report.FailureId = record.FailureID(obj)
	place := whereOf(report.Objects())
	request.Recent = a.recent.digest(place)
	if logger := log.FromContext(ctx).V(1); logger.Enabled() {
		logger.Info("asking", "request", protojson.Format(request), "notes", report.Notes())
	}
	if policy != "" {
		request.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: policy}
	}
	if mode == Observe {
		request.Purpose = mulliganv1.DecideRequest_PREVIEW
		request.CompareNative = true
	}
	answer, err := a.decider.Decide(ctx, request)
	if err == nil {
		a.recent.note(obj, place, mode, answer)
	}
	return answer, err
}
