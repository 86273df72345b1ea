package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/controller/successor"
	"mulligan.dev/mulligan/internal/words"
)

// retry creates the next attempt, or finds it if it exists already.
func (r *reconciler) retry(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) (ctrl.Result, error) {
	if impossible := r.cannotRetry(obj, rec); impossible != "" {
		return ctrl.Result{}, r.refuse(ctx, obj, rec, impossible)
	}
	next, notes, err := successor.Of(r.kind, rec, r.now())
	if err != nil {
		return ctrl.Result{}, r.refuse(ctx, obj, rec, words.Cut(err.Error(), maxRefusal))
	}
	if work, err := records.WorkOf(obj); err == nil && work != rec.Latest().Work {
		r.sayOnce(obj, corev1.EventTypeWarning, "EditNotTaken", "Its spec was changed after its end; the next attempt has the spec that it ran with.")
	}
	sent := next.DeepCopy()
	err = r.client.Create(ctx, next)
	isNew := err == nil
	if apierrors.IsAlreadyExists(err) {
		// Its name follows from the failed object, so it was created before a crash.
		next, err = r.existing(ctx, rec)
	}
	if err != nil {
		return r.notCreated(ctx, obj, rec, err)
	}
	if isNew {
		if dropped := successor.Dropped(r.kind, sent, next); dropped != "" {
			notes = append(notes, dropped)
		}
		r.announce(obj, next, rec.Status.Decision, notes)
	}
	if err := r.begun(ctx, next, rec); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.copyOut(ctx, obj, rec)
}

// cannotRetry returns why no attempt can be made even if the API server accepts it;
// empty if one can.
func (r *reconciler) cannotRetry(obj *unstructured.Unstructured, rec *records.RetryRecord) string {
	switch {
	case len(rec.Status.Attempts) >= records.MaxAttempts:
		return fmt.Sprintf("there were %d attempts, expected at most %d", len(rec.Status.Attempts), records.MaxAttempts)
	case len(rec.Spec.Template) == 0:
		return "what it was created with is not known: it was changed before the controller saw it at work, or is too large to keep"
	}
	if rec.Status.Decision.Retry == "" {
		return fmt.Sprintf("what the operator makes names from leaves %d characters for that of the next attempt: shorten the names inside the spec", max(r.kind.MaxName(obj), 0))
	}
	return ""
}

func (r *reconciler) existing(ctx context.Context, rec *records.RetryRecord) (*unstructured.Unstructured, error) {
	existing := newObject(r.kind)
	key := client.ObjectKey{Namespace: rec.Namespace, Name: rec.Status.Decision.Retry}
	return existing, r.asker.reader.Get(ctx, key, existing)
}

func (r *reconciler) announce(obj, next *unstructured.Unstructured, decided *records.Decision, notes []string) {
	created.WithLabelValues(r.kind.GroupVersionKind().Kind).Inc()
	r.recorder.Eventf(obj, corev1.EventTypeNormal, "Retried", "Attempt %d is %s", decided.Attempt, decided.Retry)
	r.recorder.Eventf(next, corev1.EventTypeNormal, "RetryOf", "Attempt %d after %s: %s", decided.Attempt, obj.GetName(), decided.Sentence)
	if kept := r.kind.Keeps(obj); kept != "" {
		r.recorder.Event(obj, corev1.EventTypeWarning, "ClusterKept", kept)
	}
	for _, note := range notes {
		r.recorder.Event(next, corev1.EventTypeWarning, "AdviceNotFollowed", note)
	}
}

const (
	// Refusals that may pass (a quota, a webhook, a right) are retried this long.
	triedFor = time.Hour
	// The pause is as long as the time since the first try, between these bounds.
	shortestRefusal = 5 * time.Second
	longestRefusal  = 5 * time.Minute
)

// notCreated retries refusals that may pass. It ends other attempts and notifies,
// because they were charged.
func (r *reconciler) notCreated(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, cause error) (ctrl.Result, error) {
	if !isRefused(cause) {
		return ctrl.Result{}, fmt.Errorf("creating %s: %w", rec.Status.Decision.Retry, cause)
	}
	why := words.Cut(cause.Error(), maxRefusal)
	since, said := rec.Since(records.RetryNotCreated)
	if since.IsZero() {
		since = r.now()
	}
	tried := r.now().Sub(since)
	if isFinal(cause) || tried >= triedFor {
		return ctrl.Result{}, r.refuse(ctx, obj, rec, why)
	}
	if said != why {
		rec.Status.FirstStep = "let the API server take the next attempt, which is tried again until then: " + why
		rec.Become(records.RetryNotCreated, "TriedAgain", why, r.now())
		if err := r.write(ctx, obj, rec); err != nil {
			return ctrl.Result{}, err
		}
		r.sayOnce(obj, corev1.EventTypeWarning, "RetryNotCreated", fmt.Sprintf("It is tried again for up to %v: %s", triedFor, why))
	}
	return ctrl.Result{RequeueAfter: min(max(tried, shortestRefusal), longestRefusal)}, nil
}

// refuse ends work whose next attempt cannot be created.
func (r *reconciler) refuse(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, why string) error {
	rec.Status.FirstStep = fmt.Sprintf("create the work again by hand: %s", why)
	rec.Become(records.RetryRefused, "Refused", why, r.now())
	if err := r.write(ctx, obj, rec); err != nil {
		return err
	}
	r.sayOnce(obj, corev1.EventTypeWarning, "RetryNotCreated", "Not tried again: "+why)
	r.notifyRefused(obj, rec.Status.Decision, why)
	return nil
}

// The most bytes of a refusal that are kept. Some repeat the whole spec, and an Event
// has 1024 in all.
const maxRefusal = 800

// isRefused returns whether the API server understood and refused, and is not just away
// or busy.
func isRefused(err error) bool {
	code := codeOf(err)
	return code >= 400 && code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout && code != http.StatusConflict
}

// isFinal returns whether the same request will always be refused.
func isFinal(err error) bool {
	switch codeOf(err) {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

func codeOf(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}
