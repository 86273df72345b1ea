package main

import (
	"context"
	"fmt"
	"os"

	ray "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/pkg/features"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"mulligan.dev/mulligan/tests/oracle/cases"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var scheme = cases.Built(runtime.NewScheme(), clientgoscheme.AddToScheme, ray.AddToScheme)

// fakeManager has what the reconciler's constructor needs of a manager.
type fakeManager struct {
	manager.Manager
	client client.Client
}

func (m fakeManager) GetClient() client.Client                        { return m.client }
func (m fakeManager) GetScheme() *runtime.Scheme                      { return scheme }
func (m fakeManager) GetEventRecorderFor(string) record.EventRecorder { return &record.FakeRecorder{} }

// An outcome is the state after one pass.
type outcome struct {
	status ray.RayJobStatus
	// Ignored: managed by another controller or being deleted.
	leftAlone bool
}

const gracePeriod = "RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS"

func set(made scene) error {
	gate := fmt.Sprintf("%s=%t", features.RayJobDeletionPolicy, made.deletionPolicy)
	if err := utilfeature.DefaultMutableFeatureGate.Set(gate); err != nil {
		return err
	}
	if made.gracePeriod == nil {
		return os.Unsetenv(gracePeriod)
	}
	return os.Setenv(gracePeriod, *made.gracePeriod)
}

// objects returns the scene's objects, and the head's Service, which the
// RayCluster controller makes.
func objects(made scene) ([]client.Object, *ray.RayJob, error) {
	job := &ray.RayJob{}
	if err := cases.Decode(made.rayJob, job); err != nil {
		return nil, nil, err
	}
	all := []client.Object{job, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: made.clusterName + "-head-svc", Namespace: made.namespace},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "dashboard", Port: 8265}}}}}
	for _, more := range []struct {
		from map[string]any
		into client.Object
	}{{made.cluster, &ray.RayCluster{}}, {made.submitter, &batchv1.Job{}}, {made.head, &corev1.Pod{}}} {
		if more.from == nil {
			continue
		}
		if err := cases.Decode(more.from, more.into); err != nil {
			return nil, nil, err
		}
		all = append(all, more.into)
	}
	return all, job, nil
}

// pass runs the controller once. Ray repeats what the status says it said last.
func pass(made scene) (outcome, error) {
	if err := set(made); err != nil {
		return outcome{}, err
	}
	all, job, err := objects(made)
	if err != nil {
		return outcome{}, err
	}
	did := outcome{leftAlone: job.DeletionTimestamp != nil ||
		(job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != "ray.io/kuberay-operator")}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(all...).WithStatusSubresource(&ray.RayJob{}).Build()
	reconciler := newReconciler(fakeManager{client: api}, job.Status.JobStatus, job.Status.Message)
	key := client.ObjectKeyFromObject(job)
	// An error repeats the pass: what is stored by then is final.
	_, _ = reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	after := &ray.RayJob{}
	if err := client.IgnoreNotFound(api.Get(context.Background(), key, after)); err != nil {
		return outcome{}, err
	}
	did.status = after.Status
	if after.Name == "" {
		// Deleted in the end: its last status is final.
		did.status = job.Status
	}
	return did, nil
}
