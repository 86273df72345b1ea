package cluster

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/internal/controller/records"
)

// indexed returns a Job whose indexes all run at once.
func indexed(namespace, name string, indexes int32) *batchv1.Job {
	job := newJob(namespace, name)
	job.Spec.Parallelism, job.Spec.Completions = ptr.To(indexes), ptr.To(indexes)
	job.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	return job
}

func indexOf(pod *corev1.Pod) string {
	return pod.Labels["batch.kubernetes.io/job-completion-index"]
}

// decidedOnce waits for the first decision about the Job, and returns its record.
func (c *cluster) decidedOnce(t *testing.T, namespace, job string) *records.RetryRecord {
	t.Helper()
	var rec *records.RetryRecord
	eventually(t, long, func() string {
		if rec = c.recordOf(t, namespace, job); rec.Status.Decision == nil {
			return "nothing was decided"
		}
		return ""
	})
	return rec
}

// Three of eight indexes fail for three causes.
func TestScenario17IndexesFailForThreeCauses(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	job := indexed(namespace, "sweep", 8)
	job.Spec.BackoffLimit, job.Spec.BackoffLimitPerIndex = nil, ptr.To(int32(0))
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		first := pod.Labels["job-name"] == "sweep"
		switch index := indexOf(pod); {
		case first && index == "1":
			return runsOutOfMemory(pod)
		case first && index == "3":
			return failsWith(pod, indexError)
		case first && index == "5":
			return exits(pod, 139, "Error")
		}
		return succeeds(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), job))
	rec := c.decidedOnce(t, namespace, "sweep")
	if history := account(t, rec).GetHistory(); len(history) != 3 {
		t.Fatalf("the ledger has %v, want a record for each of three indexes", history)
	}
	attempts := c.attempts(t, namespace, 2)
	if memory := attempts[1].Spec.Template.Spec.Containers[0].Resources.Limits.Memory(); memory.String() != "1536Mi" {
		t.Errorf("the next attempt has %v of memory, want 1536Mi", memory)
	}
	c.anEvent(t, &attempts[0], "PartFailed")
	sentences := strings.Join(c.events(t, &attempts[0]), "\n")
	if got := strings.Count(sentences, "PartFailed"); got != 2 {
		t.Errorf("%d parts have an Event, want the other two:\n%s", got, sentences)
	}
}
