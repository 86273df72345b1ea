package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// newCronJob returns a CronJob that forbids concurrent Jobs.
func newCronJob(namespace, schedule string) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: namespace},
		Spec: batchv1.CronJobSpec{
			Schedule: schedule, ConcurrencyPolicy: batchv1.ForbidConcurrent,
			FailedJobsHistoryLimit: ptr.To[int32](5),
			JobTemplate:            batchv1.JobTemplateSpec{Spec: newJob(namespace, "").Spec},
		},
	}
}

// runOf returns the CronJob's Job for a scheduled time, named as by its controller.
func runOf(cron *batchv1.CronJob, at time.Time) *batchv1.Job {
	job := newJob(cron.Namespace, fmt.Sprintf("%s-%d", cron.Name, at.Unix()/60))
	job.Annotations = map[string]string{batchv1.CronJobScheduledTimestampAnnotation: at.UTC().Format(time.RFC3339)}
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(cron, batchv1.SchemeGroupVersion.WithKind("CronJob"))}
	return job
}

// The next scheduled minute comes while the retry runs, and the CronJob's controller skips
// it.
func TestScenario20ARetryOfACronJobIsOneOfItsJobs(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		return !strings.Contains(pod.Name, "-r2-") && runsOutOfMemory(pod)
	})
	c.startController(t, namespace, "act")
	cron := newCronJob(namespace, "* * * * *")
	must(t, c.Create(t.Context(), cron))

	var retry *batchv1.Job
	eventually(t, 2*time.Minute, func() string {
		jobs := c.jobs(t, namespace)
		if len(jobs) != 2 || jobs[1].Status.Active != 1 {
			return fmt.Sprintf("%d Jobs, want the first run and its retry at work", len(jobs))
		}
		retry = &jobs[1]
		return ""
	})
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(cron), cron))
		if active := cron.Status.Active; len(active) != 1 || active[0].UID != retry.UID {
			return fmt.Sprintf("active Jobs of the CronJob: %v, want the retry alone", active)
		}
		return ""
	})
	eventually(t, long, func() string {
		if said := strings.Join(c.events(t, cron), "\n"); !strings.Contains(said, "JobAlreadyActive") {
			return "the next run was not skipped:\n" + said
		}
		return ""
	})
	if jobs := c.jobs(t, namespace); len(jobs) != 2 {
		t.Errorf("%d Jobs while the retry runs, want two", len(jobs))
	}
	must(t, c.Delete(t.Context(), cron))
}

func TestScenario20ARunThatTheScheduleHasOvertakenIsNotRetried(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	c.startController(t, namespace, "act")
	cron := newCronJob(namespace, "0 0 1 1 *")
	must(t, c.Create(t.Context(), cron))
	began := time.Now().Add(-time.Minute).Truncate(time.Minute)
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(cron), cron))
		cron.Status.LastScheduleTime = ptr.To(metav1.NewTime(began))
		if err := c.Status().Update(t.Context(), cron); err != nil {
			return err.Error()
		}
		return ""
	})
	earlier := runOf(cron, began.Add(-time.Hour))
	// An attack by a client with patch rights.
	patched := runOf(cron, began.Add(-2*time.Hour))
	patched.OwnerReferences = nil
	patched.Annotations[batchv1.CronJobScheduledTimestampAnnotation] = "2999-01-01T00:00:00Z"
	for _, job := range []*batchv1.Job{earlier, patched} {
		must(t, c.Create(t.Context(), job))
		c.anEvent(t, job, "RetryCancelled", "CronJob nightly has begun its run of")
	}
	// A cancelled retry stays cancelled, even if the CronJob changes.
	must(t, c.Get(t.Context(), client.ObjectKeyFromObject(cron), cron))
	cron.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent
	must(t, c.Update(t.Context(), cron))
	allowed := runOf(cron, began.Add(-3*time.Hour))
	must(t, c.Create(t.Context(), allowed))
	c.anEvent(t, allowed, "Retried")
	for _, job := range c.jobs(t, namespace) {
		if of := job.Annotations["mulligan.dev/origin"]; of == earlier.Name || of == patched.Name {
			t.Errorf("%s is a retry of %s, which was cancelled", job.Name, of)
		}
	}
}

// An unknown controller may retry by itself. A ConfigMap stands for it.
func TestScenario20AnUnknownOwnerIsLeftToRetry(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, runsOutOfMemory)
	c.startController(t, namespace, "act")
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "workflow", Namespace: namespace}}
	must(t, c.Create(t.Context(), owner))
	job := newJob(namespace, "step")
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	must(t, c.Create(t.Context(), job))
	c.anEvent(t, job, "LeftToItsOwner", "ConfigMap workflow (v1) controls this")
	if d := decisionOf(t, &c.jobs(t, namespace)[0]); d.Action != "" {
		t.Errorf("decided %+v, want nothing", d)
	}
	opted := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"mulligan.dev/policy":""}}}`))
	must(t, c.Patch(t.Context(), job, opted))
	c.anEvent(t, job, "RetryGranted")
}
