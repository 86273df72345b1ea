package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
