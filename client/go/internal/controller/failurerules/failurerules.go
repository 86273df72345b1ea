// Package failurerules writes the rules by which unpatched operators follow a verdict:
// podFailurePolicy rules of Jobs, and failure policy rules of JobSets. They match the
// conditions that the verdict webhook adds to a pod in the write that fails it.
package failurerules

import (
	"fmt"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Conditions of a failed pod, at most one per pod. The reason is the cause, the message
// the decision's sentence. Only clients with write access to pods/status can set them:
// kubelets, controllers and administrators, but not containers.
const (
	// Retry: the work is not to blame, and the failure is not counted.
	Retry corev1.PodConditionType = "mulligan.dev/Retry"
	// Fail: no further attempt of the Job, or of its JobSet.
	Fail corev1.PodConditionType = "mulligan.dev/Fail"
	// FailIndex: no further attempt of the pod's index of an indexed Job.
	FailIndex corev1.PodConditionType = "mulligan.dev/FailIndex"
)

// The most rules of a podFailurePolicy, and of a JobSet's failurePolicy, that the API
// server accepts (Kubernetes 1.34, JobSet 0.12).
const maxRules = 20

// Reason of the Failed condition of a Job that a FailJob rule ended.
const podFailurePolicy = "PodFailurePolicy"

// Rules of a JobSet, by name.
const (
	failJobSet  = "MulliganFail"
	retryJobSet = "MulliganRetry"
)

// Write adds the rules to a Job or JobSet that is about to be created, after the user's
// rules, which take precedence. It returns why it could not, for the user; empty if the
// rules are there. Objects of other kinds, or with the rules, stay as they are.
// matchesMessages says whether JobSet's controller reads onJobFailureMessagePatterns
// (0.12 and later); without it, a rule could not tell the conditions apart.
func Write(obj *unstructured.Unstructured, matchesMessages bool) string {
	spec, _, _ := unstructured.NestedMap(obj.Object, "spec")
	why := ""
	switch obj.GetKind() {
	case "Job":
		why = writeJob(spec, false)
	case "JobSet":
		why = writeJobSet(spec, matchesMessages)
	default:
		return ""
	}
	if why == "" {
		obj.Object["spec"] = spec
	}
	return why
}

// writeJob changes the spec of a Job. In a JobSet both conditions end the Job, and the
// JobSet's rules tell them apart.
func writeJob(spec map[string]any, inJobSet bool) string {
	policy, _, _ := unstructured.NestedString(spec, "template", "spec", "restartPolicy")
	if policy == "" && inJobSet {
		policy = "OnFailure (JobSet's default)"
	}
	if policy != "Never" {
		return fmt.Sprintf("restartPolicy is %s: a podFailurePolicy needs Never", policy)
	}
	if replacement, _, _ := unstructured.NestedString(spec, "podReplacementPolicy"); replacement != "" && inJobSet && replacement != "Failed" {
		return fmt.Sprintf("podReplacementPolicy is %s: a podFailurePolicy needs Failed", replacement)
	}
	rules, _, _ := unstructured.NestedSlice(spec, "podFailurePolicy", "rules")
	if slices.ContainsFunc(rules, isOurs) {
		return ""
	}
	_, perIndex, _ := unstructured.NestedFieldNoCopy(spec, "backoffLimitPerIndex")
	added := []any{onCondition("FailJob", Fail)}
	if perIndex {
		added = append(added, onCondition("FailIndex", FailIndex))
	}
	if inJobSet {
		added = append(added, onCondition("FailJob", Retry))
	} else {
		added = append(added, onCondition("Ignore", Retry))
	}
	if len(rules)+len(added) > maxRules {
		return fmt.Sprintf("podFailurePolicy has %d rules: the API server takes %d", len(rules), maxRules)
	}
	if err := unstructured.SetNestedSlice(spec, append(rules, added...), "podFailurePolicy", "rules"); err != nil {
		return err.Error()
	}
	if !inJobSet {
		// The API server has set the default without a podFailurePolicy, and accepts no
		// other value than Failed with one.
		spec["podReplacementPolicy"] = "Failed"
	}
	return ""
}

func onCondition(action string, condition corev1.PodConditionType) any {
	return map[string]any{
		"action":          action,
		"onPodConditions": []any{map[string]any{"type": string(condition), "status": "True"}},
	}
}

func isOurs(rule any) bool {
	fields, _ := rule.(map[string]any)
	conditions, _, _ := unstructured.NestedSlice(fields, "onPodConditions")
	return slices.ContainsFunc(conditions, func(condition any) bool {
		of, _ := condition.(map[string]any)
		return of["type"] == string(Fail)
	})
}

func writeJobSet(spec map[string]any, matchesMessages bool) string {
	if !matchesMessages {
		return "its JobSet release does not read onJobFailureMessagePatterns: expected 0.12 or later"
	}
	if spec == nil {
		return "it has no spec"
	}
	rules, _, _ := unstructured.NestedSlice(spec, "failurePolicy", "rules")
	if slices.ContainsFunc(rules, isNamed) {
		return ""
	}
	if len(rules)+2 > maxRules {
		return fmt.Sprintf("failurePolicy has %d rules: the API server takes %d", len(rules), maxRules)
	}
	jobs, _, _ := unstructured.NestedSlice(spec, "replicatedJobs")
	for _, job := range jobs {
		of, _ := job.(map[string]any)
		template, found, _ := unstructured.NestedMap(of, "template", "spec")
		if !found {
			continue
		}
		if why := writeJob(template, true); why != "" {
			return fmt.Sprintf("replicated Job %v: %s", of["name"], why)
		}
		if err := unstructured.SetNestedMap(of, template, "template", "spec"); err != nil {
			return err.Error()
		}
	}
	rules = append(rules,
		onMessage(failJobSet, "FailJobSet", Fail),
		onMessage(retryJobSet, "RestartJobSetAndIgnoreMaxRestarts", Retry))
	if err := unstructured.SetNestedSlice(spec, jobs, "replicatedJobs"); err != nil {
		return err.Error()
	}
	if err := unstructured.SetNestedSlice(spec, rules, "failurePolicy", "rules"); err != nil {
		return err.Error()
	}
	return ""
}

// The Job controller's message is "Pod ns/p has condition TYPE matching FailJob rule at
// index 1" (Kubernetes 1.34).
func onMessage(name, action string, condition corev1.PodConditionType) any {
	return map[string]any{
		"name": name, "action": action,
		"onJobFailureReasons":         []any{podFailurePolicy},
		"onJobFailureMessagePatterns": []any{" has condition " + regexp.QuoteMeta(string(condition)) + " "},
	}
}

func isNamed(rule any) bool {
	fields, _ := rule.(map[string]any)
	return fields["name"] == failJobSet
}
