package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/control"
	"github.com/kubeflow/training-operator/pkg/core"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	"mulligan.dev/mulligan/tests/oracle/cases"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var scheme = cases.Built(runtime.NewScheme(), clientgoscheme.AddToScheme, kubeflow.AddToScheme)

// fakeManager has what NewReconciler needs of a manager.
type fakeManager struct {
	manager.Manager
	client client.Client
}

func (m fakeManager) GetClient() client.Client                        { return m.client }
func (m fakeManager) GetAPIReader() client.Reader                     { return m.client }
func (m fakeManager) GetScheme() *runtime.Scheme                      { return scheme }
func (m fakeManager) GetConfig() *rest.Config                         { return &rest.Config{Host: "localhost"} }
func (m fakeManager) GetEventRecorderFor(string) record.EventRecorder { return &record.FakeRecorder{} }

// An outcome is the state after one pass of the operator.
type outcome struct {
	// Another controller manages the job: the operator skipped it.
	skipped bool
	status  kubeflow.JobStatus
	// Failed pods were deleted while the job continues: they are recreated.
	recreated bool
	// Containers of running pods were restarted in place, and the operator counts
	// them: its own count reaches a limit of 0.
	restarted bool
}

// podControl only records deletions: the pods of a pass were read before.
type podControl struct {
	control.RealPodControl
	deleted []string
}

func (p *podControl) DeletePod(_, name string, _ runtime.Object) error {
	p.deleted = append(p.deleted, name)
	return nil
}

// clientset returns the operator's other client, which acts on the first one.
func clientset(api client.Client) kubernetes.Interface {
	set := kubefake.NewSimpleClientset()
	set.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object := action.(clienttesting.CreateAction).GetObject().DeepCopyObject().(client.Object)
		object.SetNamespace(action.GetNamespace())
		return true, object, api.Create(context.Background(), object)
	})
	set.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := &corev1.Pod{}
		key := client.ObjectKey{Namespace: action.GetNamespace(), Name: action.(clienttesting.GetAction).GetName()}
		return true, pod, api.Get(context.Background(), key, pod)
	})
	set.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, nil
	})
	return set
}

// pass runs the kind's own reconciler once over the job and its pods.
func pass(made job) (outcome, error) {
	object := made.kind.object()
	if err := cases.Decode(made.object, object); err != nil {
		return outcome{}, err
	}
	objects := []client.Object{object}
	for _, pod := range made.pods {
		stored := pod.DeepCopy()
		if stored.DeletionTimestamp != nil {
			// The fake client refuses an object that would be deleted at once.
			stored.Finalizers = []string{"oracle.mulligan.dev/keep"}
		}
		objects = append(objects, stored)
	}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(made.kind.object()).Build()
	reconciler, controller := made.kind.reconciler(fakeManager{client: api})
	controller.KubeClientSet = clientset(api)
	pods := &podControl{RealPodControl: control.RealPodControl{
		KubeClient: controller.KubeClientSet, Recorder: &record.FakeRecorder{}}}
	controller.PodControl = pods
	controller.ServiceControl = &control.FakeServiceControl{}
	key := client.ObjectKeyFromObject(object)
	// An error does not change the observed result: the pass is repeated.
	_, failure := reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	after := made.kind.object()
	if err := api.Get(context.Background(), key, after); err != nil {
		return outcome{}, err
	}
	var did struct{ Status kubeflow.JobStatus }
	if err := cases.Decode(cases.Object(after), &did); err != nil {
		return outcome{}, err
	}
	result := outcome{status: did.Status, skipped: made.skipped}
	ended := holds(did.Status, kubeflow.JobFailed) || holds(did.Status, kubeflow.JobSucceeded) ||
		holds(did.Status, kubeflow.JobSuspended)
	result.recreated = failure == nil && !ended && replaces(made, pods.deleted)
	var err error
	result.restarted, err = countsRestarts(object, made)
	return result, err
}

// replaces returns whether a failed pod of a wanted index is among the deleted,
// which the next pass recreates.
func replaces(made job, deleted []string) bool {
	return slices.ContainsFunc(made.pods, func(pod *corev1.Pod) bool {
		wanted := slices.ContainsFunc(made.replicas, func(replica replica) bool {
			index, err := strconv.Atoi(pod.Labels["training.kubeflow.org/replica-index"])
			return err == nil && index < replica.count &&
				pod.Labels["training.kubeflow.org/replica-type"] == strings.ToLower(replica.name)
		})
		return wanted && pod.Status.Phase == corev1.PodFailed && slices.Contains(deleted, pod.Name)
	})
}

// countsRestarts asks the operator whether it counts any restart.
func countsRestarts(object client.Object, made job) (bool, error) {
	scheme.Default(object)
	var defaulted struct{ Spec map[string]json.RawMessage }
	if err := cases.Decode(cases.Object(object), &defaulted); err != nil {
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
