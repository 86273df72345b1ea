package controller

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"google.golang.org/protobuf/proto"
	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	records "mulligan.dev/mulligan/internal/controller/record"
	"mulligan.dev/mulligan/internal/controller/successor"
)

// settle writes decision and ledger to the object, in one patch, and says so.
func (r *reconciler) settle(ctx context.Context, obj *unstructured.Unstructured, outcome kinds.Outcome, mode Mode, answer *mulliganv1.DecideResponse) (ctrl.Result, error) {
	decided, err := r.recordOf(ctx, obj, outcome, mode, answer)
	if err != nil {
		return ctrl.Result{}, err
	}
	suspended := r.suspendField(obj, outcome, mode, answer.GetDecision())
	err = r.patch(ctx, obj, func(changed *unstructured.Unstructured) error {
		annotations := changed.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		if annotations[records.Decision], err = decided.Encode(); err != nil {
			return err
		}
		if mode == Act {
			if annotations[mulligan.LedgerAnnotation], err = mulligan.EncodeLedger(answer.GetLedger()); err != nil {
				return err
			}
		}
		changed.SetAnnotations(annotations)
		if suspended == nil {
			return nil
		}
		return unstructured.SetNestedField(changed.Object, true, suspended...)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	r.report(obj, decided, answer)
	return r.carryOut(ctx, obj, decided)
}

func (r *reconciler) recordOf(ctx context.Context, obj *unstructured.Unstructured, outcome kinds.Outcome, mode Mode, answer *mulliganv1.DecideResponse) (*records.Record, error) {
	begun, err := r.kind.Begun(ctx, r.client, obj)
	if err != nil {
		return nil, err
	}
	decision := answer.GetDecision()
	decided := &records.Record{
		Action:     decision.GetAction().String(),
		Sentence:   decision.GetSentence(),
		Cause:      answer.GetDiagnosis().GetCause().String(),
		Mode:       string(mode),
		DecidedAt:  r.now().UTC().Truncate(time.Millisecond),
		Generation: obj.GetGeneration(),
		Unbegun:    !begun,
		FailureID:  answer.GetFailureId(),
		DecisionID: answer.GetDecisionId(),
		Policy:     answer.GetPolicy().GetName(),
		Revision:   answer.GetPolicy().GetRevision(),
		Container:  answer.GetDiagnosis().GetCulprit().GetContainer(),
	}
	if decision.GetAction() != mulliganv1.Decision_RETRY {
		return decided, nil
	}
	decided.Attempt = records.AttemptOf(obj) + 1
	decided.Retry = records.RetryName(obj, decided.Attempt)
	decided.NotBefore = notBefore(obj, outcome, decided.DecidedAt.Add(decision.GetRetryAfter().AsDuration()))
	advice := proto.Clone(decision).(*mulliganv1.Decision)
	advice.Sentence = ""
	return decided, decided.SetAdvice(advice)
}

// A retry is made this long before the failed object is deleted for its age.
const beforeTTL = 5 * time.Second

// notBefore is the time of the retry: an object that is to be deleted soon after its
// end cannot wait longer than that.
func notBefore(obj *unstructured.Unstructured, outcome kinds.Outcome, at time.Time) time.Time {
	ttl, found, err := unstructured.NestedInt64(obj.Object, "spec", "ttlSecondsAfterFinished")
	if err != nil || !found || outcome.Since.IsZero() {
		return at
	}
	last := outcome.Since.Add(time.Duration(ttl)*time.Second - beforeTTL).UTC()
	if last.Before(at) {
		return last
	}
	return at
}

// suspendField is set to give the devices of a running workload back when it is
// given up. A queue starts and stops what is its own.
func (r *reconciler) suspendField(obj *unstructured.Unstructured, outcome kinds.Outcome, mode Mode, decision *mulliganv1.Decision) []string {
	if mode != Act || !r.options.Suspend || outcome.Phase != kinds.Active ||
		decision.GetAction() != mulliganv1.Decision_FAIL || obj.GetLabels()[successor.QueueLabel] != "" {
		return nil
	}
	return r.kind.SuspendField(obj)
}

// What an Event is called, by action and mode.
var reasons = map[mulliganv1.Decision_Action]map[Mode]string{
	mulliganv1.Decision_RETRY:                {Act: "RetryGranted", Observe: "WouldRetry"},
	mulliganv1.Decision_FAIL:                 {Act: "GivenUp", Observe: "WouldGiveUp"},
	mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE: {Act: "WaitingForSpecUpdate", Observe: "WouldWaitForSpecUpdate"},
}

func (r *reconciler) report(obj *unstructured.Unstructured, decided *records.Record, answer *mulliganv1.DecideResponse) {
	action := answer.GetDecision().GetAction()
	eventType := corev1.EventTypeWarning
	if action == mulliganv1.Decision_RETRY {
		eventType = corev1.EventTypeNormal
	}
	r.recorder.Event(obj, eventType, reasons[action][Mode(decided.Mode)], messageOf(answer))
}

// Most bytes of a quoted text in an Event, which has 1024 in all.
const maxQuote = 300

// messageOf is the sentence, what it was seen by in Kubernetes' own words, and how
// the workload's own operator differs where that was asked.
func messageOf(answer *mulliganv1.DecideResponse) string {
	message := answer.GetDecision().GetSentence()
	if evidence := answer.GetDiagnosis().GetEvidence(); len(evidence) > 0 && evidence[0].GetValue() != "" {
		quote := evidence[0].GetValue()
		if len(quote) > maxQuote {
			quote = strings.ToValidUTF8(quote[:maxQuote], "") + "..."
		}
		message += fmt.Sprintf(" Seen: %s: %s", evidence[0].GetPath(), quote)
	}
	if difference := answer.GetNative().GetDifference(); difference != "" {
		message += " The operator: " + difference
	}
	return message
}

// carryOut does what is decided, as often as it is called.
func (r *reconciler) carryOut(ctx context.Context, obj *unstructured.Unstructured, decided *records.Record) (ctrl.Result, error) {
	if decided.Unbegun {
		// What it refers to may come without a change of the object.
		return ctrl.Result{RequeueAfter: pausedFor}, nil
	}
	if decided.Retry == "" || decided.Mode != string(Act) || r.modeOf(obj) != Act ||
		obj.GetAnnotations()[records.RetriedAs] != "" {
		return ctrl.Result{}, nil
	}
	if early := decided.NotBefore.Sub(r.now()); early > 0 {
		return ctrl.Result{RequeueAfter: early}, nil
	}
	answer, why, err := r.askSchedule(ctx, obj, decided)
	if err != nil {
		return ctrl.Result{}, err
	}
	if answer != granted {
		return r.heldBySchedule(obj, answer, why), nil
	}
	if turn := r.shares.take(obj.GetNamespace(), obj.GetUID()); turn.after > 0 {
		return r.heldByShare(obj, turn), nil
	}
	if err := r.retry(ctx, obj, decided); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.tellSchedule(ctx, obj, decided); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.patch(ctx, obj, func(changed *unstructured.Unstructured) error {
		annotations := changed.GetAnnotations()
		annotations[records.RetriedAs] = decided.Retry
		changed.SetAnnotations(annotations)
		return nil
	})
}

// heldByShare says once that others of the namespace are before it.
func (r *reconciler) heldByShare(obj *unstructured.Unstructured, turn turn) ctrl.Result {
	held.WithLabelValues("rate_limit").Inc()
	if turn.first {
		r.recorder.Eventf(obj, corev1.EventTypeNormal, "RetryHeld",
			"The next attempt waits for its namespace's share of %d objects a minute (--retries-per-minute); %d of the namespace are before it",
			r.options.RetriesPerMinute, turn.before)
	}
	return ctrl.Result{RequeueAfter: turn.after}
}

// retry creates the next attempt; one that exists already is not an error if it is
// this one.
func (r *reconciler) retry(ctx context.Context, obj *unstructured.Unstructured, decided *records.Record) error {
	ledger, err := handedOn(obj)
	if err != nil {
		return err
	}
	next, notes, err := successor.Of(r.kind, obj, decided, ledger, r.now())
	if err != nil {
		return err
	}
	sent := next.DeepCopy()
	err = r.client.Create(ctx, next)
	if apierrors.IsAlreadyExists(err) {
		return r.checkExisting(ctx, obj, decided)
	}
	if err != nil {
		r.sayOnce(obj, corev1.EventTypeWarning, "RetryNotCreated", err.Error())
		return fmt.Errorf("creating %s: %w", decided.Retry, err)
	}
	created.WithLabelValues(r.kind.GroupVersionKind().Kind).Inc()
	r.recorder.Eventf(obj, corev1.EventTypeNormal, "Retried", "Attempt %d is %s", decided.Attempt, decided.Retry)
	r.recorder.Eventf(next, corev1.EventTypeNormal, "RetryOf", "Attempt %d after %s: %s", decided.Attempt, obj.GetName(), decided.Sentence)
	if dropped := successor.Dropped(r.kind, sent, next); dropped != "" {
		notes = append(notes, dropped)
	}
	for _, note := range notes {
		r.recorder.Event(next, corev1.EventTypeWarning, "AdviceNotFollowed", note)
	}
	return nil
}

func (r *reconciler) checkExisting(ctx context.Context, obj *unstructured.Unstructured, decided *records.Record) error {
	existing := &unstructured.Unstructured{}
	existing.SetGroupVersionKind(r.kind.GroupVersionKind())
	key := client.ObjectKey{Namespace: obj.GetNamespace(), Name: decided.Retry}
	if err := r.asker.reader.Get(ctx, key, existing); err != nil {
		return err
	}
	want := fmt.Sprintf("%s/%s", obj.GetName(), obj.GetUID())
	if got := existing.GetAnnotations()[records.RetryOf]; got != want {
		return fmt.Errorf("%s exists and is no retry of %s: annotation %s is %q", decided.Retry, want, records.RetryOf, got)
	}
	return nil
}

// handedOn is the ledger for the next attempt: the account stays, its owner is the
// object of another UID, which the next answer writes into it.
func handedOn(obj *unstructured.Unstructured) (string, error) {
	ledger, err := mulligan.LedgerFrom(obj)
	if err != nil || ledger == nil {
		return "", err
	}
	ledger.WorkloadUid = ""
	return mulligan.EncodeLedger(ledger)
}
