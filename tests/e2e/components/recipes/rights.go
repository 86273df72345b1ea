package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A rule of a ClusterRole.
type rule struct {
	APIGroups []string `json:"apiGroups"`
	Resources []string `json:"resources"`
	Verbs     []string `json:"verbs"`
}

// rights returns the roles of an operator with the recipe, as YAML documents: its release's,
// and those that controller-gen would make from the glue's markers. module is the result of
// apply.
func (r Recipe) rights(module string) (string, error) {
	var documents []string
	for _, file := range r.Rights {
		role, err := os.ReadFile(filepath.Join(module, file))
		if err != nil {
			return "", err
		}
		documents = append(documents, strings.TrimSpace(strings.TrimPrefix(string(role), "---")))
	}
	glue, err := os.ReadFile(filepath.Join(module, r.GlueTo))
	if err != nil {
		return "", err
	}
	rules, err := marked(string(glue))
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.Operator, err)
	}
	for _, role := range []map[string]any{{"kind": "ClusterRole", "rules": rules}, {"kind": "Role", "rules": r.RightsAtHome}} {
		role["apiVersion"], role["metadata"] = "rbac.authorization.k8s.io/v1", map[string]string{"name": "recipe"}
		added, err := json.Marshal(role)
		if err != nil {
			return "", err
		}
		documents = append(documents, string(added))
	}
	return strings.Join(documents, "\n---\n") + "\n", nil
}

// marked returns the rules of the source's kubebuilder markers.
func marked(source string) ([]rule, error) {
	rules := []rule{}
	for line := range strings.Lines(source) {
		marker, found := strings.CutPrefix(strings.TrimSpace(line), "// +kubebuilder:rbac:")
		if !found {
			continue
		}
		var read rule
		into := map[string]*[]string{"groups": &read.APIGroups, "resources": &read.Resources, "verbs": &read.Verbs}
		for part := range strings.SplitSeq(marker, ",") {
			key, values, _ := strings.Cut(part, "=")
			list := into[key]
			if list == nil {
				return nil, fmt.Errorf("marker %q has %q, expected groups, resources and verbs", marker, part)
			}
			for value := range strings.SplitSeq(values, ";") {
				*list = append(*list, strings.Trim(value, `"`))
			}
		}
		if read.APIGroups == nil || read.Resources == nil || read.Verbs == nil {
			return nil, fmt.Errorf("marker %q, expected groups, resources and verbs", marker)
		}
		rules = append(rules, read)
	}
	return rules, nil
}
