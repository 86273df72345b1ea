package records

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/testing/manifest"
)

func job(name, uid string, edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"spec": map[string]any{"parallelism": int64(2), "template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": "main", "image": "main:1"}},
		}}},
	}}
	obj.SetNamespace("ml")
	obj.SetName(name)
	obj.SetUID(types.UID(uid))
	for _, edit := range edits {
		edit(obj)
	}
	return obj
}

func begun(t *testing.T, obj *unstructured.Unstructured) *RetryRecord {
	t.Helper()
	rec, err := New(obj)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRetryNames(t *testing.T) {
	long := strings.Repeat("very-", 20) + "long"
	for _, test := range []struct {
		name   string
		origin string
		room   int
		prefix string
	}{
		{"short", "train", 45, "train-r2-"},
		{"a long name is cut", long, 45, "very-very-"},
		{"not at a dash", strings.Repeat("a", 30) + "--" + long, 45, strings.Repeat("a", 30) + "-r2-"},
		{"with little room", "train-the-model", 20, "train-r2-"},
		{"with room for a digest alone", "train-the-model", 12, "r"},
		{"with hardly any room", "train-the-model", 7, "r"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := RetryName(test.origin, "u1", 2, test.room)
			if err != nil || !strings.HasPrefix(got, test.prefix) || len(got) > test.room {
				t.Errorf("%q, %v, want at most %d characters that begin with %q", got, err, test.room, test.prefix)
			}
			if wrong := validation.IsDNS1035Label(got); len(wrong) > 0 {
				t.Errorf("%q: %v", got, wrong)
			}
			if again, _ := RetryName(test.origin, "u1", 2, test.room); again != got {
				t.Errorf("the same object gets %q and %q", got, again)
			}
			if other, _ := RetryName(test.origin, "u2", 2, test.room); other == got {
				t.Errorf("two objects get the same name %q", got)
			}
		})
	}
	for _, room := range []int{6, 0, -20} {
		if got, err := RetryName("train", "u1", 2, room); err == nil || !strings.Contains(err.Error(), "expected at least 7") {
			t.Errorf("room for %d: %q, %v", room, got, err)
		}
	}
}

func TestNamesOfRecords(t *testing.T) {
	for _, name := range []string{"train", strings.Repeat("x", 253), "7.of.9", strings.Repeat("a.", 100) + "b"} {
		got := Name("PyTorchJob", name, "u1")
		if wrong := validation.IsDNS1123Subdomain(got); len(wrong) > 0 || len(got) > maxRecordName {
			t.Errorf("%q for %q: %v", got, name, wrong)
		}
		if other := Name("PyTorchJob", name, "u2"); other == got {
			t.Errorf("two objects share the record %q", got)
		}
	}
}

func TestTemplatesSurvivePacking(t *testing.T) {
	obj := job("train", "u1", func(obj *unstructured.Unstructured) {
		yes := true
		obj.SetLabels(map[string]string{"team": "vision"})
		obj.SetAnnotations(map[string]string{
			Policy: "training", "team/note": "keep", DecisionCopy: "{}", RetriedAs: "x", mulligan.LedgerAnnotation: "{}",
			"argocd.argoproj.io/tracking-id": "app", "kubectl.kubernetes.io/last-applied-configuration": "{}",
		})
		obj.SetFinalizers([]string{"somebody/waits"})
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: "nightly", UID: "c", Controller: &yes, BlockOwnerDeletion: &yes}})
	})
	packed, err := Pack(obj)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Object["spec"], obj.Object["spec"]) {
		t.Errorf("spec %v, want %v", got.Object["spec"], obj.Object["spec"])
	}
	if want := map[string]string{Policy: "training", "team/note": "keep"}; !reflect.DeepEqual(got.GetAnnotations(), want) {
		t.Errorf("annotations %v, want %v", got.GetAnnotations(), want)
	}
	if got.GetName() != "" || got.GetUID() != "" || len(got.GetFinalizers()) > 0 || got.GetLabels()["team"] != "vision" {
		t.Errorf("metadata %v", got.Object["metadata"])
	}
	if owners := got.GetOwnerReferences(); len(owners) != 1 || owners[0].BlockOwnerDeletion != nil || !*owners[0].Controller {
		t.Errorf("owners %v, want the CronJob, whose deletion is not blocked", owners)
	}
	if _, err := Unpack([]byte("no template")); err == nil {
		t.Error("what is no template was taken for one")
	}
}

func TestDoesNotKeepLargeTemplates(t *testing.T) {
	_, err := Pack(job("train", "u1", func(obj *unstructured.Unstructured) {
		obj.Object["spec"] = map[string]any{"note": strings.Repeat("x", maxUnpacked)}
	}))
	if err == nil || !strings.Contains(err.Error(), "expected at most 524288") {
		t.Errorf("got %v", err)
	}
}

func TestWorkIgnoresPlacement(t *testing.T) {
	before, err := WorkOf(job("train", "u1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		field []string
		value any
		same  bool
	}{
		{"suspended by a queue", []string{"spec", "suspend"}, true, true},
		{"placed by a queue", []string{"spec", "template", "spec", "nodeSelector"}, map[string]any{"zone": "a"}, true},
		{"labelled by a queue", []string{"spec", "template", "metadata"}, map[string]any{"labels": map[string]any{"a": "b"}}, true},
		{"another command", []string{"spec", "template", "spec", "containers"}, []any{map[string]any{"name": "main", "image": "main:2"}}, false},
		{"the host's processes", []string{"spec", "template", "spec", "hostPID"}, true, false},
	} {
		obj := job("train", "u1")
		if err := unstructured.SetNestedField(obj.Object, test.value, test.field...); err != nil {
			t.Fatal(err)
		}
		after, err := WorkOf(obj)
		if err != nil || (after == before) != test.same {
			t.Errorf("%s: the same work: %v, %v, want %v", test.name, after == before, err, test.same)
		}
	}
}

func TestTimesOfAttempts(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 11, 3, 14, minute, 0, 0, time.UTC) }
	created := func(minute int) func(*unstructured.Unstructured) {
		return func(obj *unstructured.Unstructured) { obj.SetCreationTimestamp(metav1.NewTime(at(minute))) }
	}
	rec := begun(t, job("train", "u1", created(0)))
	if want := "2026-11-03T14:00:00Z"; rec.Status.Times != want {
		t.Errorf("at work: %q, want %q", rec.Status.Times, want)
	}
	// Its queue let it start later than it was created.
	rec.Ran(job("train", "u1", created(0), func(obj *unstructured.Unstructured) {
		obj.Object["status"] = map[string]any{"startTime": "2026-11-03T14:02:00Z"}
	}), at(5))
	for minute := 10; minute < 40; minute += 10 {
		next := job(fmt.Sprintf("train-r%d", minute), fmt.Sprintf("u%d", minute), created(minute))
		if err := rec.Add(next, false); err != nil {
			t.Fatal(err)
		}
		if minute < 30 {
			rec.Ran(next, at(minute).Add(90*time.Second))
		}
	}
	rec.Ran(job("another", "u9"), at(50))
	if first := rec.Status.Attempts[0]; !first.StartedAt.Equal(at(2)) || !first.EndedAt.Equal(at(5)) {
		t.Errorf("the first ran from %v to %v", first.StartedAt, first.EndedAt)
	}
	if want := "1 before, 2026-11-03T14:10:00Z for 1m30s, 2026-11-03T14:20:00Z for 1m30s, 2026-11-03T14:30:00Z"; rec.Status.Times != want {
		t.Errorf("times %q, want %q", rec.Status.Times, want)
	}
	// Stopped work that was let go on.
	rec.Ran(job("train-r20", "u20", created(20)), time.Time{})
	if !rec.Status.Attempts[2].EndedAt.IsZero() {
		t.Error("it goes on and has an end")
	}
}

func TestConditionsForWhoWaits(t *testing.T) {
	now := time.Now()
	for state, want := range map[State][]string{
		Watched: nil, Retrying: {"Retrying"}, WaitingForSpecUpdate: {"WaitingForSpecUpdate"}, GivenUp: {"GivenUp"},
		Succeeded: {"Succeeded"}, RetryNotCreated: {"Retrying", "RetryNotCreated"}, RetryRefused: {"RetryNotCreated", "GivenUp"}, Observed: nil,
	} {
		rec := begun(t, job("train", "u1"))
		rec.Become(GivenUp, "Before", "", now.Add(-time.Hour))
		rec.Become(state, "Reason", strings.Repeat("é", maxMessage), now)
		var got []string
		for _, condition := range rec.Status.Conditions {
			if condition.Status == metav1.ConditionTrue {
				got = append(got, condition.Type)
			}
			if len(condition.Message) > maxMessage {
				t.Errorf("%s: a message of %d bytes", state, len(condition.Message))
			}
		}
		if !slices.Equal(got, want) || len(rec.Status.Conditions) != len(conditions) {
			t.Errorf("%s: %v are true, want %v", state, got, want)
		}
	}
}

// The schema in deploy/ has exactly the fields of the Go types.
func TestTheCRDHasTheFieldsOfTheKind(t *testing.T) {
	text, err := os.ReadFile("../../../../../deploy/controller/retryrecords.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := manifest.Object(t, string(text))
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	schema, _, _ := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
	compareFields(t, "", reflect.TypeFor[RetryRecord](), schema)
	enum, _, _ := unstructured.NestedSlice(schema, "properties", "status", "properties", "state", "enum")
	if len(enum) != 8 {
		t.Errorf("states %v", enum)
	}
}

func compareFields(t *testing.T, at string, of reflect.Type, schema map[string]any) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	names := []string{}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		names = append(names, name)
		part, ok := properties[name].(map[string]any)
		if !ok {
			t.Errorf("%s.%s is not in the schema", at, name)
			continue
		}
		below := field.Type
		if below.Kind() == reflect.Pointer {
			below = below.Elem()
		}
		if below.Kind() == reflect.Slice && below.Elem().Kind() == reflect.Struct {
			below, part = below.Elem(), part["items"].(map[string]any)
		}
		if below.Kind() == reflect.Struct && part["properties"] != nil {
			compareFields(t, at+"."+name, below, part)
		}
	}
	for name := range properties {
		if at != "" && !slices.Contains(names, name) {
			t.Errorf("%s.%s is in the schema alone", at, name)
		}
	}
}

// Its operator tries the second attempt again, which is on its account before it is
// decided about; the decision is still that about the first.
func TestTheLedgerOfALaterAttemptIsNotCopied(t *testing.T) {
	rec := begun(t, job("train", "u1"))
	if err := rec.Add(job("train-r2-abcde", "u2"), false); err != nil {
		t.Fatal(err)
	}
	rec.Status.Decision = &Decision{About: "u1"}
	for _, test := range []struct {
		name, ledger string
		copied       bool
	}{
		{"of the attempt", `{"workloadUid":"u1","attemptsSeen":1}`, true},
		{"of the next attempt", `{"workloadUid":"u2","attemptsSeen":2}`, false},
		{"none", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rec.Status.Ledger = []byte(test.ledger)
			copies, err := rec.Copies("u1")
			if got := copies[mulligan.LedgerAnnotation]; err != nil || (got == test.ledger && got != "") != test.copied || copies[DecisionCopy] == "" {
				t.Errorf("%v, %v, want a decision, and the ledger: %t", copies, err, test.copied)
			}
		})
	}
}
