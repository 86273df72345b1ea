// Package trainer lets Mulligan decide about a TrainJob that has failed.
//
// Decision point: trainer v2.1.0, pkg/controller/trainjob_controller.go, Reconcile,
// after setTrainJobStatus has taken over the condition Failed of the JobSet and
// before the status is written. It would gain
//
//	hold, err := trainer.Terminal(ctx, r.gate, &trainJob, func() error {
//		return client.IgnoreNotFound(r.client.Delete(ctx, &jobsetv1alpha2.JobSet{ObjectMeta: ...}))
//	})
//	if err != nil || hold > 0 {
//		return ctrl.Result{RequeueAfter: hold}, err
//	}
//
// What is sent: the TrainJob with the status of this round, its JobSet and Jobs,
// their pods, nodes and events.
//
//	RETRY, due      the JobSet is deleted, and reconcileObjects makes it again; the
//	                condition Failed is not written
//	RETRY, later    nothing is written until it is due
//	WAIT            the same
//	FAIL, WAIT_...  condition Failed with the sentence; a change of the spec clears it,
//	                as it does without Mulligan
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
package trainer

import (
	"context"
	"time"

	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"mulligan.dev/mulligan/gate"
)

// Terminal looks at a TrainJob whose status of this round is in memory. Without the
// condition Failed it does nothing. deleteJobSet must succeed where there is none.
func Terminal(ctx context.Context, g *gate.Gate, trainJob *trainerv1alpha1.TrainJob, deleteJobSet func() error) (hold time.Duration, err error) {
	failed := meta.FindStatusCondition(trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed)
	if failed == nil || failed.Status != metav1.ConditionTrue {
		return 0, nil
	}
	verdict, err := g.Ask(ctx, trainJob)
	if err != nil {
		return 0, err
	}
	switch verdict.Way {
	case gate.Later, gate.Wait:
		return verdict.After, nil
	case gate.Retry:
		if err := deleteJobSet(); err != nil {
			return 0, err
		}
		meta.RemoveStatusCondition(&trainJob.Status.Conditions, trainerv1alpha1.TrainJobFailed)
	case gate.Stop:
		failed.Message = verdict.Sentence
	}
	return 0, nil
}
