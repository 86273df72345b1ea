// Package manifest makes objects from YAML for tests.
package manifest

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// Object parses one document; whole numbers are integers, as from a client.
func Object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(asJSON, &object.Object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}
