// Package kuberay lets Mulligan decide about the retry of a RayJob.
//
// Decision point: ray-operator v1.5.1, controllers/ray/rayjob_controller.go, Reconcile,
// before checkBackoffLimitAndUpdateStatusIfNeeded: the status of this round is known
// and not written. What is sent: the RayJob with that status, its RayCluster, the
// submitter's Job and the pods, nodes and events of all of them.
//
//	RETRY, due      Retrying: KubeRay deletes the cluster and makes a new one;
//	                status.failed + 1 where the work is to blame
//	RETRY, later    Retrying as well, so that the cluster is given back at once; it
//	                stays Retrying until the next attempt is due ([Hold])
//	WAIT            undecided: it stays Running and the round is repeated; the cluster
//	                is evidence. What Ray has told of the job is written and stands,
//	                also once Ray has forgotten it ([Stands])
//	FAIL, WAIT_...  Failed stays; status.failed + 1; status.message is the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A head that has failed is replaced before Ray says that the job has, so it is written
// down on its RayCluster for the question ([Keep]). A worker is not: Ray goes on without
// it, and one that was lost long before would be blamed for what the program does later.
//
// A retry deletes the cluster, so nobody is asked about a RayJob that has none of its own
// (clusterSelector), nor in InteractiveMode, which KubeRay never retries.
//
// A RayJob beyond its deadline, which KubeRay never retries, is asked about too: the
// deadline may have passed while an image was pulled.
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
	// ReasonRetries is that of a retry, due or later.
	ReasonRetries = "MulliganRetries"
	// ReasonWaits is that of a failure that is not decided yet.
	ReasonWaits = "MulliganWaits"
	// ReasonStops is that of a RayJob that is given up.
	ReasonStops = "MulliganStops"
)

// keepsFor is how long the deletion of a pod may wait until it is written down.
const keepsFor = 2 * time.Second

// CheckRetry writes into the status of a RayJob whose round ended in Failed, in memory.
// decided: backoffLimit is not asked. With a positive hold the round is repeated after it
// and nothing is to be written, but for a status that is Running again. tell records an
// Event.
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
		// As KubeRay has it while a submitter is about to end.
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

// retries says whether the RayJob can be retried as a whole: KubeRay deletes the cluster
// for it, which is somebody else's where it was selected, and a job that the user submits
// is not submitted again.
func retries(rayJob *rayv1.RayJob) bool {
	return len(rayJob.Spec.ClusterSelector) == 0 && rayJob.Spec.SubmissionMode != rayv1.InteractiveMode
}

// Stands says whether a job, about which Ray cannot be asked now, is known to have failed:
// Ray told so while that was undecided. The RayJob is Failed again. Without it a head that
// was started anew is sent the job once more in HTTPMode.
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

// Hold is how long a RayJob that is Retrying stays so once its cluster is gone. Whoever
// suspends it need not wait for that.
func Hold(g *gate.Gate, rayJob *rayv1.RayJob, now time.Time) time.Duration {
	if rayJob.Status.JobDeploymentStatus != rayv1.JobDeploymentStatusRetrying || rayJob.Spec.Suspend {
		return 0
	}
	return g.Pause(rayJob, now)
}

// Keep writes down the head of a RayJob's cluster that is about to be deleted. Clusters of
// others are nobody's attempt.
func Keep(ctx context.Context, g *gate.Gate, cluster *rayv1.RayCluster, pod *corev1.Pod) {
	owner := metav1.GetControllerOf(cluster)
	if owner == nil || owner.Kind != "RayJob" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, keepsFor)
	defer cancel()
	g.Keep(ctx, cluster, pod)
}

// Follow writes what was advised for the next attempt into its cluster, which is about
// to be created. It returns what could not be followed.
func Follow(g *gate.Gate, rayJob *rayv1.RayJob, cluster *rayv1.RayClusterSpec, now time.Time) ([]string, error) {
	templates := []*corev1.PodTemplateSpec{&cluster.HeadGroupSpec.Template}
	for i := range cluster.WorkerGroupSpecs {
		templates = append(templates, &cluster.WorkerGroupSpecs[i].Template)
	}
	return g.Follow(rayJob, now, templates...)
}
