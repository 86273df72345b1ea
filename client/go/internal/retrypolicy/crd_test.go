package retrypolicy

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the CustomResourceDefinition")

const (
	schemaFile = "../../../../deploy/policies/schema.json"
	crdFile    = "../../../../deploy/controller/retrypolicies.yaml"
)

func TestTheCRDIsThatOfTheSchema(t *testing.T) {
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := definition(schema)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(crdFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(crdFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not that of %s (%v): go test ./internal/retrypolicy -update", crdFile, schemaFile, err)
	}
}

const crdHeader = `# Made from deploy/policies/schema.json; after a change of that:
#   cd client/go && go test ./internal/retrypolicy -update
`

// definition is the CustomResourceDefinition as YAML. jsonSchema is what
// `mulligan policy schema` prints.
func definition(jsonSchema []byte) ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(jsonSchema, &schema); err != nil {
		return nil, err
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema has no properties, expected those of a RetryPolicy")
	}
	spec, ok := properties["spec"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema has no spec, expected that of a RetryPolicy")
	}
	crd := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "retrypolicies.mulligan.dev"},
		"spec": map[string]any{
			"group": "mulligan.dev",
			"scope": "Cluster",
			"names": map[string]any{
				"kind": "RetryPolicy", "listKind": "RetryPolicyList", "plural": "retrypolicies",
				"singular": "retrypolicy", "categories": []any{"mulligan"},
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources":             map[string]any{"status": map[string]any{}},
				"additionalPrinterColumns": printerColumns,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type":        "object",
					"description": schema["description"],
					"required":    []any{"spec"},
					"properties": map[string]any{
						"apiVersion": map[string]any{"type": "string"},
						"kind":       map[string]any{"type": "string"},
						"metadata": map[string]any{"type": "object", "properties": map[string]any{
							// A policy's name becomes a metric label.
							"name": map[string]any{"type": "string", "pattern": "^[a-z0-9-]+$", "maxLength": 63},
						}},
						"spec":   structural(spec),
						"status": statusSchema,
					},
				}},
			}},
		},
	}
	text, err := yaml.Marshal(crd)
	return append([]byte(crdHeader), text...), err
}

var printerColumns = []any{
	column("Accepted", `.status.conditions[?(@.type=="Accepted")].status`),
	column("Loaded", `.status.conditions[?(@.type=="Loaded")].status`),
	column("Revision", ".status.revision"),
	map[string]any{"name": "Order", "type": "integer", "jsonPath": ".spec.order", "priority": 1},
	map[string]any{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
}

func column(name, path string) map[string]any {
	return map[string]any{"name": name, "type": "string", "jsonPath": path}
}

var statusSchema = map[string]any{
	"type":        "object",
	"description": "Written by mulligan-controller.",
	"properties": map[string]any{
		"revision": map[string]any{"type": "string", "description": "Revision of the set of policies that the servers have loaded with this one in it."},
		"conditions": map[string]any{
			"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"},
			"items": map[string]any{
				"type":     "object",
				"required": []any{"type", "status", "lastTransitionTime", "reason", "message"},
				"properties": map[string]any{
					"type": map[string]any{"type": "string"}, "status": map[string]any{"type": "string"},
					"reason": map[string]any{"type": "string"}, "message": map[string]any{"type": "string"},
					"lastTransitionTime": map[string]any{"type": "string", "format": "date-time"},
					"observedGeneration": map[string]any{"type": "integer", "format": "int64"},
				},
			},
		},
	},
}

// structural makes of a JSON Schema what the API server takes: one type each,
// nothing about unknown fields, which it prunes or refuses by itself, and an open
// object where nothing is said about its fields.
func structural(schema map[string]any) map[string]any {
	result := map[string]any{}
	for key, value := range schema {
		switch key {
		case "type":
			setType(result, value)
		case "properties":
			fields := map[string]any{}
			for name, field := range value.(map[string]any) {
				fields[name] = structural(field.(map[string]any))
			}
			result[key] = fields
		case "items":
			result[key] = structural(value.(map[string]any))
		case "additionalProperties":
			if of, ok := value.(map[string]any); ok {
				result[key] = structural(of)
			}
		case "title", "$schema":
		default:
			result[key] = value
		}
	}
	if result["type"] == "object" && result["properties"] == nil && result["additionalProperties"] == nil {
		result["x-kubernetes-preserve-unknown-fields"] = true
	}
	return result
}

func setType(result map[string]any, value any) {
	types, several := value.([]any)
	if !several {
		result["type"] = value
		return
	}
	if slices.Contains(types, any("null")) {
		result["nullable"] = true
		types = slices.DeleteFunc(slices.Clone(types), func(name any) bool { return name == "null" })
	}
	switch {
	case len(types) == 1:
		result["type"] = types[0]
	case slices.Contains(types, any("integer")) && slices.Contains(types, any("string")):
		result["x-kubernetes-int-or-string"] = true
	default:
		result["x-kubernetes-preserve-unknown-fields"] = true
	}
}
