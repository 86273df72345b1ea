package controller

import (
	"context"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/evidence"
)

// asker puts the question about one workload.
type asker struct {
	decider mulliganv1.RetryDecisionServiceClient
	reader  reader
	// What the reader does not see any more.
	evidence *evidence.Pods
	// What failed elsewhere; of all kinds.
	recent *recent
	// Complete what no termination message tells; nil: not read.
	logs mulligan.LogReader
	// What is only observed counts as what is acted on.
	counted bool
}

// ask gathers what there is to know and returns the answer. The account is that of the
// record, nil where there is none yet. In Observe nothing is counted as enforced, and the
// operator's own verdict comes along.
func (a asker) ask(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string, outcome kinds.Outcome, mode Mode) (*mulliganv1.DecideResponse, error) {
	ledger, err := rec.LedgerFor(obj.GetUID())
	if err != nil {
		return nil, fmt.Errorf("%s: ledger: %w", rec.Name, err)
	}
	report, err := a.gather(ctx, a.reader, obj)
	if err == nil && outcome.Phase == kinds.Failed && !anyInTrouble(report) {
		// What is watched is late, after a restart of the API server by up to half a
		// minute: with pods that still run this would look like the program's fault.
		report, err = a.gather(ctx, a.reader.nowOnly(), obj)
	}
	if err != nil {
		return nil, err
	}
	if a.logs != nil {
		report.AddLogs(ctx, a.logs)
	}
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	request.Report.FailureId = records.FailureID(obj)
	place := whereOf(report.Objects())
	request.Recent = a.recent.digest(place)
	if logger := log.FromContext(ctx).V(1); logger.Enabled() {
		logger.Info("asking", "request", protojson.Format(request), "notes", report.Notes())
	}
	if policy != "" {
		request.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: policy}
	}
	if mode == Observe {
		request.CompareNative = true
		if !a.counted {
			request.Purpose = mulliganv1.DecideRequest_PREVIEW
		}
	}
	answer, err := a.decider.Decide(ctx, request)
	if err == nil {
		a.recent.note(lineageOf(obj, rec), outcome.Since, place, mode, answer)
	}
	return answer, err
}

// tellGoodEnd asks about work that has come through after failures: nothing is decided by
// it, and the service's decision log knows what the retries were worth. Nothing depends on
// the answer.
func (a asker) tellGoodEnd(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string) {
	ledger, err := rec.LedgerFor(obj.GetUID())
	if err != nil || ledger.GetAttemptsSeen() == 0 && !a.counted {
		return
	}
	report, err := a.gather(ctx, a.reader, obj)
	if err == nil {
		var request *mulliganv1.DecideRequest
		if request, err = report.Request(ledger); err == nil {
			if policy != "" {
				request.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: policy}
			}
			_, err = a.decider.Decide(ctx, request)
		}
	}
	if err != nil {
		log.FromContext(ctx).V(1).Info("the good end was not told", "error", err.Error())
	}
}

// gather reads what belongs to a workload, with the pods that are gone by now. What is
// looked after is judged by what is its own, whatever owner it says to have.
func (a asker) gather(ctx context.Context, from client.Reader, obj *unstructured.Unstructured) (*mulligan.Report, error) {
	alone := obj.DeepCopy()
	owners := alone.GetOwnerReferences()
	for i := range owners {
		owners[i].Controller = nil
	}
	alone.SetOwnerReferences(owners)
	report, err := mulligan.Gather(ctx, from, alone)
	if err == nil {
		a.evidence.AddTo(report, obj)
	}
	return report, err
}

func anyInTrouble(report *mulligan.Report) bool {
	return slices.ContainsFunc(report.Objects(), func(obj runtime.Object) bool {
		pod, ok := obj.(*corev1.Pod)
		return ok && evidence.InTrouble(pod)
	})
}
