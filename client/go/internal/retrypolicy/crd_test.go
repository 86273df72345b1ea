package retrypolicy

import (
	"bytes"
	"flag"
	"os"
	"testing"
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
	want, err := CRD(schema)
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
