package failurerules

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

const (
	never = "template: {spec: {restartPolicy: Never}}"
	user  = "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}"
)

func TestRulesOfJobs(t *testing.T) {
	for name, test := range map[string]struct{ spec, want string }{
		"none before, defaults filled in": {never + ", podReplacementPolicy: TerminatingOrFailed", `{rules: [
			{action: FailJob, onPodConditions: [{type: mulligan.dev/Fail, status: "True"}]},
			{action: Ignore, onPodConditions: [{type: mulligan.dev/Retry, status: "True"}]}]}`},
		"the user's first": {never + ", " + user, `{rules: [
			{action: FailJob, onExitCodes: {operator: In, values: [3]}},
			{action: FailJob, onPodConditions: [{type: mulligan.dev/Fail, status: "True"}]},
			{action: Ignore, onPodConditions: [{type: mulligan.dev/Retry, status: "True"}]}]}`},
		"a limit per index": {never + ", backoffLimitPerIndex: 1", `{rules: [
			{action: FailJob, onPodConditions: [{type: mulligan.dev/Fail, status: "True"}]},
			{action: FailIndex, onPodConditions: [{type: mulligan.dev/FailIndex, status: "True"}]},
			{action: Ignore, onPodConditions: [{type: mulligan.dev/Retry, status: "True"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			job := parse(t, "{kind: Job, spec: {"+test.spec+"}}")
			if why := Write(job, false); why != "" {
				t.Fatal(why)
			}
			got, _, _ := unstructured.NestedMap(job.Object, "spec", "podFailurePolicy")
			want := parse(t, strings.ReplaceAll(test.want, "\t", " ")).Object
			if !reflect.DeepEqual(normal(t, got), normal(t, want)) {
				t.Errorf("rules %v, want %v", got, want)
			}
			if replaced, _, _ := unstructured.NestedString(job.Object, "spec", "podReplacementPolicy"); replaced != "Failed" {
				t.Errorf("podReplacementPolicy %q, want what the API server takes with rules", replaced)
			}
			before := job.DeepCopy()
			if why := Write(job, false); why != "" || !reflect.DeepEqual(before, job) {
				t.Errorf("written twice: %q, %v", why, job)
			}
		})
	}
}

// normal has one type of number.
func normal(t *testing.T, obj map[string]any) any {
	t.Helper()
	text, err := yaml.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestRulesOfJobSets(t *testing.T) {
	set := parse(t, `
kind: JobSet
spec:
  failurePolicy: {maxRestarts: 0, rules: [{name: own, action: FailJobSet, onJobFailureReasons: [DeadlineExceeded]}]}
  replicatedJobs:
  - {name: lead, template: {spec: {`+never+`}}}
  - {name: work, template: {spec: {`+never+`}}}`)
	if why := Write(set, true); why != "" {
		t.Fatal(why)
	}
	rules, _, _ := unstructured.NestedSlice(set.Object, "spec", "failurePolicy", "rules")
	var names []string
	for _, rule := range rules {
		names = append(names, rule.(map[string]any)["name"].(string))
	}
	if want := []string{"own", "MulliganFail", "MulliganRetry"}; !reflect.DeepEqual(names, want) {
		t.Errorf("rules %v, want %v", names, want)
	}
	jobs, _, _ := unstructured.NestedSlice(set.Object, "spec", "replicatedJobs")
	for _, job := range jobs {
		of, _, _ := unstructured.NestedSlice(job.(map[string]any), "template", "spec", "podFailurePolicy", "rules")
		if len(of) != 2 || of[0].(map[string]any)["action"] != "FailJob" || of[1].(map[string]any)["action"] != "FailJob" {
			t.Errorf("rules of %v: %v, want FailJob for both conditions", job.(map[string]any)["name"], of)
		}
	}
	if limit, _, _ := unstructured.NestedFieldNoCopy(set.Object, "spec", "failurePolicy", "maxRestarts"); limit == nil {
		t.Error("the user's limit is gone")
	}
}

// Objects that cannot have the rules stay exactly as their users wrote them.
func TestWhyNot(t *testing.T) {
	many := "podFailurePolicy: {rules: [" + strings.TrimSuffix(strings.Repeat("{action: Count},", 19), ",") + "]}"
	for name, test := range map[string]struct {
		object, why string
		messages    bool
	}{
		"OnFailure":         {"{kind: Job, spec: {template: {spec: {restartPolicy: OnFailure}}}}", "restartPolicy is OnFailure", true},
		"replaced early":    {"{kind: JobSet, spec: {replicatedJobs: [{name: a, template: {spec: {podReplacementPolicy: TerminatingOrFailed, " + never + "}}}]}}", "podReplacementPolicy", true},
		"no room":           {"{kind: Job, spec: {" + many + ", " + never + "}}", "has 19 rules", true},
		"an older JobSet":   {"{kind: JobSet, spec: {replicatedJobs: [{name: a, template: {spec: {" + never + "}}}]}}", "0.12", false},
		"one of two Jobs":   {"{kind: JobSet, spec: {replicatedJobs: [{name: a, template: {spec: {" + never + "}}}, {name: b, template: {spec: {template: {spec: {}}}}}]}}", "replicated Job b: restartPolicy is OnFailure (JobSet's default)", true},
		"not one of either": {"{kind: RayJob, spec: {}}", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			obj := parse(t, test.object)
			before := obj.DeepCopy()
			why := Write(obj, test.messages)
			if !strings.Contains(why, test.why) || why == "" && test.why != "" {
				t.Errorf("%q, want %q", why, test.why)
			}
			if !reflect.DeepEqual(before, obj) {
				t.Errorf("changed to %v", obj)
			}
		})
	}
}
