package cluster

import (
	"testing"
	"time"

	"mulligan.dev/mulligan"
)

func TestScenario11ObserveReportsDifference(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, isTakenAway)
	c.startController(t, namespace, "observe")
	must(t, c.Create(t.Context(), newJob(namespace, "train")))

	eventually(t, long, func() string {
		if jobs := c.jobs(t, namespace); !isFailed(&jobs[0]) {
			return "the Job has not failed"
		}
		return ""
	})
	job := &c.jobs(t, namespace)[0]
	// The Job controller counts a node's shutdown like a failure of the program.
	c.anEvent(t, job, "WouldRetry", "charged to disruption", "The operator: Job: fail the Job")
	// A retry would come within two seconds.
	time.Sleep(3 * time.Second)
	if jobs := c.jobs(t, namespace); len(jobs) != 1 || !isFailed(&jobs[0]) {
		t.Errorf("%d Jobs, want the failed one alone", len(jobs))
	}
	if _, charged := job.Annotations[mulligan.LedgerAnnotation]; charged {
		t.Error("something was charged")
	}
}
