package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"mulligan.dev/mulligan/tests/oracle/cases"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

const (
	clusterQueue = "cq"
	localQueue   = "lq"
)

// A scene is one workload, its queues' stop policies, and the configuration.
type scene struct {
	workload      *kueue.Workload
	clusterPolicy kueue.StopPolicy
	localPolicy   kueue.StopPolicy
	readiness     *config.WaitForPodsReady
	// Gate DisableWaitForPodsReady.
	disabled bool
	// Gate UnadmittedWorkloadsObservability.
	observed bool
	settings map[string]any
}

var ages = []time.Duration{0, time.Second, 30 * time.Second, 59 * time.Second, 60 * time.Second, 61 * time.Second,
	299 * time.Second, 300 * time.Second, 301 * time.Second, 30*time.Minute - time.Second, 30 * time.Minute,
	30*time.Minute + time.Second, time.Hour, 100000 * time.Second}

func ago(random *rand.Rand) metav1.Time {
	return metav1.NewTime(cases.Now.Add(-cases.Pick(random, ages...)))
}

func newScene(random *rand.Rand, number int) scene {
	name := fmt.Sprintf("wl-%d", number)
	made := scene{settings: map[string]any{}}
	made.workload = &kueue.Workload{
		TypeMeta: metav1.TypeMeta{APIVersion: kueue.SchemeGroupVersion.String(), Kind: "Workload"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("u-" + name),
			Finalizers: []string{kueue.ResourceInUseFinalizerName},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "j",
				UID: "j-1", Controller: pointer(true)}}},
		Spec: kueue.WorkloadSpec{QueueName: localQueue, PodSets: []kueue.PodSet{podSet()}},
	}
	spec := &made.workload.Spec
	if cases.Chance(random, 2) {
		spec.Active = pointer(!cases.Chance(random, 5))
	}
	if cases.Chance(random, 3) {
		spec.MaximumExecutionTimeSeconds = pointer(cases.Pick[int32](random, 1, 60, 300, 1800, 100000))
	}
	fillStatus(random, made.workload)
	configure(random, &made)
	return made
}

func podSet() kueue.PodSet {
	return kueue.PodSet{Name: kueue.DefaultPodSetName, Count: 1, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "c", Image: "i", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}},
	}}}
}

func set(workload *kueue.Workload, kind string, status bool, reason, message string, at metav1.Time) {
	word := metav1.ConditionFalse
	if status {
		word = metav1.ConditionTrue
	}
	workload.Status.Conditions = append(workload.Status.Conditions, metav1.Condition{
		Type: kind, Status: word, Reason: reason, Message: message, LastTransitionTime: at})
}

func fillStatus(random *rand.Rand, workload *kueue.Workload) {
	status := &workload.Status
	reserved := !cases.Chance(random, 10)
	admitted := reserved && !cases.Chance(random, 8)
	if reserved {
		set(workload, kueue.WorkloadQuotaReserved, true, "QuotaReserved", "Quota reserved in ClusterQueue cq", ago(random))
		status.Admission = &kueue.Admission{ClusterQueue: clusterQueue, PodSetAssignments: []kueue.PodSetAssignment{{
			Name: kueue.DefaultPodSetName, Count: pointer[int32](1),
			Flavors:       map[corev1.ResourceName]kueue.ResourceFlavorReference{corev1.ResourceCPU: "default"},
			ResourceUsage: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
	} else if cases.Chance(random, 2) {
		set(workload, kueue.WorkloadQuotaReserved, false, cases.Pick(random, "Pending", "WaitingForQuota", "Inadmissible"),
			"no", ago(random))
	}
	if admitted {
		set(workload, kueue.WorkloadAdmitted, true, "Admitted", "The workload is admitted", ago(random))
	}
	switch random.IntN(6) {
	case 0:
		set(workload, kueue.WorkloadPodsReady, true, cases.Pick(random, kueue.WorkloadStarted, kueue.WorkloadRecovered), "ready", ago(random))
	case 1, 2:
		set(workload, kueue.WorkloadPodsReady, false, kueue.WorkloadWaitForStart, "Not all pods are ready or succeeded", ago(random))
	case 3, 4:
		set(workload, kueue.WorkloadPodsReady, false, kueue.WorkloadWaitForRecovery, "At least one pod has failed", ago(random))
	default:
		if cases.Chance(random, 2) {
			set(workload, kueue.WorkloadPodsReady, false, cases.Pick(random, "PodsReady", "Else"), "old", ago(random))
		}
	}
	endings(random, workload)
	if cases.Chance(random, 2) {
		checks(random, workload, admitted)
	}
	if cases.Chance(random, 2) {
		status.RequeueState = &kueue.RequeueState{}
		if !cases.Chance(random, 4) {
			status.RequeueState.Count = pointer(cases.Pick[int32](random, 0, 1, 2, 3, 10, 40))
		}
		if cases.Chance(random, 3) {
			at := metav1.NewTime(cases.Now.Add(cases.Pick(random, -time.Hour, -time.Second, 0, time.Second, 100*time.Second, time.Hour)))
			status.RequeueState.RequeueAt = &at
		}
	}
	if cases.Chance(random, 8) {
		status.AccumulatedPastExecutionTimeSeconds = pointer(cases.Pick[int32](random, 0, 30, 300))
	}
}

// endings adds conditions that an earlier pass, a user or the job has left.
func endings(random *rand.Rand, workload *kueue.Workload) {
	reasons := []string{kueue.WorkloadEvictedByPodsReadyTimeout, kueue.WorkloadEvictedByAdmissionCheck, kueue.WorkloadPreempted,
		kueue.WorkloadEvictedByClusterQueueStopped, kueue.WorkloadEvictedByLocalQueueStopped, kueue.WorkloadDeactivated,
		"DeactivatedDueToRequeuingLimitExceeded", kueue.WorkloadEvictedDueToNodeFailures, "FromTheFuture"}
	if cases.Chance(random, 12) {
		set(workload, kueue.WorkloadFinished, true, cases.Pick(random, "Succeeded", "Failed", "OutOfSync"), "The end", ago(random))
	}
	switch random.IntN(10) {
	case 0:
		set(workload, kueue.WorkloadEvicted, true, cases.Pick(random, reasons...), "It had to go", ago(random))
	case 1:
		set(workload, kueue.WorkloadEvicted, false, "QuotaReserved", "Previously: x", ago(random))
	}
	if cases.Chance(random, 12) {
		set(workload, kueue.WorkloadRequeued, cases.Chance(random, 3), cases.Pick(random, reasons...), "later", ago(random))
	}
	if cases.Chance(random, 12) {
		reason := cases.Pick(random, kueue.WorkloadRequeuingLimitExceeded, kueue.WorkloadEvictedByAdmissionCheck,
			kueue.WorkloadMaximumExecutionTimeExceeded)
		set(workload, kueue.WorkloadDeactivationTarget, true, reason, "exceeding something", ago(random))
	}
}

func checks(random *rand.Rand, workload *kueue.Workload, admitted bool) {
	for i := range 1 + random.IntN(3) {
		check := kueue.AdmissionCheckState{
			Name:               kueue.AdmissionCheckReference(fmt.Sprintf("ac%d", i)),
			State:              cases.Pick(random, kueue.CheckStateReady, kueue.CheckStateReady, kueue.CheckStatePending, kueue.CheckStateRetry, kueue.CheckStateRejected),
			LastTransitionTime: metav1.NewTime(cases.Now.Add(-cases.Pick(random, time.Second, 30*time.Second, 100*time.Second))),
			Message:            cases.Pick(random, "", "a; b", "no capacity"),
		}
		if admitted && !cases.Chance(random, 3) {
			check.State = kueue.CheckStateReady
		}
		if cases.Chance(random, 3) {
			check.RetryCount = pointer(cases.Pick[int32](random, 0, 1, 2, 3))
		}
		if check.State == kueue.CheckStateRetry && cases.Chance(random, 2) {
			check.RequeueAfterSeconds = pointer(cases.Pick[int32](random, 0, 1, 30, 60, 101, 3600))
		}
		workload.Status.AdmissionChecks = append(workload.Status.AdmissionChecks, check)
	}
	random.Shuffle(len(workload.Status.AdmissionChecks), func(i, j int) {
		all := workload.Status.AdmissionChecks
		all[i], all[j] = all[j], all[i]
	})
}

func pointer[T any](value T) *T { return &value }
