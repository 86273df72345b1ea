package mulligan_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
)

// What is asked about is taken as it is: a queue's controller may know more of its
// Workload than is stored.
func TestGatherTakesTheWorkloadAsItIs(t *testing.T) {
	train := job("train")
	stored := labelled(ownedBy(custom("kueue.x-k8s.io/v1beta2", "Workload", "w", nil), train), "kueue.x-k8s.io/job-uid", string(train.GetUID()))
	asked := stored.DeepCopyObject().(*unstructured.Unstructured)
	asked.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Evicted", "status": "True"}}}
	report, err := mulligan.Gather(t.Context(), clusterOf(train, stored), asked)
	if err != nil {
		t.Fatal(err)
	}
	built, err := report.Build()
	if err != nil || len(built.GetKueueWorkload().GetStatus().GetConditions()) != 1 {
		t.Errorf("the Workload is %v, error %v; want with its condition", built.GetKueueWorkload(), err)
	}
}

// Without Kueue's conversion webhook only the stored version of Workloads can be read.
func TestGatherReadsTheStoredVersion(t *testing.T) {
	train := job("train")
	stored := labelled(ownedBy(custom("kueue.x-k8s.io/v1beta1", "Workload", "w", nil), train), "kueue.x-k8s.io/job-uid", string(train.GetUID()))
	for _, test := range []struct {
		name     string
		readable bool
		want     []string
	}{{"stored", true, []string{"job/train", "workload/w"}}, {"neither", false, nil}} {
		t.Run(test.name, func(t *testing.T) {
			reader := interceptor.NewClient(clusterOf(train, stored), interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					gvk := list.GetObjectKind().GroupVersionKind()
					if gvk.Kind == "WorkloadList" && (gvk.Version == "v1beta2" || !test.readable) {
						return apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused"))
					}
					return c.List(ctx, list, opts...)
				},
			})
			report, err := mulligan.Gather(t.Context(), reader, train)
			if test.readable != (err == nil) {
				t.Fatalf("error %v", err)
			}
			if err == nil && !slices.Equal(gathered(t, report), test.want) {
				t.Errorf("got %v, want %v", gathered(t, report), test.want)
			}
		})
	}
}
