package retrypolicy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// servers refuse texts with "wrong" in them and load what load says.
type servers struct {
	mulliganv1.PolicyServiceClient
	loaded *mulliganv1.ListPoliciesResponse
}

func (s *servers) CheckPolicy(_ context.Context, request *mulliganv1.CheckPolicyRequest, _ ...grpc.CallOption) (*mulliganv1.CheckPolicyResponse, error) {
	answer := &mulliganv1.CheckPolicyResponse{Valid: true}
	for _, file := range request.GetFiles() {
		if strings.Contains(file.GetText(), "wrong") {
			answer.Valid = false
			answer.Issues = append(answer.Issues, &mulliganv1.PolicyIssue{
				Severity: mulliganv1.PolicyIssue_ERROR, File: file.GetName(), Line: 6, Column: 3, Message: "no such action",
			})
		}
	}
	return answer, nil
}

func (s *servers) ListPolicies(context.Context, *mulliganv1.ListPoliciesRequest, ...grpc.CallOption) (*mulliganv1.ListPoliciesResponse, error) {
	return s.loaded, nil
}

func (s *servers) load(revision string, names ...string) {
	s.loaded = &mulliganv1.ListPoliciesResponse{Revision: revision}
	for _, name := range names {
		s.loaded.Policies = append(s.loaded.Policies, &mulliganv1.PolicySummary{Name: name, File: "/etc/mulligan/policies/" + name + ".yaml"})
	}
}

func policy(name, action string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"default": map[string]any{"action": action}},
	}}
	obj.SetGroupVersionKind(Kind)
	obj.SetName(name)
	return obj
}

type world struct {
	*Reconciler
	servers *servers
}

func newWorld(objects ...client.Object) *world {
	types := runtime.NewScheme()
	_ = scheme.AddToScheme(types)
	types.AddKnownTypeWithName(Kind, &unstructured.Unstructured{})
	types.AddKnownTypeWithName(Kind.GroupVersion().WithKind("RetryPolicyList"), &unstructured.UnstructuredList{})
	subject := &unstructured.Unstructured{}
	subject.SetGroupVersionKind(Kind)
	cluster := fake.NewClientBuilder().WithScheme(types).WithObjects(objects...).WithStatusSubresource(subject).Build()
	s := &servers{}
	s.load("embedded", "default")
	return &world{&Reconciler{Client: cluster, Policies: s, ConfigMap: client.ObjectKey{Namespace: "mulligan", Name: "policies"}}, s}
}

func (w *world) look(t *testing.T) ctrl.Result {
	t.Helper()
	result, err := w.Reconcile(t.Context(), ctrl.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func (w *world) files(t *testing.T) []string {
	t.Helper()
	published := &corev1.ConfigMap{}
	if err := w.Client.Get(t.Context(), w.ConfigMap, published); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range published.Data {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// condition returns "STATUS REASON".
func (w *world) condition(t *testing.T, name, kind string) (string, string) {
	t.Helper()
	obj := policy(name, "")
	if err := w.Client.Get(t.Context(), client.ObjectKey{Name: name}, obj); err != nil {
		t.Fatal(err)
	}
	var status struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object["status"].(map[string]any), &status); err != nil {
		t.Fatal(err)
	}
	for _, condition := range status.Conditions {
		if condition.Type == kind {
			return string(condition.Status) + " " + condition.Reason, condition.Message
		}
	}
	return "", ""
}

func (w *world) expect(t *testing.T, name, accepted, loaded string) {
	t.Helper()
	if got, message := w.condition(t, name, "Accepted"); got != accepted {
		t.Errorf("%s is accepted: %s (%s), want %s", name, got, message, accepted)
	}
	if got, message := w.condition(t, name, "Loaded"); got != loaded {
		t.Errorf("%s is loaded: %s (%s), want %s", name, got, message, loaded)
	}
}

func TestPublishesValidPolicy(t *testing.T) {
	w := newWorld(policy("training", "RETRY"))
	if result := w.look(t); result.RequeueAfter != untilLoaded {
		t.Errorf("looked at again after %v, want %v", result.RequeueAfter, untilLoaded)
	}
	if files := w.files(t); !slices.Equal(files, []string{"training.yaml"}) {
		t.Errorf("published %v", files)
	}
	w.expect(t, "training", "True Valid", "False Pending")

	w.servers.load("r1", "training", "default")
	w.look(t)
	w.expect(t, "training", "True Valid", "True InForce")
}

func TestInvalidPolicyKeepsLastVersion(t *testing.T) {
	w := newWorld(policy("training", "RETRY"), policy("etl", "wrong"))
	w.look(t)
	w.servers.load("r1", "training", "default")
	w.look(t)
	w.expect(t, "training", "True Valid", "True InForce")
	w.expect(t, "etl", "False Invalid", "False NotPublished")
	if _, message := w.condition(t, "etl", "Accepted"); message != "6:3: no such action" {
		t.Errorf("message %q, want line and column", message)
	}

	changed := policy("training", "")
	if err := w.Client.Get(t.Context(), client.ObjectKey{Name: "training"}, changed); err != nil {
		t.Fatal(err)
	}
	changed.Object["spec"] = policy("training", "wrong").Object["spec"]
	if err := w.Client.Update(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	w.look(t)
	w.expect(t, "training", "False Invalid", "False LastGoodStays")
	published := &corev1.ConfigMap{}
	if err := w.Client.Get(t.Context(), w.ConfigMap, published); err != nil || !strings.Contains(published.Data["training.yaml"], "RETRY") {
		t.Errorf("published %v, %v, want the last good version", published.Data, err)
	}
}

func TestNeverPublishesUnloadableSet(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"no policies":  nil,
		"a wrong one":  {policy("etl", "wrong")},
		"two of those": {policy("etl", "wrong"), policy("ml", "wrong")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(objects...)
			w.look(t)
			if files := w.files(t); len(files) > 0 {
				t.Errorf("published %v", files)
			}
		})
	}
}

func TestShowsLoadErrors(t *testing.T) {
	w := newWorld(policy("training", "RETRY"))
	w.look(t)
	w.servers.load("embedded", "default")
	w.servers.loaded.LastError = "training.yaml: too large"
	w.look(t)
	w.expect(t, "training", "True Valid", "False NotLoaded")
}

func TestTheDescriptionComesFromAnAnnotation(t *testing.T) {
	obj := policy("training", "RETRY")
	obj.SetAnnotations(map[string]string{Description: "For training"})
	text, err := textOf(obj)
	if err != nil || !strings.Contains(text, "description: For training") || !strings.Contains(text, "name: training") {
		t.Errorf("%v\n%s", err, text)
	}
}
