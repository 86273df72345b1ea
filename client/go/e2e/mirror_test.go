package e2e

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime"

	"mulligan.dev/mulligan"
)

// The bytes in the C++ server's log are those of Kubernetes' own types, which read them
// and write the same again.
func TestKubernetesTypesReadTheBytesOfTheMirrors(t *testing.T) {
	objects := 0
	for _, one := range situations(t) {
		for _, object := range objectsOf(t, one.Report) {
			sent := typed(t, object)
			// Unmarshal adds to existing values.
			fresh, ok := reflect.New(reflect.TypeOf(sent).Elem()).Interface().(interface {
				Marshal() ([]byte, error)
				Unmarshal([]byte) error
			})
			if !ok {
				continue
			}
			objects++
			mirror := mirrored(t, sent)
			raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(mirror)
			if err != nil {
				t.Fatal(err)
			}
			if err := fresh.Unmarshal(raw); err != nil {
				t.Fatalf("%s: %v", one.Name, err)
			}
			again, err := fresh.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			read := mirror.ProtoReflect().New().Interface()
			if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(again, read); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(read, mirror) {
				t.Errorf("%s:\nsent %v\nread %v", one.Name, mirror, read)
			}
		}
	}
	if objects < 300 {
		t.Errorf("only %d objects were tried", objects)
	}
}

// mirrored returns the one object of a report.
func mirrored(t *testing.T, object runtime.Object) proto.Message {
	t.Helper()
	report, err := mulligan.NewReport().Add(object).At(observedAt).Build()
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(report.GetPods()) == 1:
		return report.GetPods()[0]
	case len(report.GetJobs()) == 1:
		return report.GetJobs()[0]
	case len(report.GetNodes()) == 1:
		return report.GetNodes()[0]
	}
	return report.GetEvents()[0]
}
