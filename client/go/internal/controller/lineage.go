package controller

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
)

// recordOf returns the record of an object, updates the copies on the object, and notes
// an attempt that was created before a crash. A result without a record says to do
// nothing now.
func (r *reconciler) recordOf(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, *ctrl.Result, error) {
	rec, err := r.records.of(ctx, obj)
	if err == nil && rec == nil && obj.GetAnnotations()[records.RetryOf] != "" && r.modeOf(obj) == Act {
		return r.claimed(ctx, obj)
	}
	if err != nil || rec == nil {
		return nil, nil, err
	}
	if rec.Plans(obj) && !rec.Has(obj.GetUID()) {
		return rec, nil, r.begun(ctx, obj, rec)
	}
	return rec, nil, r.copyOut(ctx, obj, rec)
}

// The longest delay until the cache shows a new attempt's record.
const recordDelay = time.Minute

// claimed handles an object that says it is a retry and has no known record. It may be
// a copy of an attempt under another name, which starts its own account. But if the
// record is missing altogether, its account must not silently start again.
func (r *reconciler) claimed(ctx context.Context, obj *unstructured.Unstructured) (*records.RetryRecord, *ctrl.Result, error) {
	name := obj.GetAnnotations()[records.RecordName]
	if name != "" {
		rec, err := r.records.named(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: name})
		if err != nil {
			return nil, nil, err
		}
		if rec != nil && !rec.Has(obj.GetUID()) && !rec.Plans(obj) {
			return nil, nil, nil
		}
	}
	if r.now().Sub(obj.GetCreationTimestamp().Time) < recordDelay {
		return nil, &ctrl.Result{RequeueAfter: 2 * time.Second}, nil
	}
	r.sayOnce(obj, corev1.EventTypeWarning, "RecordMissing", fmt.Sprintf(
		"It says that it is a retry of %s, but there is no RetryRecord of that: nothing is asked or done, so that what was spent is not forgotten. To start a new account, remove the annotation %s.",
		obj.GetAnnotations()[records.RetryOf], records.RetryOf))
	return nil, &ctrl.Result{}, nil
}

// first returns the record of the lineage that begins with obj. If obj was changed
// after its creation and no one saw it at work, it is not kept as the template of
// attempts, because it is unknown who changed it.
func (r *reconciler) first(obj *unstructured.Unstructured, outcome kinds.Outcome) (*records.RetryRecord, error) {
	rec, err := records.New(obj)
	if err != nil {
		return nil, err
	}
	if r.kind.Fixed() || outcome.Phase == kinds.Active || obj.GetGeneration() <= 1 {
		r.keepTemplate(obj, rec)
	}
	return rec, nil
}

// keepTemplate keeps none if it is too large; a retry then says so.
func (r *reconciler) keepTemplate(obj *unstructured.Unstructured, rec *records.RetryRecord) {
	var err error
	if rec.Spec.Template, err = records.Pack(obj); err != nil {
		ctrl.Log.Info("no attempt can be made from it", "kind", obj.GetKind(), "namespace", obj.GetNamespace(), "name", obj.GetName(), "error", err.Error())
	}
}

// see keeps the spec that an operator is working on as the template of further
// attempts. A change while the operator works is run by it anyway; a change after the
// end runs nothing and is not kept.
func (r *reconciler) see(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, outcome kinds.Outcome) (*records.RetryRecord, error) {
	if r.modeOf(obj) != Act || outcome.Phase != kinds.Active || rec == nil && r.kind.Fixed() {
		return rec, nil
	}
	if rec == nil {
		rec, err := r.first(obj, outcome)
		if err != nil {
			return nil, err
		}
		rec.Become(records.Watched, "AtWork", "Nothing has failed yet.", r.now())
		return rec, r.write(ctx, obj, rec)
	}
	work, err := records.WorkOf(obj)
	if err != nil || work == rec.Latest().Work && len(rec.Spec.Template) > 0 {
		return rec, err
	}
	rec.Latest().Work = work
	r.keepTemplate(obj, rec)
	return rec, r.write(ctx, obj, rec)
}

// begun notes the object of an attempt that was decided on.
func (r *reconciler) begun(ctx context.Context, next *unstructured.Unstructured, rec *records.RetryRecord) error {
	advice, err := rec.Status.Decision.GetAdvice()
	if err != nil {
		return err
	}
	if err := rec.Add(next, advice.GetLastAttempt()); err != nil {
		return err
	}
	if err := r.addToSchedule(ctx, next, rec); err != nil {
		return err
	}
	rec.Status.FirstStep = ""
	rec.Become(records.Retrying, "Retried", fmt.Sprintf("Attempt %d is %s.", rec.Status.Attempt, next.GetName()), r.now())
	return r.records.write(ctx, rec)
}

// succeeded closes the record of completed work, and reports it to the service.
func (r *reconciler) succeeded(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, policy string, at time.Time) error {
	if rec == nil || rec.Latest().UID != obj.GetUID() || rec.Status.State == records.Succeeded {
		return nil
	}
	if r.modeOf(obj) != Observe || r.options.CountObserved {
		r.asker.reportSuccess(ctx, obj, rec, policy)
	}
	if rec.DecisionAbout(obj.GetUID()) != nil {
		rec.Status.Decision = nil
	}
	rec.Status.FirstStep = ""
	rec.Ran(obj, at)
	rec.Become(records.Succeeded, "Succeeded", fmt.Sprintf("Attempt %d, %s, has succeeded.", rec.Status.Attempt, obj.GetName()), r.now())
	return r.write(ctx, obj, rec)
}

// forget drops a decision that is no longer valid.
func (r *reconciler) forget(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) error {
	if rec.DecisionAbout(obj.GetUID()) == nil {
		return nil
	}
	rec.Status.Decision, rec.Status.FirstStep = nil, ""
	rec.Ran(obj, time.Time{})
	rec.Become(atWork(rec), "AtWork", "It was changed, and is at work again.", r.now())
	return r.write(ctx, obj, rec)
}

// atWork returns the state of work that runs: Watched in its first attempt, else
// Retrying.
func atWork(rec *records.RetryRecord) records.State {
	if rec.Status.Attempt > 1 {
		return records.Retrying
	}
	return records.Watched
}

// write stores a record and its copies on the object.
func (r *reconciler) write(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) error {
	err := r.records.write(ctx, rec)
	if isFinal(err) || apierrors.IsForbidden(err) {
		r.sayOnce(obj, corev1.EventTypeWarning, "RecordNotWritten", err.Error())
	}
	if err != nil {
		return err
	}
	return r.copyOut(ctx, obj, rec)
}

// copyOut updates an object's annotations from its record. If the API server refuses,
// the object goes without, because nothing depends on them.
func (r *reconciler) copyOut(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) error {
	if r.options.onlyReads(obj.GetNamespace()) {
		return nil
	}
	copies, err := rec.Copies(obj.GetUID())
	if err != nil {
		return err
	}
	annotations := map[string]string{}
	maps.Copy(annotations, obj.GetAnnotations())
	for _, name := range records.Copied {
		delete(annotations, name)
	}
	maps.Copy(annotations, copies)
	changed := obj.DeepCopy()
	changed.SetAnnotations(annotations)
	if maps.Equal(annotations, obj.GetAnnotations()) {
		return nil
	}
	if err := r.client.Patch(ctx, changed, client.MergeFrom(obj)); err != nil {
		if isFinal(err) {
			log.FromContext(ctx).Info("the copies on the object were not written", "error", err.Error())
			return nil
		}
		return fmt.Errorf("%s %s/%s: %w", obj.GetKind(), obj.GetNamespace(), obj.GetName(), err)
	}
	changed.DeepCopyInto(obj)
	return r.asker.reader.ties.restore(obj)
}
