package controller

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	records "mulligan.dev/mulligan/internal/controller/record"
)

var cronJob = schema.GroupKind{Group: "batch", Kind: "CronJob"}

// permission is what a schedule says to another attempt of one of its runs.
type permission int

const (
	granted permission = iota
	// later: not now, but perhaps in a while.
	later
	// never: the schedule has gone on without it.
	never
)

// asFirst is a Job with the annotations and owners that it was first seen with: who may
// patch it must not get it away from its schedule.
func asFirst(obj *unstructured.Unstructured, rec *records.RetryRecord) (*unstructured.Unstructured, error) {
	first, err := records.Unpack(rec.Spec.Template)
	if err != nil {
		return nil, fmt.Errorf("%s: template: %w", rec.Name, err)
	}
	first.SetNamespace(obj.GetNamespace())
	first.SetUID(obj.GetUID())
	first.SetCreationTimestamp(obj.GetCreationTimestamp())
	return first, nil
}

// askSchedule says whether the CronJob of a Job lets it be started again now, and if
// not, why. What no CronJob made is always granted.
func (r *reconciler) askSchedule(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord) (permission, string, error) {
	if len(rec.Spec.Template) == 0 {
		return granted, "", nil
	}
	first, err := asFirst(obj, rec)
	if err != nil || ownerOf(first, cronJob) == nil {
		return granted, "", err
	}
	cron, err := r.cronJobOf(ctx, first)
	if err != nil {
		return later, "", err
	}
	answer, why := mayStartAgain(cron, first, rec.Status.Decision.Retry)
	return answer, why, nil
}

// mayStartAgain is the rule of docs/adr/0026. cron is nil where it is gone; retry is the
// name of the next attempt, which may be there already.
func mayStartAgain(cron *batchv1.CronJob, job client.Object, retry string) (permission, string) {
	switch {
	case cron == nil:
		return never, "its CronJob is gone"
	case cron.Spec.Suspend != nil && *cron.Spec.Suspend:
		return later, fmt.Sprintf("CronJob %s is suspended", cron.Name)
	case cron.Spec.ConcurrencyPolicy == batchv1.AllowConcurrent:
		return granted, ""
	case cron.Status.LastScheduleTime != nil && cron.Status.LastScheduleTime.After(scheduledAt(job)):
		return never, fmt.Sprintf("CronJob %s has begun its run of %s", cron.Name, cron.Status.LastScheduleTime.UTC().Format(time.RFC3339))
	}
	other := slices.IndexFunc(cron.Status.Active, func(active corev1.ObjectReference) bool {
		return active.UID != job.GetUID() && active.Name != retry
	})
	if other >= 0 {
		return later, fmt.Sprintf("CronJob %s lets no two Jobs run at once (concurrencyPolicy %s), and %s is active",
			cron.Name, cron.Spec.ConcurrencyPolicy, cron.Status.Active[other].Name)
	}
	return granted, ""
}

// scheduledAt is the time of the schedule that a Job is a run of. Later attempts have
// their first one's annotation; what was made by hand has none.
func scheduledAt(job client.Object) time.Time {
	at, err := time.Parse(time.RFC3339, job.GetAnnotations()[batchv1.CronJobScheduledTimestampAnnotation])
	if err != nil {
		return job.GetCreationTimestamp().Time
	}
	return at
}

// heldBySchedule says why nothing is started now, once, and when to look again.
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

// tellSchedule makes the next attempt one of the CronJob's active Jobs, so that its
// controller does with it what the concurrencyPolicy says: it does not look at Jobs that
// it did not create. Telling it twice changes nothing.
func (r *reconciler) tellSchedule(ctx context.Context, next *unstructured.Unstructured, rec *records.RetryRecord) error {
	first, err := asFirst(next, rec)
	if err != nil || ownerOf(first, cronJob) == nil {
		return err
	}
	cron, err := r.cronJobOf(ctx, first)
	if err != nil || cron == nil || !isRunOf(cron, rec.Origin()) {
		return err
	}
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

var scheduled = regexp.MustCompile(`^-[0-9]+$`)

// isRunOf says whether a first attempt has a name that the CronJob gives. Whoever may
// patch a Job may write any CronJob into its owners, and would keep that from running;
// names cannot be patched. What was made by hand is none of the active Jobs either.
func isRunOf(cron *batchv1.CronJob, origin string) bool {
	rest, found := strings.CutPrefix(origin, cron.Name)
	return found && scheduled.MatchString(rest)
}

// cronJobOf reads the CronJob of a Job as it is now; nil: it is gone.
func (r *reconciler) cronJobOf(ctx context.Context, obj *unstructured.Unstructured) (*batchv1.CronJob, error) {
	owner := ownerOf(obj, cronJob)
	cron := &batchv1.CronJob{}
	err := r.asker.reader.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}, cron)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	if err != nil || cron.UID != owner.UID || cron.DeletionTimestamp != nil {
		return nil, nil
	}
	return cron, nil
}

// ownerOf is who controls obj, if it is of that kind; nil otherwise.
func ownerOf(obj client.Object, gk schema.GroupKind) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || !isKind(owner, gk) {
		return nil
	}
	return owner
}
