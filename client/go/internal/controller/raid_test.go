package controller

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/testing/manifest"
	"mulligan.dev/mulligan/mulligantest"
)

// The API server allows patches of all fields of such an object.
const trainingManifest = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
  namespace: ml
  uid: uid-train
  generation: 1
  labels: {team: vision}
  annotations: {mulligan.dev/policy: training}
spec:
  runPolicy: {suspend: false}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers: [{name: pytorch, image: "main:1", resources: {limits: {memory: 1Gi}}}]
`

// raid is a cluster in which a workload fails twice while an attacker patches it.
type raid struct {
	*world
	t *testing.T
}

func newRaid(t *testing.T) *raid {
	t.Helper()
	obj := manifest.Object(t, trainingManifest)
	obj.SetCreationTimestamp(metav1.NewTime(time.Now().Truncate(time.Second)))
	w := newWorld(t, nil, obj)
	w.reconciler.kind = kinds.ByGroupKind(schema.GroupKind{Group: "kubeflow.org", Kind: "PyTorchJob"})
	w.service.Next(growing(1.5), growing(2.25))
	return &raid{w, t}
}

func growing(factor float64) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, func(answer *mulliganv1.DecideResponse) {
		answer.Decision.Resources = []*mulliganv1.ResourceChange{{Resource: "memory", Factor: factor, Container: "pytorch"}}
	})
}

// visit reconciles an attempt as often as its events would.
func (r *raid) visit(name string) {
	for range 3 {
		r.lookAt(r.t, name)
	}
}

func (r *raid) change(name string, edit func(*unstructured.Unstructured)) {
	obj := r.unstructured(r.t, name)
	edit(obj)
	if err := r.client.Update(r.t.Context(), obj); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raid) fails(name string) {
	r.change(name, func(obj *unstructured.Unstructured) {
		obj.Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Failed", "status": "True", "lastTransitionTime": r.clock.UTC().Format(time.RFC3339),
		}}}
	})
	r.clock = r.clock.Add(evidenceDelay)
}

// later is when a decided retry is due.
func (r *raid) later() { r.clock = r.clock.Add(11 * time.Second) }

// play lets two attempts fail and calls attack in between.
func (r *raid) play(attack func(stage, name string)) {
	name := "train"
	for i := range 2 {
		r.visit(name)
		r.fails(name)
		attack(fmt.Sprintf("%d failed", i+1), name)
		r.visit(name)
		attack(fmt.Sprintf("%d decided", i+1), name)
		r.later()
		r.visit(name)
		next := r.unstructured(r.t, name).GetAnnotations()[records.RetriedAs]
		if rec := r.record(r.t); next == "" || rec.Latest().Name != next {
			return
		}
		attack(fmt.Sprintf("%d retried", i+1), name)
		r.visit(name)
		name = next
	}
}

// want is the required final state, whatever was patched.
func (r *raid) want(attempts int) {
	r.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(r.kind.GroupVersionKind())
	if err := r.client.List(r.t.Context(), list); err != nil {
		r.t.Fatal(err)
	}
	if len(list.Items) != attempts {
		r.t.Errorf("%d objects, want %d", len(list.Items), attempts)
	}
	rec := r.record(r.t)
	memory := map[string]string{rec.Status.Attempts[0].Name: "1Gi"}
	for i, attempt := range rec.Status.Attempts[1:] {
		memory[attempt.Name] = []string{"1536Mi", "2304Mi"}[i]
	}
	for i := range list.Items {
		if obj := &list.Items[i]; obj.GetName() != "train" {
			r.wantUntouched(obj, memory[obj.GetName()])
		}
	}
	ledger, err := mulligan.ParseLedger(string(rec.Status.Ledger))
	charged := min(attempts, 2)
	if err != nil || ledger.GetAttemptsSeen() != int32(charged) || ledger.GetBudgets()["memory"].GetUsed() != int32(charged) || len(ledger.GetBudgets()) != 1 {
		r.t.Errorf("the ledger is %v, %v, want %d charged to memory alone", ledger, err, charged)
	}
	for i, question := range r.service.Requests() {
		if used := question.GetLedger().GetBudgets()["memory"].GetUsed(); int(used) != i || int(question.GetLedger().GetAttemptsSeen()) != i {
			r.t.Errorf("question %d was asked with the ledger %v", i+1, question.GetLedger())
		}
	}
}

// wantUntouched compares an attempt that the controller created with the first one as
// it was before any patch.
func (r *raid) wantUntouched(obj *unstructured.Unstructured, memory string) {
	r.t.Helper()
	first := manifest.Object(r.t, strings.Replace(trainingManifest, "1Gi", memory, 1))
	if r.record(r.t).Latest().Name != obj.GetName() {
		// The controller does not restore patches of this attempt after its end.
		return
	}
	got, _ := yaml.Marshal(obj.Object["spec"])
	want, _ := yaml.Marshal(first.Object["spec"])
	if string(got) != string(want) {
		r.t.Errorf("%s was created with\n%s, want\n%s", obj.GetName(), got, want)
	}
	annotations := obj.GetAnnotations()
	for _, name := range append([]string{mulligan.LedgerAnnotation}, records.Copied...) {
		delete(annotations, name)
	}
	labels := obj.GetLabels()
	delete(labels, records.Origin)
	if !maps.Equal(annotations, first.GetAnnotations()) || !maps.Equal(labels, first.GetLabels()) ||
		len(obj.GetOwnerReferences()) > 0 || len(obj.GetFinalizers()) > 0 || obj.GetNamespace() != "ml" {
		r.t.Errorf("%s was created with %v", obj.GetName(), obj.Object["metadata"])
	}
}
