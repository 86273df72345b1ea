package record

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

func named(name, uid string, annotations map[string]string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"kind": "Job"}}
	obj.SetName(name)
	obj.SetUID(types.UID(uid))
	obj.SetAnnotations(annotations)
	return obj
}

func TestRetryNames(t *testing.T) {
	long := strings.Repeat("very-", 20) + "long"
	for _, test := range []struct {
		name   string
		obj    *unstructured.Unstructured
		prefix string
	}{
		{"the first retry", named("train", "u1", nil), "train-r2-"},
		{"a later one is named after the first attempt", named("train-r2-abcde", "u2", map[string]string{Origin: "train"}), "train-r2-"},
		{"a long name is cut", named(long, "u3", nil), "very-very-"},
		{"not at a dash", named(strings.Repeat("a", 35)+"--"+long, "u4", nil), strings.Repeat("a", 35) + "-r2-"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := RetryName(test.obj, 2)
			if !strings.HasPrefix(got, test.prefix) || len(got) > maxName {
				t.Errorf("%q, want at most %d characters that begin with %q", got, maxName, test.prefix)
			}
			if wrong := validation.IsDNS1123Label(got); len(wrong) > 0 {
				t.Errorf("%q: %v", got, wrong)
			}
			if again := RetryName(test.obj, 2); again != got {
				t.Errorf("the same object gets %q and %q", got, again)
			}
		})
	}
	if a, b := RetryName(named("train", "u1", nil), 2), RetryName(named("train", "u9", nil), 2); a == b {
		t.Errorf("two objects get the same name %q", a)
	}
}

func TestAttemptNumbers(t *testing.T) {
	for text, want := range map[string]int32{"": 1, "2": 2, "nonsense": 1, "-3": 1} {
		if got := AttemptOf(named("train", "u", map[string]string{Attempt: text})); got != want {
			t.Errorf("annotation %q is attempt %d, want %d", text, got, want)
		}
	}
}

func TestARecordThatWasEditedIsAnError(t *testing.T) {
	_, err := From(named("train", "u", map[string]string{Decision: "RETRY please"}))
	if err == nil || !strings.Contains(err.Error(), Decision) {
		t.Errorf("error %v, want one that names the annotation", err)
	}
}
