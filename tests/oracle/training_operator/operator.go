package main

import (
	"context"
	"encoding/json"
	"slices"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/control"
	"github.com/kubeflow/training-operator/pkg/core"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var scheme = func() *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kubeflow.AddToScheme} {
		if err := add(all); err != nil {
			panic(err)
		}
	}
	return all
}()

// fakeManager has what NewReconciler asks a manager for.
type fakeManager struct {
	manager.Manager
	client client.Client
}

func (m fakeManager) GetClient() client.Client                        { return m.client }
func (m fakeManager) GetAPIReader() client.Reader                     { return m.client }
func (m fakeManager) GetScheme() *runtime.Scheme                      { return scheme }
func (m fakeManager) GetConfig() *rest.Config                         { return &rest.Config{Host: "localhost"} }
func (m fakeManager) GetEventRecorderFor(string) record.EventRecorder { return &record.FakeRecorder{} }

// An outcome is what one pass of the operator left behind.
type outcome struct {
	// Another controller is in charge: the operator passed the job over.
	skipped bool
	status  kubeflow.JobStatus
	// Failed pods were deleted while the job goes on: they are made again.
	recreated bool
	// Containers of running pods have been restarted in place, and the operator
	// counts them: its own count reaches a limit of 0.
	restarted bool
}

// pass runs the kind's own reconciler once over the job and its pods.
func pass(made job) (outcome, error) {
	object := made.kind.object()
	text, err := json.Marshal(made.object)
	if err != nil {
		return outcome{}, err
	}
	if err := json.Unmarshal(text, object); err != nil {
		return outcome{}, err
	}
	objects := []client.Object{object}
	for _, pod := range made.pods {
		stored := pod.DeepCopy()
		if stored.DeletionTimestamp != nil {
			// The fake refuses what would be gone at once.
			stored.Finalizers = []string{"oracle.mulligan.dev/keep"}
		}
		objects = append(objects, stored)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(made.kind.object()).Build()
	reconciler, controller := made.kind.reconciler(fakeManager{client: api})
	deleted := &control.FakePodControl{}
	controller.PodControl = deleted
	controller.ServiceControl = &control.FakeServiceControl{}
	controller.KubeClientSet = kubefake.NewSimpleClientset()
	key := client.ObjectKeyFromObject(object)
	// An error changes nothing that is looked at here: the pass is repeated.
	_, failure := reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	after := made.kind.object()
	if err := api.Get(context.Background(), key, after); err != nil {
		return outcome{}, err
	}
	var did struct{ Status kubeflow.JobStatus }
	if text, err = json.Marshal(after); err != nil {
		return outcome{}, err
	}
	if err := json.Unmarshal(text, &did); err != nil {
		return outcome{}, err
	}
	result := outcome{status: did.Status, skipped: made.skipped}
	ended := holds(did.Status, kubeflow.JobFailed) || holds(did.Status, kubeflow.JobSucceeded) ||
		holds(did.Status, kubeflow.JobSuspended)
	result.recreated = failure == nil && !ended && deletesFailed(made.pods, deleted.DeletePodName)
	result.restarted, err = countsRestarts(object, made)
	return result, err
}

func deletesFailed(pods []*corev1.Pod, deleted []string) bool {
	return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodFailed && slices.Contains(deleted, pod.Name)
	})
}

// countsRestarts asks the operator whether it counts any restart.
func countsRestarts(object client.Object, made job) (bool, error) {
	scheme.Default(object)
	text, err := json.Marshal(object)
	if err != nil {
		return false, err
	}
	var defaulted struct{ Spec map[string]json.RawMessage }
	if err := json.Unmarshal(text, &defaulted); err != nil {
		return false, err
	}
	replicas := map[kubeflow.ReplicaType]*kubeflow.ReplicaSpec{}
	if err := json.Unmarshal(defaulted.Spec[made.kind.replicas], &replicas); err != nil {
		return false, err
	}
	none := int32(0)
	return core.PastBackoffLimit(object.GetName(), &kubeflow.RunPolicy{BackoffLimit: &none}, replicas, made.pods,
		core.FilterPodsForReplicaType)
}
