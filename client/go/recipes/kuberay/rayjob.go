// Package kuberay lets Mulligan decide on the retry of a RayJob.
//
// Decision point: ray-operator, controllers/ray/rayjob_controller.go, Reconcile,
// before checkBackoffLimitAndUpdateStatusIfNeeded, when the status of this round is
// known and not yet written. Sent are the RayJob with that status, its RayCluster, the
// submitter's Job and the pods, nodes and events of all of them.
//
//	RETRY, due      Retrying: KubeRay deletes the cluster and makes a new one;
//	                status.failed + 1 if the work is to blame
//	RETRY, later    Retrying as well, so that the cluster is released at once; it stays
//	                Retrying until the next attempt is due ([Hold])
//	WAIT            undecided: it stays Running and the round is repeated, because the
//	                cluster is evidence. Ray's report of the job is written and kept,
//	                even after Ray has forgotten it ([Stands])
//	FAIL, WAIT_...  stays Failed; status.failed + 1; status.message is the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A failed head is replaced before Ray reports the job's failure, so it is stored on
// its RayCluster for the question ([Keep]). A worker is not: Ray continues without it,
// and a worker lost long ago would be blamed for a later failure of the program.
//
// A retry deletes the cluster. So a RayJob without its own cluster (clusterSelector) is
// not asked about, nor one in InteractiveMode, which KubeRay never retries.
//
// A RayJob beyond its deadline, which KubeRay never retries, is asked about, because
// the deadline may have passed while an image was pulled.
package kuberay

import (
	"context"
	"time"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan/gate"
)

// Reasons of Events.
const (
	// ReasonRetries of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits of an undecided failure.
	ReasonWaits = "MulliganWaits"
	// ReasonStops of a RayJob that is given up.
	ReasonStops = "MulliganStops"
)

// keepsFor is how long storing a pod may delay its deletion.
const keepsFor = 2 * time.Second

// CheckRetry changes the status, in memory, of a RayJob whose round ended in Failed. If
// decided, backoffLimit is not checked. With a positive hold, repeat the round after it
// and write nothing, except for a status that is Running again. tell records an Event.
func CheckRetry(ctx context.Context, g *gate.Gate, rayJob *rayv1.RayJob, tell func(reason, message string)) (decided bool, hold time.Duration, err error) {
	status := &rayJob.Status
	if status.JobDeploymentStatus != rayv1.JobDeploymentStatusFailed || !retries(rayJob) {
		return false, 0, nil
	}
	verdict, err := g.AskCounting(ctx, rayJob)
	if err != nil {
		return false, 0, err
	}
	counts := verdict.Counts
	switch verdict.Way {
	case gate.Retry, gate.Later:
		status.JobDeploymentStatus = rayv1.JobDeploymentStatusRetrying
		tell(ReasonRetries, verdict.Sentence)
	case gate.Stop:
		counts = true
		tell(ReasonStops, verdict.Sentence)
	case gate.Wait:
		tell(ReasonWaits, verdict.Sentence)
		// As in KubeRay while a submitter is about to end.
		if status.JobStatus == rayv1.JobStatusFailed {
			status.JobDeploymentStatus, status.Reason = rayv1.JobDeploymentStatusRunning, ""
		}
		return true, verdict.After, nil
	default:
		return false, 0, nil
	}
	status.Message = verdict.Sentence
	failed := ptr.Deref(status.Failed, 0)
	if counts {
		failed++
	}
	status.Failed = ptr.To(failed)
	status.Succeeded = ptr.To(ptr.Deref(status.Succeeded, 0))
	return true, 0, nil
}

// retries returns whether the RayJob can be retried as a whole. KubeRay deletes the
// cluster for that, so it must not be a selected one. A job that the user submits is
// not submitted again.
func retries(rayJob *rayv1.RayJob) bool {
	return len(rayJob.Spec.ClusterSelector) == 0 && rayJob.Spec.SubmissionMode != rayv1.InteractiveMode
}

// Stands returns whether a job that Ray cannot be asked about now is known to have
// failed: Ray reported it while the failure was undecided. It sets the RayJob to Failed
// again. Otherwise, in HTTPMode, a restarted head would be sent the job once more.
func Stands(g *gate.Gate, rayJob *rayv1.RayJob, submitterFinished bool) bool {
	status := &rayJob.Status
	if !g.Open() || !retries(rayJob) || status.JobStatus != rayv1.JobStatusFailed {
		return false
	}
	if rayJob.Spec.SubmissionMode != rayv1.HTTPMode && !submitterFinished {
		return false
	}
	status.JobDeploymentStatus, status.Reason = rayv1.JobDeploymentStatusFailed, rayv1.AppFailed
	return true
}

// Hold returns how long a Retrying RayJob stays so after its cluster is gone. Zero for
// a suspended one.
func Hold(g *gate.Gate, rayJob *rayv1.RayJob, now time.Time) time.Duration {
	if rayJob.Status.JobDeploymentStatus != rayv1.JobDeploymentStatusRetrying || rayJob.Spec.Suspend {
		return 0
	}
	return g.Pause(rayJob, now)
}

// Keep stores the head of a RayJob's cluster that is about to be deleted. Other
// clusters belong to no attempt.
func Keep(ctx context.Context, g *gate.Gate, cluster *rayv1.RayCluster, pod *corev1.Pod) {
	owner := metav1.GetControllerOf(cluster)
	if owner == nil || owner.Kind != "RayJob" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, keepsFor)
	defer cancel()
	g.Keep(ctx, cluster, pod)
}

// Follow writes the advice for the next attempt into its cluster, which is about to be
// created. It returns the advice that could not be followed.
func Follow(g *gate.Gate, rayJob *rayv1.RayJob, cluster *rayv1.RayClusterSpec, now time.Time) ([]string, error) {
	templates := []*corev1.PodTemplateSpec{&cluster.HeadGroupSpec.Template}
	for i := range cluster.WorkerGroupSpecs {
		templates = append(templates, &cluster.WorkerGroupSpecs[i].Template)
	}
	return g.Follow(rayJob, now, templates...)
}
