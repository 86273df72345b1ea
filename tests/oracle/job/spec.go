package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

const namespace = "team"

// newJob returns a Job as its owner writes it; most are admitted.
func newJob(random *rand.Rand, number int) *batch.Job {
	name := fmt.Sprintf("work-%d", number)
	labels := map[string]string{"batch.kubernetes.io/controller-uid": "uid-" + name, "batch.kubernetes.io/job-name": name}
	job := &batch.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID("uid-" + name), Labels: labels,
			CreationTimestamp: metav1.NewTime(cases.Now)},
		Spec: batch.JobSpec{
			Parallelism:  ptr.To(int32(1 + random.IntN(4))),
			Completions:  ptr.To(int32(1 + random.IntN(5))),
			BackoffLimit: cases.Pick(random, nil, ptr.To(int32(0)), ptr.To(int32(1)), ptr.To(int32(2)), ptr.To(int32(5)), ptr.To(int32(math.MaxInt32))),
			Template:     template(random),
		},
	}
	spec := &job.Spec
	indexed := cases.Chance(random, 2)
	if indexed {
		spec.CompletionMode = ptr.To(batch.IndexedCompletion)
	} else if cases.Chance(random, 4) {
		spec.Completions = nil
	}
	if cases.Chance(random, 12) {
		spec.Parallelism = nil
	}
	never := spec.Template.Spec.RestartPolicy == corev1.RestartPolicyNever
	if indexed && never && cases.Chance(random, 2) {
		spec.BackoffLimitPerIndex = ptr.To(int32(random.IntN(3)))
		if cases.Chance(random, 2) {
			spec.MaxFailedIndexes = ptr.To(int32(random.IntN(int(*spec.Completions) + 1)))
		}
	}
	if never && !cases.Chance(random, 3) {
		spec.PodFailurePolicy = &batch.PodFailurePolicy{}
		for range 1 + random.IntN(4) {
			spec.PodFailurePolicy.Rules = append(spec.PodFailurePolicy.Rules, rule(random, spec.BackoffLimitPerIndex != nil))
		}
	}
	if indexed && cases.Chance(random, 4) {
		spec.SuccessPolicy = &batch.SuccessPolicy{Rules: []batch.SuccessPolicyRule{{SucceededCount: ptr.To(int32(1 + random.IntN(int(*spec.Completions))))}}}
		if cases.Chance(random, 2) {
			spec.SuccessPolicy.Rules[0] = batch.SuccessPolicyRule{SucceededIndexes: ptr.To(fmt.Sprintf("0-%d", *spec.Completions-1))}
		}
	}
	if cases.Chance(random, 5) {
		spec.ActiveDeadlineSeconds = ptr.To(int64(random.IntN(300)))
	}
	if cases.Chance(random, 15) {
		spec.Suspend = ptr.To(true)
	}
	if cases.Chance(random, 3) && spec.PodFailurePolicy == nil {
		spec.PodReplacementPolicy = cases.Pick(random, ptr.To(batch.Failed), ptr.To(batch.TerminatingOrFailed))
	}
	return job
}

func template(random *rand.Rand) corev1.PodTemplateSpec {
	spec := corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main"}}}
	if cases.Chance(random, 6) {
		spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	if cases.Chance(random, 3) {
		spec.Containers = append(spec.Containers, corev1.Container{Name: "proxy"})
	}
	if cases.Chance(random, 3) {
		setup := corev1.Container{Name: "setup"}
		if cases.Chance(random, 2) {
			setup.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
		spec.InitContainers = append(spec.InitContainers, setup)
	}
	return corev1.PodTemplateSpec{Spec: spec}
}

// codes are the exit codes of failures and of rules.
var codes = []int32{1, 2, 42, 137, 139, 143, 255}

func rule(random *rand.Rand, perIndex bool) batch.PodFailurePolicyRule {
	actions := []batch.PodFailurePolicyAction{"Ignore", "Ignore", "Count", "FailJob"}
	if perIndex {
		actions = append(actions, "FailIndex", "FailIndex")
	}
	made := batch.PodFailurePolicyRule{Action: cases.Pick(random, actions...)}
	if cases.Chance(random, 2) {
		made.OnExitCodes = exitCodes(random)
	} else {
		made.OnPodConditions = podConditions(random)
	}
	return made
}

func exitCodes(random *rand.Rand) *batch.PodFailurePolicyOnExitCodesRequirement {
	made := &batch.PodFailurePolicyOnExitCodesRequirement{
		Operator:      cases.Pick[batch.PodFailurePolicyOnExitCodesOperator](random, "In", "In", "NotIn"),
		ContainerName: cases.Pick(random, nil, nil, ptr.To("main")),
	}
	for _, code := range codes {
		if cases.Chance(random, 3) {
			made.Values = append(made.Values, code)
		}
	}
	if made.Values == nil {
		made.Values = []int32{1}
	}
	slices.Sort(made.Values)
	return made
}

func podConditions(random *rand.Rand) []batch.PodFailurePolicyOnPodConditionsPattern {
	var made []batch.PodFailurePolicyOnPodConditionsPattern
	for range 1 + random.IntN(2) {
		made = append(made, batch.PodFailurePolicyOnPodConditionsPattern{
			Type:   cases.Pick[corev1.PodConditionType](random, "DisruptionTarget", "DisruptionTarget", "ConfigIssue", "Ready"),
			Status: cases.Pick[corev1.ConditionStatus](random, "True", "True", "True", "False", "Unknown"),
		})
	}
	return made
}
