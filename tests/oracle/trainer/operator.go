package main

import (
	"context"
	"fmt"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/controller"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	utiltesting "github.com/kubeflow/trainer/v2/pkg/util/testing"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"mulligan.dev/mulligan/tests/oracle/cases"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
)

// An outcome is the state after one pass of the controller.
type outcome struct {
	status trainer.TrainJobStatus
	// The warning event, and the error of creating the objects.
	eventReason, eventMessage, failure string
}

// recorder keeps the warning event.
type recorder struct{ did *outcome }

func (r recorder) Event(_ runtime.Object, kind, reason, message string) {
	if kind == corev1.EventTypeWarning {
		r.did.eventReason, r.did.eventMessage = reason, message
	}
}
func (r recorder) Eventf(object runtime.Object, kind, reason, format string, arguments ...any) {
	r.Event(object, kind, reason, fmt.Sprintf(format, arguments...))
}
func (r recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, arguments ...any) {
	r.Eventf(object, kind, reason, format, arguments...)
}

// runtimes returns the two that a scene's TrainJob may refer to.
func runtimes(namespace string) []client.Object {
	spec := utiltesting.MakeTrainingRuntimeSpecWrapper(
		utiltesting.MakeTrainingRuntimeWrapper(namespace, "torch").Spec).Obj()
	return []client.Object{
		&trainer.TrainingRuntime{ObjectMeta: metav1.ObjectMeta{Name: "torch", Namespace: namespace}, Spec: spec},
		&trainer.ClusterTrainingRuntime{ObjectMeta: metav1.ObjectMeta{Name: "torch"}, Spec: spec},
	}
}

// pass runs the controller once over the TrainJob and its JobSet.
func pass(made scene) (outcome, error) {
	ctx := context.Background()
	trainJob := &trainer.TrainJob{}
	if err := cases.Decode(made.trainJob, trainJob); err != nil {
		return outcome{}, err
	}
	objects := []client.Object{trainJob}
	if made.jobSet != nil {
		stored := &jobset.JobSet{}
		if err := cases.Decode(made.jobSet, stored); err != nil {
			return outcome{}, err
		}
		objects = append(objects, stored)
	}
	if made.runtimeExists {
		objects = append(objects, runtimes(made.namespace)...)
	}
	var did outcome
	builder := utiltesting.NewClientBuilder()
	indexer := utiltesting.AsIndex(builder)
	api := builder.WithObjects(objects...).WithStatusSubresource(&trainer.TrainJob{}).
		WithInterceptorFuncs(interceptor.Funcs{
			// The fake client has no server-side apply; an accepted JobSet exists.
			Patch: func(ctx context.Context, api client.WithWatch, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
				if made.refusal != nil {
					return made.refusal
				}
				return client.IgnoreAlreadyExists(api.Create(ctx, object))
			}}).Build()
	all, err := core.New(ctx, api, indexer)
	if err != nil {
		return outcome{}, err
	}
	reconciler := controller.NewTrainJobReconciler(api, recorder{&did}, all)
	key := client.ObjectKeyFromObject(trainJob)
	_, failure := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: key})
	if did.eventReason != "" {
		did.failure = firstError(failure).Error()
	}
	if err := api.Get(ctx, key, trainJob); err != nil {
		return outcome{}, err
	}
	did.status = trainJob.Status
	return did, nil
}

// firstError returns the first of joined errors, which the event is about.
func firstError(err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) == 0 {
			return err
		}
		// fmt.Errorf with two %w joins errors, too, but has its own text.
		if fmt.Sprintf("%T", err) != "*errors.joinError" {
			return err
		}
		err = joined.Unwrap()[0]
	}
}
