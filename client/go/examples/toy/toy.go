// Command toy is a controller that restarts failed Jobs as Mulligan says: the one that
// docs/integrate.md builds. It handles Jobs with the label example.com/toy.
package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const toyLabel = "example.com/toy"

type Toy struct {
	client.Client
	Mulligan mulligan.Asker
}

func (t *Toy) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	job := &batchv1.Job{}
	if err := t.Get(ctx, request.NamespacedName, job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if job.Labels[toyLabel] == "" || !failed(job) {
		return ctrl.Result{}, nil
	}
	advice, err := t.Mulligan.Ask(ctx, job)
	if err != nil {
		return ctrl.Result{}, err
	}
	ctrl.LoggerFrom(ctx).Info(advice.Decision.GetSentence())
	switch advice.Action() {
	case mulliganv1.Decision_RETRY:
		if advice.RetryAfter() > 0 {
			return ctrl.Result{RequeueAfter: advice.RetryAfter()}, nil
		}
		return ctrl.Result{}, t.startAgain(ctx, job)
	case mulliganv1.Decision_WAIT:
		return ctrl.Result{RequeueAfter: advice.RetryAfter()}, nil
	}
	return ctrl.Result{}, nil
}

// startAgain replaces the Job by a copy with the same account.
func (t *Toy) startAgain(ctx context.Context, job *batchv1.Job) error {
	ledger, err := mulligan.LedgerFrom(job)
	if err != nil {
		return err
	}
	account, err := mulligan.EncodeLedger(mulligan.HandOn(ledger))
	if err != nil {
		return err
	}
	next := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: fmt.Sprintf("%.50s-%d", job.Labels[toyLabel], ledger.GetAttemptsSeen()),
			Labels: job.Labels, Annotations: map[string]string{mulligan.LedgerAnnotation: account},
		},
		Spec: *job.Spec.DeepCopy(),
	}
	// The API server makes these for each Job.
	next.Spec.Selector = nil
	for _, name := range []string{"controller-uid", "job-name", batchv1.ControllerUidLabel, batchv1.JobNameLabel} {
		delete(next.Spec.Template.Labels, name)
	}
	if err := t.Create(ctx, next); client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	return t.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

func failed(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
