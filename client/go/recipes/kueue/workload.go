// Package kueue lets Mulligan decide about a Workload whose pods did not become ready
// in time.
//
// Decision point: kueue v0.15.2, pkg/controller/core/workload_controller.go,
// reconcileNotReadyTimeout, with triggerDeactivation (the limit of re-queuings) and
// workload.UpdateRequeueState (count and time of the next one). It would become
//
//	requeue, err := kueue.PodsReadyTimeout(ctx, r.gate, wl, r.clock.Now())
//	switch {
//	case err != nil:
//		return 0, err
//	case requeue.Deactivate:
//		// PatchAdmissionStatus with SetDeactivationTarget(wl, WorkloadRequeuingLimitExceeded, requeue.Message)
//		return 0, nil
//	case requeue.Native:
//		// triggerDeactivation and UpdateRequeueState, as now
//	default:
//		// workload.Evict as now, with WithCustomPrepare(requeue.Prepare)
//	}
//
// What is sent: the Workload, the job it belongs to, its pods, nodes and events.
//
//	RETRY           evicted and re-queued at once, or at the given time; count + 1
//	                where a budget paid
//	WAIT            evicted and re-queued after the given time, not counted
//	FAIL, WAIT_...  deactivated with the sentence: an admin or the user activates it
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// A preemption is not asked about: Kueue re-queues it for nothing, as it should.
package kueue

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"mulligan.dev/mulligan/gate"
)

// Requeue is what to do with the Workload.
type Requeue struct {
	// Native: as without Mulligan; the other fields are empty.
	Native bool
	// Deactivate: no further turn, for the reason in Message.
	Deactivate bool
	// Message is the sentence of the answer.
	Message string
	// At is when the Workload may be admitted again.
	At time.Time
	// Counts: the re-queuing is one of those that Kueue bounds.
	Counts bool
}

// PodsReadyTimeout decides about a Workload beyond its timeout.
func PodsReadyTimeout(ctx context.Context, g *gate.Gate, wl *kueuev1beta2.Workload, now time.Time) (Requeue, error) {
	verdict, err := g.Ask(ctx, wl)
	if err != nil {
		return Requeue{}, err
	}
	switch verdict.Way {
	case gate.Stop:
		return Requeue{Deactivate: true, Message: verdict.Sentence}, nil
	case gate.Retry, gate.Later, gate.Wait:
		return Requeue{Message: verdict.Sentence, At: now.Add(verdict.After), Counts: verdict.Charged}, nil
	}
	return Requeue{Native: true}, nil
}

// Prepare writes the requeue state. A later time that somebody else has set stays.
func (r Requeue) Prepare(wl *kueuev1beta2.Workload) {
	if wl.Status.RequeueState == nil {
		wl.Status.RequeueState = &kueuev1beta2.RequeueState{}
	}
	state := wl.Status.RequeueState
	if state.RequeueAt == nil || state.RequeueAt.Time.Before(r.At) {
		state.RequeueAt = ptr.To(metav1.NewTime(r.At))
	}
	if r.Counts {
		state.Count = ptr.To(ptr.Deref(state.Count, 0) + 1)
	}
}
