package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// failures are the conditions with which the Job controller fails a Job.
var failures = []batchv1.JobCondition{
	{Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit"},
	{Reason: "DeadlineExceeded", Message: "Job was active longer than specified deadline"},
	{Reason: "FailedIndexes", Message: "Job has failed indexes"},
	{Reason: "MaxFailedIndexesExceeded", Message: "Job has exceeded the specified maximal number of failed indexes"},
	{Reason: "PodFailurePolicy", Message: "Container main for pod team/js-workers-0-x1q failed with exit code 143 matching FailJob rule at index 0"},
	{Reason: "PodFailurePolicy", Message: "Container Trainer for pod team/js-driver-2-k2 failed with exit code 1 matching FailJob rule at index 2"},
	{Reason: "PodFailurePolicy", Message: "Pod team/js-workers-0-k2 has condition DisruptionTarget matching FailJob rule at index 1"},
	{Reason: "PodFailurePolicy", Message: "first line\nsecond line exit code 42"},
	{Reason: "PodFailurePolicy", Message: "\u017fpecial \u212a (Kelvin) \u00a0 text"},
	{Reason: "PodFailurePolicy", Message: "a+b[0] \\d $ \u00e4"},
	{Reason: "PodFailurePolicy", Message: ""},
	{Reason: "", Message: "no reason"},
}

// addJobs adds child Jobs in random order, most of this attempt, some missing.
func (w *world) addJobs(random *rand.Rand, restartJob bool) {
	failing := 1 + random.IntN(4)
	for at, group := range w.jobSet.Spec.ReplicatedJobs {
		for index := range min(int(group.Replicas), 3) {
			if cases.Chance(random, 8) && len(w.jobs) > 0 {
				continue
			}
			job := w.child(random, at, index, restartJob)
			conditions(random, job, cases.Chance(random, failing))
			w.jobs = append(w.jobs, job)
		}
	}
	random.Shuffle(len(w.jobs), func(i, j int) { w.jobs[i], w.jobs[j] = w.jobs[j], w.jobs[i] })
}

func (w *world) child(random *rand.Rand, at, index int, restartJob bool) *batchv1.Job {
	group := w.jobSet.Spec.ReplicatedJobs[at]
	name := fmt.Sprintf("%s-%s-%d", w.jobSet.Name, group.Name, index)
	attempt := w.jobSet.Status.Restarts
	if attempt > 0 && cases.Chance(random, 5) {
		attempt--
	}
	job := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: types.UID("uid-" + name),
			CreationTimestamp: metav1.NewTime(cases.Now.Add(-1800e9)),
			Labels: map[string]string{
				"jobset.sigs.k8s.io/jobset-name":        w.jobSet.Name,
				"jobset.sigs.k8s.io/replicatedjob-name": group.Name,
				"jobset.sigs.k8s.io/job-index":          strconv.Itoa(index),
				"jobset.sigs.k8s.io/restart-attempt":    strconv.Itoa(int(attempt)),
			},
			OwnerReferences: owner("jobset.x-k8s.io/v1alpha2", "JobSet", w.jobSet.Name, w.jobSet.UID),
		},
		Spec:   *group.Template.Spec.DeepCopy(),
		Status: batchv1.JobStatus{Active: *group.Template.Spec.Parallelism},
	}
	if restartJob {
		restarts := restartsOf(w.jobSet.Status.ReplicatedJobsStatus[at], index)
		if restarts > 0 && cases.Chance(random, 5) {
			restarts--
		}
		job.Labels["jobset.sigs.k8s.io/job-restart-attempt"] = strconv.Itoa(int(restarts))
	} else if cases.Chance(random, 40) {
		delete(job.Labels, "jobset.sigs.k8s.io/replicatedjob-name")
	}
	// A Job that is deleted in the foreground stays until its pods are gone.
	if (attempt < w.jobSet.Status.Restarts && cases.Chance(random, 2)) || cases.Chance(random, 25) {
		job.DeletionTimestamp = ptr.To(metav1.NewTime(cases.Now.Add(-10e9)))
		job.Finalizers = []string{"foregroundDeletion"}
	}
	return job
}

func restartsOf(group jobset.ReplicatedJobStatus, index int) int32 {
	if restarts := countersOf(group).JobRestarts; index < len(restarts) {
		return restarts[index]
	}
	return 0
}

// conditions makes a Job running, complete, failed, or about to fail.
func conditions(random *rand.Rand, job *batchv1.Job, fails bool) {
	// Few seconds to choose from, so that some Jobs fail in the same one.
	at := cases.Now.Add(-time.Duration(1+random.IntN(8)) * time.Minute)
	add := func(kind batchv1.JobConditionType, status corev1.ConditionStatus, why batchv1.JobCondition) {
		why.Type, why.Status = kind, status
		why.LastTransitionTime = metav1.NewTime(at)
		job.Status.Conditions = append(job.Status.Conditions, why)
	}
	if !fails {
		switch random.IntN(6) {
		case 0:
			job.Status.Active, job.Status.Succeeded = 0, *job.Spec.Completions
			done := batchv1.JobCondition{Reason: "CompletionsReached", Message: "Reached expected number of succeeded pods"}
			add("SuccessCriteriaMet", corev1.ConditionTrue, done)
			add("Complete", corev1.ConditionTrue, done)
		case 1:
			add("Suspended", cases.Pick(random, corev1.ConditionTrue, corev1.ConditionFalse),
				batchv1.JobCondition{Reason: "JobSuspended", Message: "Job suspended"})
		case 2:
			job.Status.Ready = ptr.To(*job.Spec.Parallelism)
		}
		return
	}
	why := cases.Pick(random, failures...)
	job.Status.Failed = 1
	switch random.IntN(8) {
	case 0: // Pods of it still terminate.
		job.Status.Terminating = ptr.To(int32(1))
		add("FailureTarget", corev1.ConditionTrue, why)
	case 1:
		add("Failed", corev1.ConditionTrue, why)
		job.Status.Active = 0
	case 2: // It has not failed, so its limit is not used up.
		job.Status.Failed = 0
		add("Failed", corev1.ConditionFalse, why)
	default:
		add("FailureTarget", corev1.ConditionTrue, why)
		add("Failed", corev1.ConditionTrue, why)
		job.Status.Active = 0
	}
}
