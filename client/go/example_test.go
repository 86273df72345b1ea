package mulligan_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// JobReconciler is a controller that restarts failed Jobs.
type JobReconciler struct {
	client.Client
	Mulligan mulligan.Asker
}

func (r *JobReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var job batchv1.Job
	if err := r.Get(ctx, request.NamespacedName, &job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	advice, err := r.Mulligan.Ask(ctx, &job)
	if err != nil {
		return ctrl.Result{}, err
	}
	switch advice.Action() {
	case mulliganv1.Decision_RETRY:
		fmt.Println("start again:", advice.Decision.GetSentence())
	case mulliganv1.Decision_WAIT:
		return ctrl.Result{RequeueAfter: advice.RetryAfter()}, nil
	case mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE:
		fmt.Println("give up:", advice.Decision.GetSentence())
	}
	return ctrl.Result{}, nil
}

// A controller's whole part, with a scripted service and a fake cluster instead of
// [mulligan.Dial] and mgr.GetClient().
func Example() {
	ctx, t := context.Background(), &exampleTB{}
	defer t.finish()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED))
	kube := fake.NewClientBuilder().WithObjects(
		&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u-1"}},
	).Build()

	reconciler := &JobReconciler{Client: kube, Mulligan: mulligan.Asker{Service: service.Client(), Kube: kube}}
	if _, err := reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}); err != nil {
		fmt.Println(err)
	}

	var job batchv1.Job
	if err := kube.Get(ctx, client.ObjectKey{Namespace: "ml", Name: "train"}, &job); err != nil {
		fmt.Println(err)
	}
	ledger, err := mulligan.LedgerFrom(&job)
	fmt.Println("attempts seen:", ledger.GetAttemptsSeen(), err)
	// Output:
	// start again: SPOT_RECLAIMED: RETRY
	// attempts seen: 1 <nil>
}

// A controller that has the objects adds them as they are: typed ones are sent as the
// bytes of Marshal, all others as JSON.
func ExampleReport_Add() {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "head"},
		Status:     corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"},
	}
	rayJob := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "ray.io/v1", "kind": "RayJob",
		"metadata": map[string]any{"namespace": "ml", "name": "tune"},
		"status":   map[string]any{"jobDeploymentStatus": "Failed"},
	}}
	report, err := mulligan.NewReport().Add(pod, rayJob).Build()
	fmt.Println(report.GetPods()[0].GetStatus().GetReason(), report.GetRayJob().GetStatus().GetJobDeploymentStatus(), err)

	_, err = mulligan.NewReport().Add(&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap"}}).Build()
	fmt.Println(err != nil)
	// Output:
	// Evicted Failed <nil>
	// true
}

// The caller adds what only it knows.
func ExampleReport_With() {
	progress := func(report *mulliganv1.FailureReport) {
		step := 4200.0
		report.Progress = &mulliganv1.Progress{Value: &step, HealthyFor: durationpb.New(90 * time.Minute), Artifact: "checkpoint-4000"}
	}
	report, err := mulligan.NewReport().Add(&corev1.Pod{}).With(progress).Build()
	fmt.Println(report.GetProgress().GetArtifact(), err)
	// Output: checkpoint-4000 <nil>
}

// All replicas behind a headless Service, mutual TLS, and three seconds per call.
func ExampleDial() {
	client, err := mulligan.Dial("dns:///mulligan.mulligan:8980",
		mulligan.WithDeadline(3*time.Second),
		mulligan.WithTLS(mulligan.TLSFiles{
			CA: "/etc/mulligan/tls/ca.crt", Certificate: "/etc/mulligan/tls/tls.crt", Key: "/etc/mulligan/tls/tls.key",
		}))
	if err != nil {
		fmt.Println("the files are not there")
		return
	}
	defer client.Close()
	// Output: the files are not there
}

// While the service is away, the operator's own rule decides after five minutes.
func ExampleFallback() {
	fallback := mulligan.Fallback{
		Patience: 5 * time.Minute,
		Native: func(_ context.Context, obj client.Object) (*mulliganv1.Decision, error) {
			job := obj.(*batchv1.Job)
			if job.Spec.BackoffLimit != nil && job.Status.Failed > *job.Spec.BackoffLimit {
				return &mulliganv1.Decision{Action: mulliganv1.Decision_FAIL}, nil
			}
			return &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY}, nil
		},
	}
	limit := int32(2)
	job := &batchv1.Job{Spec: batchv1.JobSpec{BackoffLimit: &limit}, Status: batchv1.JobStatus{Failed: 3}}
	unavailable := context.DeadlineExceeded
	for _, failedAt := range []time.Time{time.Now(), time.Now().Add(-time.Hour)} {
		decision, err := fallback.Decide(context.Background(), job, failedAt, unavailable)
		fmt.Println(decision.GetAction(), err)
	}
	// Output:
	// WAIT <nil>
	// FAIL <nil>
}

// The replacing object continues the account.
func ExampleHandOn() {
	ledger := &mulliganv1.BudgetLedger{WorkloadUid: "u-1", AttemptsSeen: 2}
	handed := mulligan.HandOn(ledger)
	fmt.Printf("%q %d\n", handed.GetWorkloadUid(), handed.GetAttemptsSeen())
	// Output: "" 2
}
