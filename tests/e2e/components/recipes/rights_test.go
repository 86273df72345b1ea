package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestRightsAreReadFromMarkers(t *testing.T) {
	rules, err := marked(`package controllers

// Kinds that a question reads.
// +kubebuilder:rbac:groups="",resources=pods;nodes,verbs=get;list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get
func ask() {}
`)
	want := []rule{
		{APIGroups: []string{""}, Resources: []string{"pods", "nodes"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"get"}},
	}
	if err != nil || !reflect.DeepEqual(rules, want) {
		t.Errorf("got %v, %v, want %v", rules, err, want)
	}
}

func TestMarkersThatAreNoRulesAreRefused(t *testing.T) {
	for marker, want := range map[string]string{
		"groups=batch,resource=jobs,verbs=get": `has "resource=jobs", expected groups, resources and verbs`,
		"groups=batch,verbs=get":               "expected groups, resources and verbs",
	} {
		if _, err := marked("// +kubebuilder:rbac:" + marker); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", marker, err, want)
		}
	}
}
