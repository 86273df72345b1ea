package gate_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// Watched kinds are read from the cache, unless it does not show the trouble yet.
func TestReadsWatchedKindsFromCache(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
	job.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"controller-uid": "u"}}
	// The node identifies the source.
	pod := func(phase corev1.PodPhase, node string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "ml", Name: "train-0", UID: "p",
				Labels:          map[string]string{"controller-uid": "u"},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "u", Controller: ptr.To(true)}},
			},
			Spec:   corev1.PodSpec{NodeName: node},
			Status: corev1.PodStatus{Phase: phase},
		}
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, batchv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	holding := func(objects ...client.Object) client.Client {
		return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	}
	for _, test := range []struct {
		name    string
		cached  corev1.PodPhase
		watched []string
		want    string
	}{
		{"watched", corev1.PodFailed, []string{"Pod"}, "cache"},
		{"watched and late", corev1.PodRunning, []string{"Pod"}, "live"},
		{"another kind is watched", corev1.PodFailed, []string{"Job"}, "live"},
		{"nothing is", corev1.PodFailed, nil, "live"},
	} {
		t.Run(test.name, func(t *testing.T) {
			service := mulligantest.New(t)
			service.Next(mulligantest.Cause(mulliganv1.Cause_NOT_FAILED))
			g := gate.New(service.Client(), holding(job, pod(test.cached, "cache")), holding(job, pod(corev1.PodFailed, "live")), test.watched...)
			if _, err := g.Ask(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			pods := lastOf(service.Requests()).GetReport().GetPods()
			if len(pods) != 1 || pods[0].GetSpec().GetNodeName() != test.want {
				t.Errorf("asked with %v, want the pod of %s", pods, test.want)
			}
		})
	}
}
