package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

func TestRoleBindingsOfNamespaces(t *testing.T) {
	f, err := parse([]string{"--print-rolebindings", "--watch-namespaces=ml,etl", "--namespace=platform"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printRoleBindings(&out, f); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, document := range strings.Split(out.String(), "---\n")[1:] {
		// Both kinds in one type: unknown fields are errors.
		var object struct {
			rbacv1.RoleBinding
			Rules []rbacv1.PolicyRule `json:"rules"`
		}
		if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		line := fmt.Sprintf("%s %s/%s", object.Kind, object.Namespace, object.Name)
		for _, rule := range object.Rules {
			line += fmt.Sprintf(" %v %v", rule.Resources, rule.Verbs)
		}
		if object.Kind == "RoleBinding" {
			subject := object.Subjects[0]
			line += fmt.Sprintf(": %s %s for %s/%s", object.RoleRef.Kind, object.RoleRef.Name, subject.Namespace, subject.Name)
		}
		got = append(got, line)
	}
	want := []string{
		"RoleBinding ml/mulligan-controller-workloads: ClusterRole mulligan-controller for platform/mulligan-controller",
		"RoleBinding etl/mulligan-controller-workloads: ClusterRole mulligan-controller for platform/mulligan-controller",
		"Role default/mulligan-controller-node-events [events] [get list watch]",
		"RoleBinding default/mulligan-controller-node-events: Role mulligan-controller-node-events for platform/mulligan-controller",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The role to act is bound only in the namespaces that the flags act in.
func TestTheRightToActIsBoundWhereItActs(t *testing.T) {
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{nil, ""},
		{[]string{"--mode=act"}, "ml etl"},
		{[]string{"--act-namespaces=etl"}, "etl"},
	} {
		f, err := parse(append(test.flags, "--print-rolebindings", "--watch-namespaces=ml,etl"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := printRoleBindings(&out, f); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, document := range strings.Split(out.String(), "---\n")[1:] {
			binding := rbacv1.RoleBinding{}
			if err := yaml.Unmarshal([]byte(document), &binding); err != nil {
				t.Fatal(err)
			}
			if binding.RoleRef.Name == "mulligan-controller-act" {
				got = append(got, binding.Namespace)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v: bound in %v, want %s", test.flags, got, test.want)
		}
	}
}

func TestTheRightToReadLogsIsBoundWhereTheyAreRead(t *testing.T) {
	for _, flags := range [][]string{nil, {"--logs=loki=https://loki"}, {"--logs=kubernetes"}} {
		f, err := parse(append(flags, "--print-rolebindings", "--watch-namespaces=ml,etl"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := printRoleBindings(&out, f); err != nil {
			t.Fatal(err)
		}
		want := 0
		if slices.Contains(flags, "--logs=kubernetes") {
			want = 2
		}
		if got := strings.Count(out.String(), "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: mulligan-controller-logs\n"); got != want {
			t.Errorf("%v: bound %d times, want %d:\n%s", flags, got, want, out.String())
		}
	}
}

func TestRoleBindingsOfNoNamespaceAreAnError(t *testing.T) {
	f, err := parse([]string{"--print-rolebindings"})
	if err != nil {
		t.Fatal(err)
	}
	if err := printRoleBindings(&bytes.Buffer{}, f); err == nil || !strings.Contains(err.Error(), "--watch-namespaces is empty") {
		t.Errorf("got %v", err)
	}
}
