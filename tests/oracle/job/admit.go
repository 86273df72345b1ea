package main

import (
	"context"
	"math/rand/v2"
	"strings"

	batch "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	internal "k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	batchdefaults "k8s.io/kubernetes/pkg/apis/batch/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	registry "k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// admit fills in the Job's own defaults and returns the API server's refusals,
// nil if it admits the Job. Parts of a pod template that Mulligan does not see
// (images) are completed first.
func admit(job *batch.Job) []string {
	batchdefaults.SetDefaults_Job(job)
	if policy := job.Spec.PodFailurePolicy; policy != nil {
		for _, rule := range policy.Rules {
			for at := range rule.OnPodConditions {
				batchdefaults.SetDefaults_PodFailurePolicyOnPodConditionsPattern(&rule.OnPodConditions[at])
			}
		}
	}
	whole := job.DeepCopy()
	whole.Spec.Selector, whole.UID = nil, types.UID("11111111-2222-3333-4444-555555555555")
	whole.ObjectMeta = metav1.ObjectMeta{Name: job.Name, Namespace: job.Namespace, UID: whole.UID}
	template := &whole.Spec.Template.Spec
	for _, containers := range [][]corev1.Container{template.InitContainers, template.Containers} {
		for at := range containers {
			containers[at].Image = "example.org/image"
		}
	}
	batchdefaults.SetObjectDefaults_Job(whole)
	made := &internal.Job{}
	if err := legacyscheme.Scheme.Convert(whole, made, nil); err != nil {
		panic(err)
	}
	registry.Strategy.PrepareForCreate(context.Background(), made)
	return validate(made)
}

func validate(job *internal.Job) (refusals []string) {
	// 1.34 panics on the successPolicy of an Indexed Job without completions and
	// answers "internal error".
	defer func() {
		if recover() != nil {
			refusals = []string{crashed}
		}
	}()
	for _, err := range registry.Strategy.Validate(context.Background(), job) {
		refusals = append(refusals, err.Error())
	}
	return refusals
}

// crashed is the only refusal of a Job that the API server cannot check.
const crashed = "the API server panics"

// spoil gives the Job one to three fields that the API server may refuse.
func spoil(random *rand.Rand, job *batch.Job) {
	spec := &job.Spec
	policy := func() *batch.PodFailurePolicyRule {
		if spec.PodFailurePolicy == nil || len(spec.PodFailurePolicy.Rules) == 0 {
			spec.PodFailurePolicy = &batch.PodFailurePolicy{Rules: []batch.PodFailurePolicyRule{rule(random, false)}}
		}
		return &spec.PodFailurePolicy.Rules[random.IntN(len(spec.PodFailurePolicy.Rules))]
	}
	number := func() *int32 { return ptr.To(cases.Pick[int32](random, -1, -2, 0, 99, 100001, 200000)) }
	spoilers := []func(){
		func() { spec.Parallelism = number() },
		func() { spec.Completions = number() },
		func() { spec.BackoffLimit = number() },
		func() { spec.BackoffLimitPerIndex = number() },
		func() { spec.MaxFailedIndexes = number() },
		func() { spec.ActiveDeadlineSeconds = ptr.To(int64(-5)) },
		func() { spec.TTLSecondsAfterFinished = ptr.To(int32(-1)) },
		func() { spec.CompletionMode = ptr.To(batch.CompletionMode("Sorted")) },
		func() { spec.CompletionMode, spec.Completions = ptr.To(batch.IndexedCompletion), nil },
		func() {
			spec.Template.Spec.RestartPolicy = cases.Pick[corev1.RestartPolicy](random, "Always", "", "Never", "OnFailure", "Once")
		},
		func() {
			spec.PodReplacementPolicy = ptr.To(cases.Pick[batch.PodReplacementPolicy](random, "Never", "TerminatingOrFailed", ""))
		},
		func() {
			policy().Action = cases.Pick[batch.PodFailurePolicyAction](random, "", "FailIndex", "FailIndex", "FailJob", "Restart")
		},
		func() {
			rule := policy()
			rule.OnExitCodes, rule.OnPodConditions = nil, nil
			if cases.Chance(random, 2) {
				rule.OnExitCodes, rule.OnPodConditions = exitCodes(random), podConditions(random)
			}
		},
		func() {
			rule := policy()
			rule.OnExitCodes, rule.OnPodConditions = exitCodes(random), nil
			rule.OnExitCodes.Values = cases.Pick(random, []int32{}, []int32{3, 2}, []int32{3, 2, 2}, []int32{1, 1},
				[]int32{0, 1}, []int32{5, 0}, make([]int32, 300))
		},
		func() {
			rule := policy()
			rule.OnExitCodes, rule.OnPodConditions = exitCodes(random), nil
			rule.OnExitCodes.Operator = cases.Pick[batch.PodFailurePolicyOnExitCodesOperator](random, "", "", "NotIn", "NotIn", "Is")
			rule.OnExitCodes.ContainerName = cases.Pick(random, nil, ptr.To(""), ptr.To("nobody"), ptr.To("setup"))
		},
		func() {
			rule := policy()
			rule.OnExitCodes, rule.OnPodConditions = nil, podConditions(random)
			at := &rule.OnPodConditions[0]
			at.Status = cases.Pick[corev1.ConditionStatus](random, "Maybe", "", "True")
			at.Type = cases.Pick[corev1.PodConditionType](random, "bad type", "", "DisruptionTarget", "a/b/c", "example.com/ok")
		},
		func() {
			policy()
			for range 12 {
				spec.PodFailurePolicy.Rules = append(spec.PodFailurePolicy.Rules, spec.PodFailurePolicy.Rules[0], rule(random, false))
			}
		},
		func() { spec.PodFailurePolicy = &batch.PodFailurePolicy{} },
		func() {
			spec.SuccessPolicy = &batch.SuccessPolicy{}
			for range random.IntN(3) {
				spec.SuccessPolicy.Rules = append(spec.SuccessPolicy.Rules, batch.SuccessPolicyRule{
					SucceededIndexes: cases.Pick(random, nil, ptr.To(""), ptr.To("0-"), ptr.To("1,0"), ptr.To("0-2"), ptr.To("2-1"),
						ptr.To("a"), ptr.To("0,99"), ptr.To("0-1,1"), ptr.To(" 1"), ptr.To("0,,1"), ptr.To(strings.Repeat("0", 65537))),
					SucceededCount: cases.Pick(random, nil, number(), ptr.To(int32(2))),
				})
			}
		},
	}
	for range 1 + random.IntN(3) {
		spoilers[random.IntN(len(spoilers))]()
	}
}
