package controller

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/badnode"
	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
)

// reconciler handles the workloads of one kind.
//
// A failure is charged exactly once, even after crashes. The answer is a pure function
// of the objects and the record's ledger. Ledger and decision are written in one write
// of the record version that was asked with, before any action. Actions use names
// derived from the failed object.
type reconciler struct {
	kind     kinds.Kind
	client   client.Client
	records  store
	owners   *owners
	asker    asker
	options  Options
	paused   func(context.Context) (bool, error)
	shares   *shares
	nodes    *badnode.Marker
	recorder record.EventRecorder
	now      func() time.Time
	memory   memory
}

// newObject returns an object of a kind to read into.
func newObject(kind kinds.Kind) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind.GroupVersionKind())
	return obj
}

// Pause between two looks at the kill switch.
const pausedFor = 30 * time.Second

// Pause after a write that found another version.
const changedMeanwhile = 200 * time.Millisecond

// Reconcile handles one workload: whether it opted in, whether something is decided
// already, what its operator says, and only then what Mulligan says.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	obj := newObject(r.kind)
	if err := r.client.Get(ctx, request.NamespacedName, obj); err != nil {
		if apierrors.IsNotFound(err) {
			r.drop(request.Namespace, r.memory.forget(request.NamespacedName).uid)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if obj.GetDeletionTimestamp() != nil || isPart(obj) {
		r.gone(obj)
		return ctrl.Result{}, nil
	}
	opted, err := optInOf(ctx, r.client, obj)
	if err != nil || !opted.in {
		return ctrl.Result{}, err
	}
	if owner := strangerOf(obj); owner != nil && !opted.itself {
		r.leaveTo(obj, owner)
		return ctrl.Result{}, nil
	}
	if stopped, err := r.paused(ctx); err != nil || stopped {
		held.WithLabelValues("paused").Inc()
		return ctrl.Result{RequeueAfter: pausedFor}, err
	}
	result, err := r.lookAfter(ctx, obj, opted.policy)
	if isOutdated(err) {
		// The object or record was changed concurrently. The answer stays the same.
		log.FromContext(ctx).V(1).Info("changed meanwhile, looking again", "error", err.Error())
		return ctrl.Result{RequeueAfter: changedMeanwhile}, nil
	}
	return result, err
}

func (r *reconciler) lookAfter(ctx context.Context, obj *unstructured.Unstructured, policy string) (ctrl.Result, error) {
	outcome := r.kind.Outcome(obj)
	log.FromContext(ctx).V(1).Info("looking", "phase", outcome.Phase, "since", outcome.Since, "version", obj.GetResourceVersion())
	rec, result, err := r.recordOf(ctx, obj)
	if err != nil || result != nil {
		return ptr.Deref(result, ctrl.Result{}), err
	}
	if outcome.Phase == kinds.Succeeded {
		r.gone(obj)
		r.asker.recent.cameThrough(lineageOf(obj, rec))
		return ctrl.Result{}, r.succeeded(ctx, obj, rec, policy, outcome.Since)
	}
	if rec != nil && rec.Latest().UID != obj.GetUID() {
		// The work continues in a later attempt, whatever happens to this one.
		r.gone(obj)
		return ctrl.Result{}, nil
	}
	if rec, err = r.see(ctx, obj, rec, outcome); err != nil {
		return ctrl.Result{}, err
	}
	if outcome.Phase == kinds.Active {
		r.sayWithoutRules(obj)
	}
	decided := rec.DecisionAbout(obj.GetUID())
	stands, err := r.stands(ctx, decided, obj, outcome)
	if err != nil {
		return ctrl.Result{}, err
	}
	switch {
	case stands:
		r.letGo(obj)
		return r.carryOut(ctx, obj, rec)
	case outcome.Phase == kinds.Failed && r.tooOld(outcome):
		held.WithLabelValues("too_old").Inc()
		return ctrl.Result{}, nil
	case outcome.Phase == kinds.Failed:
		// Events about its pods arrive separately and may be later.
		if early := outcome.Since.Add(evidenceDelay).Sub(r.now()); early > 0 {
			return ctrl.Result{RequeueAfter: early}, nil
		}
	case outcome.Phase == kinds.Active:
		since, troubled, err := r.troubledSince(ctx, obj)
		if err != nil {
			return ctrl.Result{}, err
		}
		if !troubled {
			return ctrl.Result{}, r.forget(ctx, obj, rec)
		}
		if early := since.Add(operatorsTurn).Sub(r.now()); early > 0 {
			return ctrl.Result{RequeueAfter: early}, nil
		}
	}
	return r.decide(ctx, obj, rec, policy, outcome)
}

// sayWithoutRules reports once why a Job or JobSet has no rules that follow the
// verdicts.
func (r *reconciler) sayWithoutRules(obj *unstructured.Unstructured) {
	if !r.options.Webhooks || r.modeOf(obj) != Act {
		return
	}
	why := failurerules.Write(obj.DeepCopy(), true)
	if why == "" {
		return
	}
	r.remember(obj, func(m *remembered) {
		if !m.withoutRules {
			r.recorder.Event(obj, corev1.EventTypeNormal, "RulesNotWritten", NotWritten(obj.GetKind(), why))
		}
		m.withoutRules = true
	})
}

// troubledSince returns when a pod was first seen in trouble, or when an object was
// created that its operator has not begun with.
func (r *reconciler) troubledSince(ctx context.Context, obj *unstructured.Unstructured) (time.Time, bool, error) {
	var since time.Time
	r.remember(obj, func(m *remembered) { since = m.troubled })
	if !since.IsZero() {
		return since, true, nil
	}
	begun, err := r.kind.Begun(ctx, r.client, obj)
	return obj.GetCreationTimestamp().Time, err == nil && !begun, err
}

// When a pod fails, its operator has this long to react. Most give up or start another
// at once.
const operatorsTurn = 2 * time.Second

// How long after a failure to ask about it. Pods, nodes and events come from a cache
// that lags behind a busy API server, and times in conditions are whole seconds.
const evidenceDelay = 2 * time.Second

// stands returns whether there is a decision that is still valid. A change of the spec
// that it waited for, in the object or in what it refers to, ends it.
func (r *reconciler) stands(ctx context.Context, decided *records.Decision, obj *unstructured.Unstructured, outcome kinds.Outcome) (bool, error) {
	switch {
	case decided == nil:
		return false, nil
	case decided.Action == mulliganv1.Decision_FAIL.String() || decided.Suspend:
		return !r.resumed(decided, obj, outcome), nil
	case decided.Action != mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE.String():
		return true, nil
	case obj.GetGeneration() > decided.Generation:
		return false, nil
	case !decided.Unbegun:
		return true, nil
	}
	begun, err := r.kind.Begun(ctx, r.client, obj)
	return !begun, err
}

// resumed returns whether work that was given up was changed, and since then runs or
// has failed again. The next failure is then asked about; the account continues.
func (r *reconciler) resumed(decided *records.Decision, obj *unstructured.Unstructured, outcome kinds.Outcome) bool {
	if obj.GetGeneration() <= decided.Generation {
		return false
	}
	if outcome.Phase == kinds.Active {
		// A queue, or a user before resuming it, may change a suspended object.
		return !decided.Suspend || !r.isSuspended(obj)
	}
	return outcome.Since.After(decided.DecidedAt)
}

func (r *reconciler) tooOld(outcome kinds.Outcome) bool {
	return !outcome.Since.IsZero() && r.now().Sub(outcome.Since) > r.options.MaxAge
}

func (r *reconciler) remember(obj *unstructured.Unstructured, edit func(*remembered)) {
	r.memory.of(client.ObjectKeyFromObject(obj), obj.GetUID(), edit)
}

// letGo frees the memory of a workload that needs no more questions.
func (r *reconciler) letGo(obj *unstructured.Unstructured) {
	r.remember(obj, func(m *remembered) { m.troubled, m.retrying = time.Time{}, nil })
	r.asker.evidence.Drop(obj.GetNamespace(), obj.GetUID())
}

// calm marks a workload without pods in trouble, unless its next failure was seen.
func calm(m *remembered) {
	if m.retrying == nil {
		m.troubled = time.Time{}
	}
}

// gone frees the memory of a workload that needs no more work.
func (r *reconciler) gone(obj *unstructured.Unstructured) {
	r.remember(obj, func(m *remembered) { *m = remembered{uid: m.uid} })
	r.drop(obj.GetNamespace(), obj.GetUID())
}

func (r *reconciler) drop(namespace string, uid types.UID) {
	r.asker.evidence.Drop(namespace, uid)
	r.shares.drop(namespace, uid)
}

// decide asks and carries out the answer.
func (r *reconciler) decide(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string, outcome kinds.Outcome) (ctrl.Result, error) {
	mode, generation := r.modeOf(obj), obj.GetGeneration()
	asked, asker := obj, r.asker
	if outcome.Phase == kinds.Active {
		r.remember(obj, func(m *remembered) { asked, asker.until = cmp.Or(m.retrying, obj), m.retryingAt })
	}
	answer, err := asker.ask(ctx, asked, rec, policy, outcome, mode)
	if err != nil {
		return r.noAnswer(ctx, obj, outcome, err)
	}
	r.remember(obj, func(m *remembered) {
		if m.retrying == asked {
			m.retrying = nil
		}
	})
	r.nodes.Note(lineageOf(obj, rec).String(), answer)
	answer = ofWhole(answer)
	decision := answer.GetDecision()
	kind := r.kind.GroupVersionKind().Kind
	decisions.WithLabelValues(kind, decision.GetAction().String(), string(mode)).Inc()
	if !outcome.Since.IsZero() {
		latency.Observe(r.now().Sub(outcome.Since).Seconds())
	}
	log.FromContext(ctx).Info("decided", "action", decision.GetAction().String(),
		"cause", answer.GetDiagnosis().GetCause().String(), "decisionID", answer.GetDecisionId(), "mode", mode)
	stuck := false
	if outcome.Phase == kinds.Active {
		stuck = r.stuckBefore(obj, answer.GetDiagnosis())
		if rec, err = r.keep(ctx, obj, rec, outcome, answer); err != nil {
			return ctrl.Result{}, err
		}
		if obj.GetGeneration() != generation {
			// The answer is about the spec before.
			return ctrl.Result{RequeueAfter: changedMeanwhile}, nil
		}
	}
	var by *brake
	switch decision.GetAction() {
	case mulliganv1.Decision_IGNORE:
		if diagnosis := answer.GetDiagnosis(); diagnosis.GetSituation() == mulliganv1.Diagnosis_ALIVE &&
			diagnosis.GetOutlook() == mulliganv1.Diagnosis_CANNOT_RECOVER {
			if by, err = r.brakeOf(ctx, obj); err != nil {
				return ctrl.Result{}, err
			}
			return r.leave(obj, mode, answer, leftTo(answer, mode, false, by)), nil
		}
		r.remember(obj, calm)
		return ctrl.Result{}, nil
	case mulliganv1.Decision_WAIT:
		r.notify(obj, mode, answer, nil)
		return r.wait(obj, answer), nil
	case mulliganv1.Decision_RETRY, mulliganv1.Decision_FAIL:
		if outcome.Phase == kinds.Active {
			if decision.GetAction() == mulliganv1.Decision_RETRY && !isBraked(answer) {
				// Its own operator still retries it.
				r.remember(obj, calm)
				return ctrl.Result{}, nil
			}
			if by, err = r.brakeOf(ctx, obj); err != nil {
				return ctrl.Result{}, err
			}
			if why := leftTo(answer, mode, stuck, by); why != "" {
				return r.leave(obj, mode, answer, why), nil
			}
		}
	}
	return r.settle(ctx, obj, rec, outcome, mode, answer, by)
}

// Waiting workloads are checked at least this often.
const longestWait = 10 * time.Minute

func (r *reconciler) wait(obj *unstructured.Unstructured, answer *mulliganv1.DecideResponse) ctrl.Result {
	if answer.GetDiagnosis().GetCause() != mulliganv1.Cause_NOT_FAILED {
		r.sayOnceAbout(obj, "Waiting"+failureKey(answer), corev1.EventTypeNormal, "Waiting", messageOf(answer, Act, nil))
	}
	after := max(answer.GetDecision().GetRetryAfter().AsDuration(), time.Second)
	return ctrl.Result{RequeueAfter: min(after, longestWait)}
}

// A restarting replica is not worth an Event.
const patience = 30 * time.Second

// noAnswer starts nothing and gives nothing up. The object stays as its operator left
// it, and the question is repeated.
func (r *reconciler) noAnswer(ctx context.Context, obj *unstructured.Unstructured, outcome kinds.Outcome, cause error) (ctrl.Result, error) {
	unanswered.WithLabelValues(mulligan.Classify(cause).String()).Inc()
	decision, err := mulligan.Fallback{}.Decide(ctx, obj, outcome.Since, cause)
	if err != nil {
		return ctrl.Result{}, err
	}
	if mulligan.Classify(cause) == mulligan.AskLater {
		// Away or busy: ask soon, with the queue's growing pause. An Event follows only
		// if that lasts.
		if r.now().Sub(outcome.Since) > patience && !outcome.Since.IsZero() {
			r.sayOnce(obj, corev1.EventTypeWarning, "NoAnswer", "Mulligan cannot be asked at present; nothing is started or given up, and nothing was charged.")
		}
		return ctrl.Result{}, fmt.Errorf("no answer: %w", cause)
	}
	r.sayOnce(obj, corev1.EventTypeWarning, "NoAnswer", decision.GetSentence())
	return ctrl.Result{RequeueAfter: decision.GetRetryAfter().AsDuration()}, nil
}

// sayOnce emits an Event unless it was the last one. It returns whether it did.
func (r *reconciler) sayOnce(obj *unstructured.Unstructured, eventType, reason, message string) bool {
	return r.sayOnceAbout(obj, message, eventType, reason, message)
}

// sayOnceAbout emits an Event unless the last one had the same subject.
func (r *reconciler) sayOnceAbout(obj *unstructured.Unstructured, about, eventType, reason, message string) bool {
	isNew := false
	r.remember(obj, func(m *remembered) { isNew, m.said = m.said != about, about })
	if isNew {
		r.recorder.Event(obj, eventType, reason, message)
	}
	return isNew
}

// failureKey identifies a failure. Its message changes with the time and the evidence.
func failureKey(answer *mulliganv1.DecideResponse) string {
	diagnosis := answer.GetDiagnosis()
	return fmt.Sprint(diagnosis.GetCause(), diagnosis.GetFingerprint(), diagnosis.GetFinishedAt().AsTime())
}

// modeOf returns the controller's mode; a workload may only choose Observe instead.
func (r *reconciler) modeOf(obj *unstructured.Unstructured) Mode { return modeOf(r.options, obj) }

func modeOf(options Options, obj client.Object) Mode {
	if obj.GetAnnotations()[records.Mode] == string(Observe) {
		return Observe
	}
	return options.modeIn(obj.GetNamespace())
}
