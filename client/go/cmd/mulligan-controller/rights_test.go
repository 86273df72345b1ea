package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/controller/kinds"
)

// rightsIn returns the rules in a file of deploy/controller: role, then GROUP/RESOURCE, then
// verbs.
func rightsIn(t *testing.T, file string) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../../../deploy/controller/" + file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string][]string{}
	for _, document := range strings.Split(string(text), "\n---\n") {
		role := rbacv1.ClusterRole{}
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind != "Role" && role.Kind != "ClusterRole" {
			continue
		}
		name := role.Kind + " " + role.Name
		found[name] = map[string][]string{}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					key := group + "/" + resource
					found[name][key] = append(found[name][key], rule.Verbs...)
				}
			}
		}
	}
	return found
}

// The manifests grant reads of exactly the kinds in kinds.All, and act.yaml creates and
// patches of the same kinds.
func TestRightsAreThoseOfTheMode(t *testing.T) {
	workloads := map[string]bool{}
	for _, kind := range kinds.All {
		resource, _ := meta.UnsafeGuessKindToResource(kind.GroupVersionKind())
		workloads[resource.Group+"/"+resource.Resource] = true
	}
	observes := rightsIn(t, "rbac.yaml")["ClusterRole mulligan-controller"]
	acts := rightsIn(t, "act.yaml")["ClusterRole mulligan-controller-act"]
	for workload := range workloads {
		if got := fmt.Sprint(observes[workload]); got != "[get list watch]" {
			t.Errorf("to observe: %s of %s, want [get list watch]", got, workload)
		}
		if got := fmt.Sprint(acts[workload]); got != "[create patch]" {
			t.Errorf("to act, in addition: %s of %s, want [create patch]", got, workload)
		}
	}
	// All other writes when acting.
	want := map[string]string{
		"mulligan.dev/retryrecords": "[create update delete]", "batch/cronjobs": "[get]", "batch/cronjobs/status": "[patch]",
		"kueue.x-k8s.io/workloads": "[patch]",
	}
	for _, key := range slices.Sorted(maps.Keys(acts)) {
		if !workloads[key] && fmt.Sprint(acts[key]) != want[key] {
			t.Errorf("to act: %s of %s, want %s", acts[key], key, want[key])
		}
	}
	own := map[string]string{
		"/events": "[get list watch create patch]", "mulligan.dev/retryrecords": "[get list watch create update delete]",
		"authentication.k8s.io/tokenreviews": "[create]", "authorization.k8s.io/subjectaccessreviews": "[create]",
		"coordination.k8s.io/leases": "[create get update]",
	}
	for role, rules := range rightsIn(t, "rbac.yaml") {
		for key, verbs := range rules {
			writes := slices.ContainsFunc(verbs, func(verb string) bool { return !slices.Contains([]string{"get", "list", "watch"}, verb) })
			if writes && fmt.Sprint(verbs) != own[key] {
				t.Errorf("%s, to observe: %s of %s, want %s", role, verbs, key, own[key])
			}
		}
	}
	check := "map[kueue.x-k8s.io/admissionchecks:[get list watch] kueue.x-k8s.io/admissionchecks/status:[patch] kueue.x-k8s.io/workloads:[get list watch] kueue.x-k8s.io/workloads/status:[patch]]"
	for role, rules := range rightsIn(t, "admission-check.yaml") {
		if got := fmt.Sprint(rules); got != check {
			t.Errorf("%s: %s, want %s", role, got, check)
		}
	}
	// The webhooks write only one Secret and one configuration.
	hooks := map[string]string{
		"Role mulligan-controller-webhook":        "map[/secrets:[get update list watch]]",
		"ClusterRole mulligan-controller-webhook": "map[admissionregistration.k8s.io/mutatingwebhookconfigurations:[get update list watch]]",
	}
	for role, rules := range rightsIn(t, "webhook.yaml") {
		if got := fmt.Sprint(rules); got != hooks[role] {
			t.Errorf("%s: %s, want %s", role, got, hooks[role])
		}
	}
}
