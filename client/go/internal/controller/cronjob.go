package controller

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
)

var cronJob = schema.GroupKind{Group: "batch", Kind: "CronJob"}

// permission is a schedule's answer to another attempt of one of its runs.
type permission int

const (
	granted permission = iota
	// later: not now, but perhaps soon.
	later
	// never: the schedule has moved on.
	never
)

// run is work that a CronJob started.
type run struct {
	// Its current state; nil if it is gone.
	cron *batchv1.CronJob
	// The scheduled time.
	at time.Time
	// Known by the run's name, and not only by its owners.
	named bool
}

// askSchedule returns whether a Job's CronJob allows another attempt now, and if not,
// why. Jobs without a CronJob are always granted.
func (r *reconciler) askSchedule(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) (permission, string, error) {
	begun, err := r.runOf(ctx, obj, rec)
	if err != nil || begun == nil {
		return granted, "", err
	}
	answer, why := begun.mayStartAgain(obj.GetUID(), rec.Status.Decision.Retry)
	return answer, why, nil
}

// mayStartAgain returns whether the schedule allows an attempt after the one with that
// UID. With Forbid and Replace, two runs of one CronJob must not run at once, and a
// later run replaces this one. retry is the name of the next attempt, which may exist
// already.
func (b run) mayStartAgain(uid types.UID, retry string) (permission, string) {
	cron := b.cron
	switch {
	case cron == nil:
		return never, "its CronJob is gone"
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		return later, fmt.Sprintf("CronJob %s is suspended", cron.Name)
	case cron.Spec.ConcurrencyPolicy == batchv1.AllowConcurrent:
		return granted, ""
	case cron.Status.LastScheduleTime != nil && cron.Status.LastScheduleTime.Truncate(time.Minute).After(b.at):
		return never, fmt.Sprintf("CronJob %s has begun its run of %s", cron.Name, cron.Status.LastScheduleTime.UTC().Format(time.RFC3339))
	}
	other := slices.IndexFunc(cron.Status.Active, func(active corev1.ObjectReference) bool {
		return active.UID != uid && active.Name != retry
	})
	if other >= 0 {
		return later, fmt.Sprintf("CronJob %s lets no two Jobs run at once (concurrencyPolicy %s), and %s is active",
			cron.Name, cron.Spec.ConcurrencyPolicy, cron.Status.Active[other].Name)
	}
	return granted, ""
}

// heldBySchedule reports once why nothing starts now, and returns when to look again.
func (r *reconciler) heldBySchedule(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, answer permission, why string) (ctrl.Result, error) {
	held.WithLabelValues("schedule").Inc()
	if answer == later {
		r.sayOnce(obj, corev1.EventTypeNormal, "RetryHeld", "The next attempt waits: "+why)
		return ctrl.Result{RequeueAfter: pausedFor}, nil
	}
	rec.Become(records.GivenUp, "RetryCancelled", why, r.now())
	if err := r.write(ctx, obj, rec); err != nil {
		return ctrl.Result{}, err
	}
	r.sayOnce(obj, corev1.EventTypeWarning, "RetryCancelled", "No further attempt: "+why)
	return ctrl.Result{}, nil
}

// addToSchedule adds the next attempt to the CronJob's active Jobs, so that the
// concurrencyPolicy applies to it: the CronJob's controller ignores Jobs that it did
// not create. Idempotent.
func (r *reconciler) addToSchedule(ctx context.Context, next *unstructured.Unstructured, rec *records.RetryRecord) error {
	begun, err := r.runOf(ctx, next, rec)
	if err != nil || begun == nil || begun.cron == nil || !begun.named {
		return err
	}
	cron := begun.cron
	known := func(active corev1.ObjectReference) bool { return active.UID == next.GetUID() }
	if slices.ContainsFunc(cron.Status.Active, known) {
		return nil
	}
	before := cron.DeepCopy()
	cron.Status.Active = append(cron.Status.Active, corev1.ObjectReference{
		APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job",
		Namespace: next.GetNamespace(), Name: next.GetName(), UID: next.GetUID(), ResourceVersion: next.GetResourceVersion(),
	})
	err = r.client.Status().Patch(ctx, cron, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return fmt.Errorf("CronJob %s/%s, status.active: %w", cron.Namespace, cron.Name, err)
	}
	return nil
}

// runOf returns the run that obj is an attempt of; nil if there is none. The run's name
// comes first, because it contains the CronJob and the time and cannot be patched,
// unlike owners and annotations. Jobs that a user created from a CronJob have only the
// owner.
func (r *reconciler) runOf(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) (*run, error) {
	made := obj.GetCreationTimestamp().Time
	owner, err := scheduleIn(rec)
	if err != nil {
		return nil, err
	}
	if name, at := runNamed(rec.Origin(), made); name != "" {
		cron, err := r.cronJob(ctx, obj.GetNamespace(), name)
		if err != nil {
			return nil, err
		}
		if cron != nil && (owner == nil || owner.Name != name || owner.UID == cron.UID) {
			return &run{cron, at, true}, nil
		}
	}
	if owner == nil {
		return nil, nil
	}
	cron, err := r.cronJob(ctx, obj.GetNamespace(), owner.Name)
	if cron != nil && cron.UID != owner.UID {
		cron = nil
	}
	return &run{cron: cron, at: made}, err
}

// scheduleIn returns the CronJob that owned the first attempt when it was recorded; nil
// if none did.
func scheduleIn(rec *records.RetryRecord) (*metav1.OwnerReference, error) {
	if len(rec.Spec.Template) == 0 {
		return nil, nil
	}
	first, err := records.Unpack(rec.Spec.Template)
	if err != nil {
		return nil, fmt.Errorf("%s: template: %w", rec.Name, err)
	}
	if owner := metav1.GetControllerOf(first); owner != nil && kindOf(owner) == cronJob {
		return owner, nil
	}
	return nil, nil
}

var ofRun = regexp.MustCompile(`^(.+)-([0-9]{1,12})$`)

// runNamed parses the name of a CronJob's run: the CronJob's name and the minutes since
// 1970. Empty for other names, whose number is not a time near the creation.
func runNamed(name string, made time.Time) (string, time.Time) {
	parts := ofRun.FindStringSubmatch(name)
	if parts == nil {
		return "", time.Time{}
	}
	minutes, err := strconv.ParseInt(parts[2], 10, 64)
	at := time.Unix(minutes*60, 0)
	if err != nil || at.Before(made.AddDate(-1, 0, 0)) || at.After(made.Add(time.Hour)) {
		return "", time.Time{}
	}
	return parts[1], at
}

// cronJob reads a CronJob live; nil if it is gone.
func (r *reconciler) cronJob(ctx context.Context, namespace, name string) (*batchv1.CronJob, error) {
	cron := &batchv1.CronJob{}
	err := r.asker.reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, cron)
	if err != nil || cron.DeletionTimestamp != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return cron, nil
}
