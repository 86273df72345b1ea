package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// world is the objects of one case.
type world struct {
	jobSet *jobset.JobSet
	jobs   []*batchv1.Job
	// pods exist only for in-place restarts.
	pods []*corev1.Pod
}

const namespace = "team"

// newWorld makes a JobSet at some point of its life, with child Jobs of this
// restart attempt and of the previous one.
func newWorld(random *rand.Rand, number int, enabled []string) *world {
	restartJob := slices.Contains(enabled, "RestartJob")
	inPlace := slices.Contains(enabled, "InPlaceRestart")
	js := &jobset.JobSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("js%d", number), Namespace: namespace,
			UID:               types.UID(fmt.Sprintf("uid-js-%d", number)),
			CreationTimestamp: metav1.NewTime(cases.Now.Add(-3600e9)),
		},
	}
	for _, name := range []string{"driver", "workers", "eval"}[:1+random.IntN(3)] {
		js.Spec.ReplicatedJobs = append(js.Spec.ReplicatedJobs, group(random, name, inPlace))
	}
	js.Spec.FailurePolicy = failurePolicy(random, groupNames(js), restartJob)
	if js.Spec.FailurePolicy != nil && inPlace && !cases.Chance(random, 3) {
		js.Spec.FailurePolicy.RestartStrategy = "InPlaceRestart"
	}
	js.Spec.SuccessPolicy = successPolicy(random, groupNames(js))
	if cases.Chance(random, 10) {
		js.Spec.Suspend = ptr.To(true)
	}
	if cases.Chance(random, 60) {
		js.Spec.ManagedBy = ptr.To(cases.Pick(random, "kueue.x-k8s.io/multikueue",
			"jobset.sigs.k8s.io/jobset-controller"))
	}
	if cases.Chance(random, 12) {
		spoil(random, js)
	}
	made := &world{jobSet: js}
	status(random, js, restartJob)
	made.addJobs(random, restartJob)
	if inPlace {
		made.addPods(random)
	}
	return made
}

func group(random *rand.Rand, name string, inPlace bool) jobset.ReplicatedJob {
	size := int32(1 + random.IntN(3))
	spec := batchv1.JobSpec{
		Parallelism: ptr.To(size), Completions: ptr.To(size),
		BackoffLimit: ptr.To(int32(random.IntN(3))),
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main"}},
		}},
	}
	if inPlace {
		spec.BackoffLimit = ptr.To(int32(math.MaxInt32))
		spec.PodReplacementPolicy = ptr.To(batchv1.Failed)
	}
	return jobset.ReplicatedJob{
		Name: name, GroupName: "default", Replicas: int32(1 + random.IntN(3)),
		Template: batchv1.JobTemplateSpec{Spec: spec},
	}
}

func groupNames(js *jobset.JobSet) []string {
	var names []string
	for _, group := range js.Spec.ReplicatedJobs {
		names = append(names, group.Name)
	}
	return names
}

// status sets the number of restarts, and perhaps an end.
func status(random *rand.Rand, js *jobset.JobSet, restartJob bool) {
	if !cases.Chance(random, 3) {
		js.Status.Restarts = int32(random.IntN(6))
		js.Status.RestartsCountTowardsMax = int32(random.IntN(int(js.Status.Restarts) + 1))
	}
	for _, group := range js.Spec.ReplicatedJobs {
		counted := jobset.ReplicatedJobStatus{Name: group.Name}
		if restartJob && cases.Chance(random, 2) {
			counted = withJobRestarts(random, counted, int(group.Replicas))
		}
		js.Status.ReplicatedJobsStatus = append(js.Status.ReplicatedJobsStatus, counted)
	}
	if cases.Chance(random, 15) {
		end(random, js)
	} else if js.Status.Restarts > 0 && cases.Chance(random, 2) {
		js.Status.Conditions = append(js.Status.Conditions, metav1.Condition{
			Type: "RestartingJobSet", Status: cases.Pick(random, metav1.ConditionTrue, metav1.ConditionFalse),
			Reason: "DefaultFailurePolicy", LastTransitionTime: metav1.NewTime(cases.Now.Add(-900e9)),
			Message: "applying RestartJobSet failure policy action (first failed job: a)",
		})
	}
}

// end ends a JobSet by condition, terminal state or both.
func end(random *rand.Rand, js *jobset.JobSet) {
	kind, reason, message := "Failed", "FailedJobs",
		"jobset failed due to one or more job failures (first failed job: a)"
	if cases.Chance(random, 3) {
		kind, reason, message = "Completed", "AllJobsCompleted", "jobset completed successfully"
	}
	// Releases up to 0.5 wrote no terminal state.
	if !cases.Chance(random, 4) {
		js.Status.TerminalState = kind
	}
	js.Status.Conditions = append(js.Status.Conditions, metav1.Condition{
		Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(cases.Now.Add(-60e9)),
	})
}

// addPods adds the pods that restart agents have marked with their attempt.
func (w *world) addPods(random *rand.Rand) {
	attempt := random.IntN(4)
	for _, job := range w.jobs {
		for index := range *job.Spec.Parallelism {
			pod := &corev1.Pod{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: metav1.ObjectMeta{
					Name: fmt.Sprintf("%s-%d", job.Name, index), Namespace: namespace,
					UID:               types.UID(fmt.Sprintf("uid-%s-%d", job.Name, index)),
					CreationTimestamp: metav1.NewTime(cases.Now.Add(-1200e9)),
					Labels:            map[string]string{"jobset.sigs.k8s.io/jobset-name": w.jobSet.Name},
					Annotations:       map[string]string{},
					OwnerReferences:   owner("batch/v1", "Job", job.Name, job.UID),
				},
				Spec: job.Spec.Template.Spec,
				Status: corev1.PodStatus{Phase: corev1.PodRunning,
					ContainerStatuses: []corev1.ContainerStatus{{Name: "main",
						RestartCount: int32(random.IntN(3)),
						State:        corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
			}
			if !cases.Chance(random, 6) {
				pod.Annotations["jobset.sigs.k8s.io/in-place-restart-attempt"] =
					strconv.Itoa(attempt + random.IntN(2))
			}
			w.pods = append(w.pods, pod)
		}
	}
}

func owner(version, kind, name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: name, UID: uid, Controller: ptr.To(true)}}
}

// request returns Mulligan's request about the world.
func (w *world) request(enabled []string) map[string]any {
	report := map[string]any{"jobSet": cases.Object(w.jobSet), "workload": map[string]any{"kind": "JobSet"}}
	if jobs := cases.Objects(w.jobs); jobs != nil {
		report["jobs"] = jobs
	}
	if pods := cases.Objects(w.pods); pods != nil {
		report["pods"] = pods
	}
	return cases.Native(report, semantics(enabled))
}
