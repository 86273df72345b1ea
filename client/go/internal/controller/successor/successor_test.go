package successor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/testing/manifest"
)

var now = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

const failedJob = `
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
  uid: uid-1
  resourceVersion: "7"
  generation: 3
  creationTimestamp: "2026-11-03T08:00:00Z"
  finalizers: [somebody/waits]
  labels: {team: vision, kueue.x-k8s.io/queue-name: gpu, kueue.x-k8s.io/priority-class: high}
  annotations:
    mulligan.dev/policy: training
    mulligan.dev/decision: "{}"
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    argocd.argoproj.io/tracking-id: app:batch/Job:ml/train
    team/note: keep
  ownerReferences: [{apiVersion: batch/v1, kind: CronJob, name: nightly, uid: c, controller: true}]
spec:
  parallelism: 2
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: uid-1}}
  suspend: false
  template:
    metadata: {labels: {batch.kubernetes.io/controller-uid: uid-1, app: train}}
    spec:
      nodeSelector: {karpenter.sh/capacity-type: spot, zone: a}
      tolerations:
        - {key: cloud.google.com/gke-spot, operator: Exists}
        - {key: team, operator: Exists}
      containers: [{name: main, resources: {limits: {memory: 1Gi}}}]
status: {failed: 1}
`

var object = manifest.Object

// after is the attempt after failed, with advice as proto JSON.
func after(t *testing.T, failed *unstructured.Unstructured, advice string) (*unstructured.Unstructured, []string) {
	t.Helper()
	decision := &mulliganv1.Decision{}
	if err := protojson.Unmarshal([]byte(advice), decision); err != nil {
		t.Fatal(err)
	}
	rec, err := records.New(failed)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Spec.Template, err = records.Pack(failed); err != nil {
		t.Fatal(err)
	}
	return afterThat(t, rec, decision)
}

// afterThat is the attempt after the latest of a record.
func afterThat(t *testing.T, rec *records.RetryRecord, advice *mulliganv1.Decision) (*unstructured.Unstructured, []string) {
	t.Helper()
	latest := rec.Latest()
	decided := &records.Decision{About: latest.UID, Action: "RETRY", Mode: "act", Attempt: rec.Status.Attempt + 1, Container: "main"}
	var err error
	if decided.Retry, err = records.RetryName(rec.Origin(), latest.UID, decided.Attempt, 45); err != nil {
		t.Fatal(err)
	}
	if err := decided.SetAdvice(advice); err != nil {
		t.Fatal(err)
	}
	rec.Status.Decision, rec.Status.Ledger = decided, []byte(`{"attemptsSeen":1,"workloadUid":"uid-1"}`)
	kind := kinds.ByGroupKind(schema.FromAPIVersionAndKind(rec.Spec.APIVersion, rec.Spec.Kind).GroupKind())
	next, notes, err := Of(kind, rec, now)
	if err != nil {
		t.Fatal(err)
	}
	return next, notes
}

// Operators must not restart Mulligan's attempts.
func TestNewAttemptHasNoOperatorRetries(t *testing.T) {
	alone := object(t, failedJob)
	for field, value := range map[string]int64{"parallelism": 1, "backoffLimit": 6} {
		if err := unstructured.SetNestedField(alone.Object, value, "spec", field); err != nil {
			t.Fatal(err)
		}
	}
	next, _ := after(t, alone, `{"action": "RETRY"}`)
	if limit, found, _ := unstructured.NestedInt64(next.Object, "spec", "backoffLimit"); !found || limit != 0 {
		t.Errorf("backoffLimit is %d, %v, want 0", limit, found)
	}
}

func TestNewAttemptKeepsTemplate(t *testing.T) {
	failed := object(t, failedJob)
	before := failed.DeepCopy()
	next, _ := after(t, failed, `{"action": "RETRY", "lastAttempt": true}`)

	if got, _ := yaml.Marshal(failed.Object); string(got) != func() string { b, _ := yaml.Marshal(before.Object); return string(b) }() {
		t.Error("the failed object was changed")
	}
	if !strings.HasPrefix(next.GetName(), "train-r2-") || next.GetNamespace() != "ml" {
		t.Errorf("it is called %s/%s", next.GetNamespace(), next.GetName())
	}
	for field, empty := range map[string]bool{
		"uid": next.GetUID() == "", "resourceVersion": next.GetResourceVersion() == "",
		"finalizers": len(next.GetFinalizers()) == 0, "status": next.Object["status"] == nil,
		"generation": next.GetGeneration() == 0,
	} {
		if !empty {
			t.Errorf("it has the %s of the failed one", field)
		}
	}
	wantLabels := map[string]string{
		"team": "vision", "kueue.x-k8s.io/queue-name": "gpu", "kueue.x-k8s.io/priority-class": "high", records.Origin: "train",
	}
	for name, want := range wantLabels {
		if got := next.GetLabels()[name]; got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
	annotations := next.GetAnnotations()
	for name, want := range map[string]string{
		records.Policy: "training", "team/note": "keep", records.RetryOf: "train/uid-1", records.AttemptCopy: "2", records.RecordName: "job-train-jje2z6fgxv",
		records.Origin: "train", records.LastAttempt: "true", "mulligan.dev/ledger": `{"attemptsSeen":1}`,
		records.DecisionCopy: "", "argocd.argoproj.io/tracking-id": "", "kubectl.kubernetes.io/last-applied-configuration": "",
	} {
		if got := annotations[name]; got != want {
			t.Errorf("annotation %s is %q, want %q", name, got, want)
		}
	}
	if owners := next.GetOwnerReferences(); len(owners) != 1 || owners[0].Name != "nightly" {
		t.Errorf("its owners: %v, want the CronJob", owners)
	}
	if _, found, _ := unstructured.NestedMap(next.Object, "spec", "selector"); found {
		t.Error("it selects the pods of the failed one")
	}
	if suspended, _, _ := unstructured.NestedBool(next.Object, "spec", "suspend"); !suspended {
		t.Error("it starts without its queue")
	}
}

func TestGrowthStartsFromTheFirstAttempt(t *testing.T) {
	failed := object(t, failedJob)
	rec, err := records.New(failed)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Spec.Template, err = records.Pack(failed); err != nil {
		t.Fatal(err)
	}
	var limits []string
	for _, factor := range []float64{1.5, 2.25, 1.5} {
		next, notes := afterThat(t, rec, &mulliganv1.Decision{Resources: []*mulliganv1.ResourceChange{{Resource: "memory", Factor: factor}}})
		if len(notes) > 0 {
			t.Error(notes)
		}
		containers, _, _ := unstructured.NestedSlice(next.Object, "spec", "template", "spec", "containers")
		limit, _, _ := unstructured.NestedString(containers[0].(map[string]any), "resources", "limits", "memory")
		limits = append(limits, limit)
		next.SetUID(types.UID("uid-of-" + next.GetName()))
		if err := rec.Add(next, false); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"1536Mi", "2304Mi", "1536Mi"}; !slices.Equal(limits, want) {
		t.Errorf("limits %v, want %v", limits, want)
	}
	if got := rec.Latest(); rec.Status.Attempt != 4 || !strings.HasPrefix(got.Name, "train-r4-") || len(rec.OwnerReferences) != 4 {
		t.Errorf("the last is attempt %d, %s, of %d owners", rec.Status.Attempt, got.Name, len(rec.OwnerReferences))
	}
}

func TestNotesImpossibleAdvice(t *testing.T) {
	next, notes := after(t, object(t, failedJob), `{"action": "RETRY", "resources": [{"resource": "ephemeral-storage", "factor": 2}]}`)
	if len(notes) != 1 || !strings.Contains(notes[0], "ephemeral-storage") || next == nil {
		t.Errorf("notes %q, want one about ephemeral-storage", notes)
	}
}

func TestPlacementOfNextAttempt(t *testing.T) {
	const spotTerm = `{matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}, {key: zone, operator: In, values: [a]}]}`
	for _, test := range []struct {
		name, pod, advice string
		has, hasNot       []string
	}{
		{
			"a preference", `{}`, `{"avoidNodes": [{"node": "n1", "expiresAt": "2026-11-03T10:00:00Z"}]}`,
			[]string{"preferredDuringScheduling", "metadata.name", "n1", "weight: 100"}, []string{"requiredDuringScheduling"},
		},
		{
			"a demand", `{}`, `{"avoidNodes": [{"node": "n1", "hard": true, "expiresAt": "2026-11-03T10:00:00Z"}]}`,
			[]string{"requiredDuringScheduling", "n1"}, []string{"preferredDuringScheduling"},
		},
		{
			"expired", `{}`, `{"avoidNodes": [{"node": "n1", "hard": true, "expiresAt": "2026-11-03T08:00:00Z"}]}`,
			nil, []string{"n1", "affinity"},
		},
		{
			"a demand among others",
			`{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}, {matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}}}`,
			`{"avoidNodes": [{"node": "n1", "hard": true, "expiresAt": "2026-11-03T10:00:00Z"}]}`,
			[]string{"zone", "n1"}, nil,
		},
		{
			"on-demand", `{nodeSelector: {karpenter.sh/capacity-type: spot, zone: a}, tolerations: [{key: cloud.google.com/gke-spot}, {key: team}]}`,
			`{"onDemand": true}`,
			[]string{"zone: a", "key: team", "operator: NotIn"}, []string{"capacity-type: spot", "- key: cloud.google.com/gke-spot\n  operator: Exists"},
		},
		{
			"on-demand out of an affinity",
			`{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [` + spotTerm + `]}}}}`,
			`{"onDemand": true}`, []string{"- on-demand", "zone"}, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			failed := object(t, failedJob)
			if err := unstructured.SetNestedMap(failed.Object, object(t, test.pod).Object, "spec", "template", "spec"); err != nil {
				t.Fatal(err)
			}
			next, _ := after(t, failed, `{"action": "RETRY", "placement": `+test.advice+`}`)
			spec, _, _ := unstructured.NestedMap(next.Object, "spec", "template", "spec")
			text, _ := yaml.Marshal(spec)
			for _, has := range test.has {
				if !strings.Contains(string(text), has) {
					t.Errorf("no %q in\n%s", has, text)
				}
			}
			for _, hasNot := range test.hasNot {
				if strings.Contains(string(text), hasNot) {
					t.Errorf("%q in\n%s", hasNot, text)
				}
			}
		})
	}
}

// Trainer 2.0 drops podTemplateOverrides and the affinity of podSpecOverrides, 2.1
// drops podSpecOverrides, 2.3 drops both.
func TestTrainJobAvoidsNodesIfSupported(t *testing.T) {
	failed := object(t, `{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: train, namespace: ml, uid: uid-1}, spec: {runtimeRef: {name: torch}}}`)
	next, notes := after(t, failed, `{"action": "RETRY", "placement": {"avoidNodes": [{"node": "n1", "hard": true, "expiresAt": "2026-11-03T10:00:00Z"}]}}`)
	kind := kinds.ByGroupKind(failed.GroupVersionKind().GroupKind())
	first, second, third := next.DeepCopy(), next.DeepCopy(), next.DeepCopy()
	unstructured.RemoveNestedField(first.Object, "spec", "runtimePatches")
	unstructured.RemoveNestedField(second.Object, "spec", "runtimePatches")
	unstructured.RemoveNestedField(third.Object, "spec", "podSpecOverrides")
	unstructured.RemoveNestedField(third.Object, "spec", "podTemplateOverrides")
	unstructured.RemoveNestedField(first.Object, "spec", "podTemplateOverrides")
	overrides, _, _ := unstructured.NestedSlice(first.Object, "spec", "podSpecOverrides")
	delete(overrides[0].(map[string]any), "affinity")
	if err := unstructured.SetNestedSlice(first.Object, overrides, "spec", "podSpecOverrides"); err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(second.Object, "spec", "podSpecOverrides")
	if got := Dropped(kind, next, first); !strings.Contains(got, "TrainJob takes no affinity") {
		t.Errorf("2.0: %q", got)
	}
	if got := Dropped(kind, next, second); got != "" || len(notes) != 0 {
		t.Errorf("2.1: %q, %q", got, notes)
	}
	if got := Dropped(kind, next, third); got != "" {
		t.Errorf("2.3: %q", got)
	}
	for field, release := range map[string]*unstructured.Unstructured{"podTemplateOverrides": second, "runtimePatches": third} {
		text, _ := yaml.Marshal(release.Object["spec"])
		for _, has := range []string{field, "name: node", "nodeAffinity", "n1"} {
			if !strings.Contains(string(text), has) {
				t.Errorf("no %q in\n%s", has, text)
			}
		}
	}
}

// Alternatives are ored, so a requirement of only one has no effect.
func TestADemandIsInEveryAlternative(t *testing.T) {
	pod := object(t, `{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: []}, {matchFields: [{key: x}]}]}}}}`).Object
	avoidNodes(pod, []*mulliganv1.AvoidNode{{Node: "n1", Hard: true}}, now)
	for i, term := range requiredTerms(pod, false) {
		fields, _ := term["matchFields"].([]any)
		last, _ := fields[len(fields)-1].(map[string]any)
		if last["operator"] != "NotIn" {
			t.Errorf("alternative %d: %v, want node n1 left out", i, term)
		}
	}
}
