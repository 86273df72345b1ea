package controller

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	mulligancorev1 "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/evidence"
)

// asker asks about one workload.
type asker struct {
	decider mulliganv1.RetryDecisionServiceClient
	reader  reader
	// Pods that the reader no longer sees.
	evidence *evidence.Pods
	// Failures elsewhere, of all kinds.
	recent *recent
	// Complete reports if no termination message says why; nil: not read.
	logs mulligan.LogReader
	// Observed failures count like those that are acted on.
	counted bool
	// When a version that reports a failed attempt (kinds.Retrying) was seen.
	until time.Time
	// Set for work that waits in a queue: the purpose of the question about its pods
	// that failed before (asAtWork). What its operator would retry is asked about, too.
	queued mulliganv1.DecideRequest_Purpose
}

// ask gathers a report and returns the answer. The ledger is the record's; rec is nil
// if there is none yet. In Observe nothing counts as enforced, and the operator's own
// verdict is included. The answer is nil if the work is queued and none of its pods has
// failed.
func (a asker) ask(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string, outcome kinds.Outcome, mode Mode) (*mulliganv1.DecideResponse, error) {
	ledger, err := rec.LedgerFor(obj.GetUID())
	if err != nil {
		return nil, fmt.Errorf("%s: ledger: %w", rec.Name, err)
	}
	report, err := a.gather(ctx, a.reader, obj)
	if err == nil && outcome.Phase == kinds.Failed && !anyInTrouble(report) {
		// The cache lags, after a restart of the API server by up to half a minute.
		// With pods that still run, this would look like the program's fault.
		report, err = a.gather(ctx, a.reader.nowOnly(), obj)
	}
	if err != nil {
		return nil, err
	}
	if a.logs != nil {
		report.AddLogs(ctx, a.logs)
	}
	if a.queued != mulliganv1.DecideRequest_PURPOSE_UNSPECIFIED {
		report.With(asAtWork)
	}
	began, retrying := kinds.Retrying(obj)
	if retrying {
		report.With(ofAttempt(began, a.until))
	}
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	if a.queued == mulliganv1.DecideRequest_PURPOSE_UNSPECIFIED {
		// A generation fails once for good, but its operator retries any number before.
		if !retrying {
			request.Report.FailureId = records.FailureID(obj)
		}
	} else if len(request.GetReport().GetPods()) == 0 {
		return nil, nil
	} else {
		request.ReplacesOperator, request.Purpose = true, a.queued
	}
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

// reportSuccess reports work that completed after failures. It decides nothing, but shows
// the service's decision log what the retries were worth. The answer is ignored.
func (a asker) reportSuccess(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string) {
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
		log.FromContext(ctx).V(1).Info("the success was not reported", "error", err.Error())
	}
}

// gather reads the objects of a workload, including pods that are gone by now. It
// ignores obj's own controller, so that a false owner reference does not change the
// judgement.
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

// ofAttempt removes pods that were created before or after an attempt. Those of another one
// would be taken for the cause of this one's failure.
func ofAttempt(began, ended time.Time) func(*mulliganv1.FailureReport) {
	return func(report *mulliganv1.FailureReport) {
		report.Pods = slices.DeleteFunc(report.Pods, func(pod *mulligancorev1.Pod) bool {
			created := pod.GetMetadata().GetCreationTimestamp().AsTime()
			// Both are whole seconds.
			return created.Before(began) || created.After(began) && !created.Before(ended.Truncate(time.Second))
		})
	}
}

func anyInTrouble(report *mulligan.Report) bool {
	return slices.ContainsFunc(report.Objects(), func(obj runtime.Object) bool {
		pod, ok := obj.(*corev1.Pod)
		return ok && evidence.InTrouble(pod)
	})
}
