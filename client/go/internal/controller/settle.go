package controller

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"

	"google.golang.org/protobuf/proto"
	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/words"
)

// settle writes decision and ledger to the record, in one write of the version that the
// ledger was read from, and emits an Event. by stops the work, or in Observe would stop
// it; nil if the work has ended or continues.
func (r *reconciler) settle(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, outcome kinds.Outcome, mode Mode, answer *mulliganv1.DecideResponse, by *brake) (ctrl.Result, error) {
	if rec == nil {
		var err error
		if rec, err = r.first(obj, outcome); err != nil {
			return ctrl.Result{}, err
		}
	}
	decided, err := r.decisionOf(ctx, obj, rec, outcome, mode, answer)
	if err != nil {
		return ctrl.Result{}, err
	}
	decided.Suspend = by != nil && mode == Act
	rec.Status.Decision = decided
	rec.Ran(obj, endOf(outcome, decided))
	if mode == Act {
		ledger, err := mulligan.EncodeLedger(answer.GetLedger())
		if err != nil {
			return ctrl.Result{}, err
		}
		rec.Status.Ledger = []byte(ledger)
	}
	action := answer.GetDecision().GetAction()
	rec.Become(states[action][mode], reasons[action][mode], decided.Sentence, decided.DecidedAt)
	rec.Status.FirstStep = firstStep(obj, mode, answer, by)
	if err := r.write(ctx, obj, rec); err != nil {
		return ctrl.Result{}, err
	}
	r.report(obj, decided, answer, by)
	r.notify(obj, mode, answer, by)
	return r.carryOut(ctx, obj, rec)
}

// endOf returns when the attempt ended; zero if it goes on.
func endOf(outcome kinds.Outcome, decided *records.Decision) time.Time {
	switch {
	case outcome.Phase == kinds.Active && !decided.Suspend:
		return time.Time{}
	case outcome.Since.IsZero():
		return decided.DecidedAt
	}
	return outcome.Since
}

// firstStep returns what a person has to do before the work can continue.
func firstStep(obj *unstructured.Unstructured, mode Mode, answer *mulliganv1.DecideResponse, by *brake) string {
	why := fmt.Sprintf("kubectl mulligan why -n %s %s/%s", obj.GetNamespace(), strings.ToLower(obj.GetKind()), obj.GetName())
	step := answer.GetDiagnosis().GetFirstStep().GetText()
	if step == "" {
		step = "find out why: " + mulligan.Problem(answer)
	}
	switch action := answer.GetDecision().GetAction(); {
	case mode != Act || action == mulliganv1.Decision_RETRY:
		return ""
	case action == mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE:
		return words.Cut(fmt.Sprintf("%s; the retry begins once the spec is corrected (%s)", step, why), maxRefusal)
	case by != nil:
		return words.Cut(step, maxQuote) + "; " + goOn(by)
	case action == mulliganv1.Decision_FAIL:
		return words.Cut(fmt.Sprintf("%s; then create it again (%s)", step, why), maxRefusal)
	}
	return ""
}

// goOn returns the end of a first step for stopped work.
func goOn(by *brake) string { return "then let it go on: " + by.release() }

func (r *reconciler) decisionOf(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, outcome kinds.Outcome, mode Mode, answer *mulliganv1.DecideResponse) (*records.Decision, error) {
	begun, err := r.kind.Begun(ctx, r.client, obj)
	if err != nil {
		return nil, err
	}
	decision := answer.GetDecision()
	decided := &records.Decision{
		About:      obj.GetUID(),
		Action:     decision.GetAction().String(),
		Sentence:   decision.GetSentence(),
		Cause:      answer.GetDiagnosis().GetCause().String(),
		Budget:     paid(answer.GetAccounting()),
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
	decided.Attempt = int32(len(rec.Status.Attempts)) + 1
	if decided.Retry, err = r.retryName(obj, rec, decided.Attempt); err != nil {
		// No name fits; cannotRetry reports it.
		decided.Retry = ""
	}
	decided.NotBefore = notBefore(obj, outcome, decided.DecidedAt.Add(decision.GetRetryAfter().AsDuration()))
	advice := proto.Clone(decision).(*mulliganv1.Decision)
	advice.Sentence = ""
	return decided, decided.SetAdvice(advice)
}

// retryName allows the length of the first attempt's name, because a shorter one always
// fits.
func (r *reconciler) retryName(obj *unstructured.Unstructured, rec *records.RetryRecord, attempt int32) (string, error) {
	room := max(r.kind.MaxName(obj), min(len(rec.Origin()), longestName))
	return records.RetryName(rec.Origin(), obj.GetUID(), attempt, room)
}

// Longer names leave no room for the names of pods, services and hosts.
const longestName = 45

// paid returns "NAME USED/LIMIT"; empty if no budget paid.
func paid(accounting *mulliganv1.Accounting) string {
	for _, budget := range accounting.GetBudgets() {
		if budget.GetName() == accounting.GetChargedTo() {
			return fmt.Sprintf("%s %d/%d", budget.GetName(), budget.GetUsed(), budget.GetLimit())
		}
	}
	return accounting.GetChargedTo()
}

// A retry is made this long before the failed object's TTL deletes it.
const beforeTTL = 5 * time.Second

// notBefore returns the time of the retry, which must come before the object's TTL
// deletes it.
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

// Event reasons by action and mode.
var reasons = map[mulliganv1.Decision_Action]map[Mode]string{
	mulliganv1.Decision_RETRY:                {Act: "RetryGranted", Observe: "WouldRetry"},
	mulliganv1.Decision_FAIL:                 {Act: "GivenUp", Observe: "WouldGiveUp"},
	mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE: {Act: "WaitingForSpecUpdate", Observe: "WouldWaitForSpecUpdate"},
}

// Event reasons for work that is stopped, by mode.
var stopped = map[Mode]string{Act: "Stopped", Observe: "WouldStop"}

// The state after a decision, by action and mode.
var states = map[mulliganv1.Decision_Action]map[Mode]records.State{
	mulliganv1.Decision_RETRY:                {Act: records.Retrying, Observe: records.Observed},
	mulliganv1.Decision_FAIL:                 {Act: records.GivenUp, Observe: records.Observed},
	mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE: {Act: records.WaitingForSpecUpdate, Observe: records.Observed},
}

func (r *reconciler) report(obj *unstructured.Unstructured, decided *records.Decision, answer *mulliganv1.DecideResponse, by *brake) {
	action := answer.GetDecision().GetAction()
	eventType := corev1.EventTypeWarning
	if action == mulliganv1.Decision_RETRY {
		eventType = corev1.EventTypeNormal
	}
	reason := reasons[action][Mode(decided.Mode)]
	if by != nil {
		reason = stopped[Mode(decided.Mode)]
	}
	r.recorder.Event(obj, eventType, reason, messageOf(answer, Mode(decided.Mode), by))
	for _, part := range answer.GetSeparate()[:min(len(answer.GetSeparate()), mostParts)] {
		r.recorder.Event(obj, corev1.EventTypeWarning, "PartFailed", part.GetDecision().GetSentence())
	}
}

// The most separate failures with an Event each; the ledger has all.
const mostParts = 20

// The most bytes of a quoted text in an Event, which has 1024 in all.
const maxQuote = 300

// messageOf returns the problem and the decision, what to do first, who stopped the
// work and how to continue it, the deciding evidence, and how the workload's own
// operator differs if that was asked.
func messageOf(answer *mulliganv1.DecideResponse, mode Mode, by *brake) string {
	message := answer.GetDecision().GetSentence()
	// The sentence begins with the summary; the problem says the same with the
	// program's message.
	problem, summary := answer.GetDiagnosis().GetProblem(), strings.TrimSuffix(answer.GetDiagnosis().GetSummary(), ".")
	if done, ok := strings.CutPrefix(message, summary); ok && summary != "" && problem != "" {
		message = words.Cut(problem, maxQuote) + done
	}
	if step := answer.GetDiagnosis().GetFirstStep().GetText(); step != "" {
		message += " Do first: " + words.Cut(step, maxQuote) + "."
	}
	switch {
	case by != nil && mode == Act && answer.GetDecision().GetAction() == mulliganv1.Decision_RETRY:
		message += " " + records.Stopper + " stopped it for that."
	case by != nil && mode == Act:
		message += " " + records.Stopper + " stopped it; to let it go on: " + by.release() + "."
	case by != nil:
		message += " " + records.Stopper + " would stop it."
	}
	if evidence := answer.GetDiagnosis().GetEvidence(); len(evidence) > 0 && evidence[0].GetValue() != "" {
		message += fmt.Sprintf(" Seen: %s: %s", evidence[0].GetPath(), words.Cut(evidence[0].GetValue(), maxQuote))
	}
	if difference := answer.GetNative().GetDifference(); difference != "" {
		message = strings.TrimSuffix(message, ".") + ". The operator: " + difference
	}
	return message
}

// carryOut carries out the decision. Idempotent.
func (r *reconciler) carryOut(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) (ctrl.Result, error) {
	decided := rec.Status.Decision
	if decided.Unbegun {
		// What the object refers to may appear without a change of the object.
		return ctrl.Result{RequeueAfter: pausedFor}, nil
	}
	if decided.Mode != string(Act) || r.modeOf(obj) != Act {
		return ctrl.Result{}, nil
	}
	if decided.Suspend {
		result, err := r.stop(ctx, obj, decided)
		if err != nil || !result.IsZero() || decided.Action != mulliganv1.Decision_RETRY.String() {
			return result, err
		}
		// Two attempts must never run at once.
		if stopped, err := r.hasStopped(ctx, obj); err != nil || !stopped {
			return ctrl.Result{RequeueAfter: untilStopped}, err
		}
	}
	if decided.Action != mulliganv1.Decision_RETRY.String() || rec.IsOver() {
		return ctrl.Result{}, nil
	}
	if early := decided.NotBefore.Sub(r.now()); early > 0 {
		return ctrl.Result{RequeueAfter: early}, nil
	}
	answer, why, err := r.askSchedule(ctx, obj, rec)
	if err != nil {
		return ctrl.Result{}, err
	}
	if answer != granted {
		return r.heldBySchedule(ctx, obj, rec, answer, why)
	}
	if turn := r.shares.take(obj.GetNamespace(), obj.GetUID()); turn.after > 0 {
		return r.heldByShare(obj, turn), nil
	}
	return r.retry(ctx, obj, rec)
}

// heldByShare reports once that other retries of the namespace come first.
func (r *reconciler) heldByShare(obj *unstructured.Unstructured, turn turn) ctrl.Result {
	held.WithLabelValues("rate_limit").Inc()
	if turn.first {
		r.recorder.Eventf(obj, corev1.EventTypeNormal, "RetryHeld",
			"The next attempt waits for its namespace's share of %d objects a minute (--retries-per-minute); %d of the namespace are before it",
			r.options.RetriesPerMinute, turn.before)
	}
	return ctrl.Result{RequeueAfter: turn.after}
}
