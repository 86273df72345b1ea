// Package jobset lets Mulligan decide on the restart of a JobSet.
//
// Decision point: jobset, pkg/controllers/jobset_controller.go, reconcile,
// before it calls executeFailurePolicy because a child Job has failed. Sent are the
// JobSet, its Jobs, their pods, nodes and events.
//
//	RETRY, due      all Jobs are recreated; counts toward maxRestarts if the work is to blame
//	RETRY, later    restarted as well, so that all Jobs are deleted and release their
//	                resources at once; they are recreated when due ([Hold])
//	WAIT            undecided: nothing changes, because running members are evidence
//	FAIL, WAIT_...  condition Failed with reason Mulligan and the sentence
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A JobSet of a TrainJob is handled as without Mulligan. Trainer's recipe asks about
// the TrainJob after its JobSet has failed.
//
// A restart makes Jobs from the JobSet's templates, which are immutable. So more memory
// and other nodes are written into the Jobs ([Follow]).
package jobset

import (
	"context"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan/gate"
)

// Reasons of conditions and Events.
const (
	// ReasonFailed of the condition Failed.
	ReasonFailed = "Mulligan"
	// ReasonRestarts of the condition Restarting.
	ReasonRestarts = "MulliganRestarts"
	// ReasonWaits of the Event about an undecided failure.
	ReasonWaits = "MulliganWaits"
)

// Actions are the controller's possible reactions to a failed JobSet.
type Actions struct {
	// Restart recreates all Jobs; counts says whether it counts toward maxRestarts.
	Restart func(counts bool, message string)
	// Tell records an Event.
	Tell func(reason, message string)
	// Fail sets the condition Failed.
	Fail func(reason, message string)
}

// FailurePolicy does one of the actions. If decided, the spec's failure policy is not
// evaluated, and after a positive hold the JobSet is reconciled again.
func FailurePolicy(ctx context.Context, g *gate.Gate, js *jobsetv1alpha2.JobSet, actions Actions) (decided bool, hold time.Duration, err error) {
	if ofTrainJob(js) {
		return false, 0, nil
	}
	verdict, err := g.Ask(ctx, js)
	if err != nil {
		return false, 0, err
	}
	switch verdict.Way {
	case gate.Retry, gate.Later:
		actions.Restart(verdict.Counts, verdict.Sentence)
		return true, 0, nil
	case gate.Wait:
		actions.Tell(ReasonWaits, verdict.Sentence)
	case gate.Stop:
		actions.Fail(ReasonFailed, verdict.Sentence)
	default:
		return false, 0, nil
	}
	return true, verdict.After, nil
}

// Hold returns how long Jobs must not be recreated. Zero for a suspended JobSet, whose
// Jobs use nothing.
func Hold(g *gate.Gate, js *jobsetv1alpha2.JobSet, now time.Time) time.Duration {
	if ptr.Deref(js.Spec.Suspend, false) {
		return 0
	}
	return g.Pause(js, now)
}

// ofTrainJob returns whether the JobSet belongs to a TrainJob. Then the TrainJob is the
// workload: each attempt has another JobSet, and JobSet's operator has no rights on the
// ledger.
func ofTrainJob(js *jobsetv1alpha2.JobSet) bool {
	owner := metav1.GetControllerOf(js)
	return owner != nil && owner.Kind == "TrainJob" && strings.HasPrefix(owner.APIVersion, "trainer.kubeflow.org/")
}

// Follow writes the advice for the restart into Jobs that are about to be created. It
// returns the advice that could not be followed.
func Follow(g *gate.Gate, js *jobsetv1alpha2.JobSet, jobs []*batchv1.Job, now time.Time) ([]string, error) {
	var templates []*corev1.PodTemplateSpec
	for _, job := range jobs {
		templates = append(templates, &job.Spec.Template)
	}
	return g.Follow(js, now, templates...)
}
