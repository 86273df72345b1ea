package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protojson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/successor"
)

// CheckController is the spec.controllerName of the AdmissionChecks that this
// controller answers.
const CheckController = "mulligan.dev/retry"

const (
	// A Workload that has quota waits at most this long for an answer, and is then
	// admitted as without the check.
	answerWithin = 30 * time.Second
	// Pause between two questions until then.
	askAgain = 2 * time.Second
)

// States of an admission check.
const (
	checkReady    = "Ready"
	checkRetry    = "Retry"
	checkRejected = "Rejected"
	checkPending  = "Pending"
)

// Results in the metric, in addition to left, failed and the states.
const noFailure = "no_failure"

var checks = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "mulligan_controller_admission_checks_total",
	Help: "Answers to Kueue's admission check, by result.",
}, []string{"result"})

// admissionCheck answers the check of Workloads that hold quota. It never answers Retry
// for an evicted Workload, which would be stuck (kubernetes-sigs/kueue#3543).
type admissionCheck struct {
	client client.Client
	// The controllers of the kinds that the cluster has.
	kinds map[schema.GroupKind]*reconciler
	// Workload and AdmissionCheck as the cluster serves them.
	workload, check schema.GroupVersionKind
	now             func() time.Time
}

// checked is one answer, with its result in the metric.
type checked struct {
	state, result, message string
	// With Retry: when the Workload may be admitted.
	due time.Time
	// With Ready: where its pods should run.
	placement *mulliganv1.Placement
}

func ready(result, message string) checked {
	return checked{state: checkReady, result: result, message: message}
}

func rejected(message string) checked {
	return checked{state: checkRejected, result: checkRejected, message: message}
}

// answerChecks adds the controllers of AdmissionChecks and Workloads.
func answerChecks(mgr ctrl.Manager, byKind map[schema.GroupKind]*reconciler, options Options) error {
	mapping, err := mgr.GetRESTMapper().RESTMapping(queuedKind)
	if meta.IsNoMatchError(err) {
		mgr.GetLogger().Info("Kueue is not installed, --admission-check does nothing")
		return nil
	}
	if err != nil {
		return fmt.Errorf("Workload: %w", err)
	}
	c := &admissionCheck{client: mgr.GetClient(), kinds: byKind, workload: mapping.GroupVersionKind, now: time.Now}
	c.check = c.workload.GroupVersion().WithKind("AdmissionCheck")
	if err := builder.ControllerManagedBy(mgr).Named("mulligan-admission-checks").
		For(emptyOf(c.check)).Complete(reconcile.Func(c.activate)); err != nil {
		return err
	}
	return builder.ControllerManagedBy(mgr).Named("mulligan-admission").
		For(emptyOf(c.workload), builder.WithPredicates(predicate.NewPredicateFuncs(waitsForCheck))).
		WithOptions(fairly(options)).Complete(c)
}

func emptyOf(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	return obj
}

// activate shows Kueue that this controller answers an AdmissionCheck.
func (c *admissionCheck) activate(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	check := emptyOf(c.check)
	if err := c.client.Get(ctx, request.NamespacedName, check); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	conditions := conditionsOf(check)
	if !isOurs(check) || !meta.SetStatusCondition(&conditions, metav1.Condition{
		Type: "Active", Status: metav1.ConditionTrue, Reason: "Active", Message: Name + " answers it", ObservedGeneration: check.GetGeneration(),
	}) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, c.writeStatus(ctx, check, "conditions", conditions)
}

// writeStatus replaces a field of the status, if obj is still as it was read.
func (c *admissionCheck) writeStatus(ctx context.Context, obj *unstructured.Unstructured, field string, value any) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": obj.GetResourceVersion()}, "status": map[string]any{field: value},
	})
	if err != nil {
		return err
	}
	return c.client.Status().Patch(ctx, obj.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
}

func isOurs(check *unstructured.Unstructured) bool {
	name, _, _ := unstructured.NestedString(check.Object, "spec", "controllerName")
	return name == CheckController
}

// waitsForCheck returns whether a Workload holds quota, is not evicted, and has a
// pending check.
func waitsForCheck(workload client.Object) bool {
	obj, ok := workload.(*unstructured.Unstructured)
	if !ok {
		return false
	}
	conditions := conditionsOf(obj)
	return meta.IsStatusConditionTrue(conditions, "QuotaReserved") && !meta.IsStatusConditionTrue(conditions, "Evicted") &&
		!meta.IsStatusConditionTrue(conditions, "Finished") && slices.ContainsFunc(checksOf(obj), isPending)
}

func conditionsOf(obj *unstructured.Unstructured) []metav1.Condition {
	var status struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	fields, _ := obj.Object["status"].(map[string]any)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &status); err != nil {
		return nil
	}
	return status.Conditions
}

func checksOf(workload *unstructured.Unstructured) []any {
	entries, _, _ := unstructured.NestedSlice(workload.Object, "status", "admissionChecks")
	return entries
}

func isPending(entry any) bool { return fieldOf(entry, "state") == checkPending }

func fieldOf(entry any, name string) string {
	fields, _ := entry.(map[string]any)
	text, _ := fields[name].(string)
	return text
}

// Reconcile answers the pending check of one Workload.
func (c *admissionCheck) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	workload := emptyOf(c.workload)
	if err := c.client.Get(ctx, request.NamespacedName, workload); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !waitsForCheck(workload) {
		return ctrl.Result{}, nil
	}
	entries := checksOf(workload)
	var pending []map[string]any
	for _, entry := range entries {
		check := emptyOf(c.check)
		if err := c.client.Get(ctx, client.ObjectKey{Name: fieldOf(entry, "name")}, check); client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		if isPending(entry) && isOurs(check) {
			pending = append(pending, entry.(map[string]any))
		}
	}
	if len(pending) == 0 {
		return ctrl.Result{}, nil
	}
	answer, err := c.answer(ctx, workload)
	if err != nil && !isOutdated(err) {
		unanswered.WithLabelValues(mulligan.Classify(err).String()).Inc()
		log.FromContext(ctx).Info("no answer for the admission check", "error", err.Error())
		since := meta.FindStatusCondition(conditionsOf(workload), "QuotaReserved").LastTransitionTime
		if left := since.Add(answerWithin).Sub(c.now()); left > 0 {
			return ctrl.Result{RequeueAfter: min(left, askAgain)}, nil
		}
		answer, err = ready(failed, fmt.Sprintf("Mulligan gave no answer within %v, the Workload is admitted without one", answerWithin)), nil
	}
	if err == nil {
		for _, entry := range pending {
			c.fill(entry, workload, answer)
		}
		err = c.writeStatus(ctx, workload, "admissionChecks", entries)
	}
	if isOutdated(err) {
		return ctrl.Result{RequeueAfter: changedMeanwhile}, nil
	}
	if err == nil {
		checks.WithLabelValues(answer.result).Inc()
		log.FromContext(ctx).Info("answered the admission check", "state", answer.state, "due", answer.due, "message", answer.message)
	}
	return ctrl.Result{}, err
}

// isOutdated returns whether a write found that the object or record was changed.
func isOutdated(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

// fill writes an answer into an entry of status.admissionChecks.
func (c *admissionCheck) fill(entry map[string]any, workload *unstructured.Unstructured, answer checked) {
	// Kueue counts from this time, which has whole seconds.
	now := c.now().UTC().Truncate(time.Second)
	entry["state"], entry["message"], entry["lastTransitionTime"] = answer.state, answer.message, now.Format(time.RFC3339)
	delete(entry, "requeueAfterSeconds")
	delete(entry, "podSetUpdates")
	if answer.state == checkRetry {
		entry["requeueAfterSeconds"] = int64(math.Ceil(max(answer.due.Sub(now), time.Second).Seconds()))
	}
	if updates := updatesOf(workload, answer.placement); len(updates) > 0 {
		entry["podSetUpdates"] = updates
	}
}

// updatesOf returns the podSetUpdates that carry advice to the pods, as an annotation
// that the placement webhook reads: an update has no affinity. Kueue ends a Workload
// whose template has the annotation with another value, so that one gets none.
func updatesOf(workload *unstructured.Unstructured, placement *mulliganv1.Placement) []any {
	if len(placement.GetAvoidNodes()) == 0 && !placement.GetOnDemand() {
		return nil
	}
	text, err := protojson.Marshal(placement)
	if err != nil {
		return nil
	}
	var updates []any
	sets, _, _ := unstructured.NestedSlice(workload.Object, "spec", "podSets")
	for _, set := range sets {
		fields, _ := set.(map[string]any)
		own, _, _ := unstructured.NestedStringMap(fields, "template", "metadata", "annotations")
		if _, taken := own[successor.PlacementAnnotation]; !taken {
			updates = append(updates, map[string]any{
				"name": fieldOf(set, "name"), "annotations": map[string]any{successor.PlacementAnnotation: string(text)},
			})
		}
	}
	return updates
}

// answer finds the workload that a Workload is for, and what to do about it.
func (c *admissionCheck) answer(ctx context.Context, workload *unstructured.Unstructured) (checked, error) {
	owner := metav1.GetControllerOf(workload)
	if owner == nil || c.kinds[kindOf(owner)] == nil {
		return ready(left, "mulligan-controller does not handle its kind"), nil
	}
	r := c.kinds[kindOf(owner)]
	obj := newObject(r.kind)
	if err := r.client.Get(ctx, client.ObjectKey{Namespace: workload.GetNamespace(), Name: owner.Name}, obj); client.IgnoreNotFound(err) != nil {
		return checked{}, err
	}
	opted, err := optInOf(ctx, r.client, obj)
	if err != nil {
		return checked{}, err
	}
	if obj.GetUID() != owner.UID || !opted.in || isPart(obj) || strangerOf(obj) != nil && !opted.itself {
		return ready(left, "it has not opted in"), nil
	}
	if stopped, err := r.paused(ctx); err != nil || stopped {
		return ready(left, "mulligan-controller is paused"), err
	}
	return r.admit(ctx, obj, workload, opted.policy)
}

// admit asks about the failures of obj, whose Workload waits to be admitted. The
// question is a preview: the failures were charged when its pods failed. Only a verdict
// that ends the work is asked for again, and stored before Kueue hears of it.
func (r *reconciler) admit(ctx context.Context, obj, workload *unstructured.Unstructured, policy string) (checked, error) {
	rec, err := r.records.of(ctx, obj)
	if err != nil {
		return checked{}, err
	}
	if decided := rec.DecisionAbout(obj.GetUID()); decided != nil && decided.Suspend && decided.Mode == string(Act) {
		if again := meta.FindStatusCondition(conditionsOf(workload), "Requeued"); again != nil && again.Reason == "Reactivated" &&
			!again.LastTransitionTime.Time.Before(decided.DecidedAt.Truncate(time.Second)) {
			return ready(checkReady, "it was activated again after it had been given up"), nil
		}
		return rejected(decided.Sentence), nil
	}
	if len(r.asker.evidence.Of(obj.GetNamespace(), obj.GetUID(), nil)) == 0 {
		return ready(noFailure, "nothing has failed"), nil
	}
	mode, outcome := r.modeOf(obj), r.kind.Outcome(obj)
	asks := r.asker
	asks.queued = mulliganv1.DecideRequest_PREVIEW
	answer, err := asks.ask(ctx, obj, rec, policy, outcome, mode)
	if err != nil || answer == nil {
		return ready(noFailure, "nothing has failed"), err
	}
	answer = ofWhole(answer)
	verdict := gate.VerdictOf(answer)
	switch {
	case mode == Observe:
		return ready(left, "only observed: "+answer.GetDecision().GetSentence()), nil
	case verdict.Way == gate.Later || verdict.Way == gate.Wait:
		return checked{state: checkRetry, result: checkRetry, message: verdict.Sentence, due: r.now().Add(verdict.After)}, nil
	case verdict.Way == gate.Stop && !isOfPart(answer):
		asks.queued = mulliganv1.DecideRequest_ENFORCE
		if answer, err = asks.ask(ctx, obj, rec, policy, outcome, mode); err != nil {
			return checked{}, err
		}
		if gate.VerdictOf(answer).Way != gate.Stop {
			return checked{}, errors.New("the answer has changed since it was previewed")
		}
		by := &brake{target: workload, field: []string{"spec", "active"}, stops: false}
		if _, err := r.settle(ctx, obj, rec, outcome, mode, answer, by); err != nil {
			return checked{}, err
		}
		return rejected(verdict.Sentence), nil
	}
	admitted := ready(checkReady, answer.GetDecision().GetSentence())
	if r.options.Webhooks && verdict.Way == gate.Retry {
		admitted.placement = answer.GetDecision().GetPlacement()
	}
	return admitted, nil
}
