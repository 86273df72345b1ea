// Package kuberay lets Mulligan decide about the retry of a RayJob.
//
// Decision point: ray-operator v1.5.1, controllers/ray/rayjob_controller.go,
// checkBackoffLimitAndUpdateStatusIfNeeded, which Reconcile calls once the status of
// this round is known and before it is written. It would become
//
//	hold, err := kuberay.CheckRetry(ctx, r.gate, rayJobInstance, checkBackoffLimitAndUpdateStatusIfNeeded)
//	if err != nil || hold > 0 {
//		return ctrl.Result{RequeueAfter: hold}, err // nothing is written, the round is repeated
//	}
//
// What is sent: the RayJob with the status of this round, its RayCluster, the
// submitter's Job and the pods, nodes and events of all of them, as [mulligan.Gather]
// finds them.
//
//	RETRY, due      Retrying: KubeRay makes a new cluster; status.failed + 1
//	RETRY, later    nothing is written until it is due
//	WAIT            the same
//	FAIL, WAIT_...  Failed stays; status.message is the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A RayJob beyond its deadline, which KubeRay never retries, is asked about too: the
// deadline may have passed while an image was pulled.
package kuberay

import (
	"context"
	"time"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/recipes/gate"
)

// CheckRetry sets the status of a RayJob whose round ended in Failed, and calls
// native for every other. A positive hold: write nothing, reconcile after it.
func CheckRetry(ctx context.Context, g *gate.Gate, rayJob *rayv1.RayJob, native func(context.Context, *rayv1.RayJob)) (hold time.Duration, err error) {
	if rayJob.Status.JobDeploymentStatus != rayv1.JobDeploymentStatusFailed {
		native(ctx, rayJob)
		return 0, nil
	}
	verdict, err := g.Ask(ctx, rayJob)
	if err != nil {
		return 0, err
	}
	switch verdict.Way {
	case gate.Hold:
		return verdict.After, nil
	case gate.Native:
		native(ctx, rayJob)
		return 0, nil
	}
	status := &rayJob.Status
	status.Failed = ptr.To(ptr.Deref(status.Failed, 0) + 1)
	status.Succeeded = ptr.To(ptr.Deref(status.Succeeded, 0))
	if verdict.Way == gate.Retry {
		status.JobDeploymentStatus = rayv1.JobDeploymentStatusRetrying
	} else {
		status.Message = verdict.Sentence
	}
	return 0, nil
}
