// Package kueue lets Mulligan decide on a Workload whose pods did not become ready in
// time.
//
// Decision point: kueue, pkg/controller/core/workload_controller.go,
// reconcileNotReadyTimeout, before it calls triggerDeactivation (the limit of
// re-queuings). Sent are the Workload as the timeout is about to leave it, its job, and
// the job's pods, nodes and events. The ledger is on the job.
//
//	RETRY           evicted with one more re-queuing, and admitted again after Kueue's
//	                back-off and when it is due; backoffLimitCount is not checked
//	FAIL, WAIT_...  deactivated with the sentence; a user or an admin can activate it
//	WAIT            as without Mulligan: the quota is taken back, and Kueue's limit
//	                bounds undecided work
//	IGNORE          as without Mulligan
//	no answer       as without Mulligan
//
// Preemptions are not asked about, because Kueue re-queues them without a charge.
package kueue

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// ReasonDeactivated of the condition DeactivationTarget.
const ReasonDeactivated = "Mulligan"

// Actions are the controller's possible reactions to a Workload beyond its timeout.
type Actions struct {
	// Evict takes the admission back. The Workload may be admitted again at the given
	// time. counts: Kueue counts it as a re-queuing, and its back-off applies, too.
	Evict func(at time.Time, counts bool, message string) error
	// Deactivate sets the condition DeactivationTarget.
	Deactivate func(reason, message string) error
}

// A Timeout of one admission.
type Timeout struct {
	// RanOut is when it ran out, the same in each reconcile.
	RanOut time.Time
	// Message is Kueue's about the eviction.
	Message string
}

// PodsReadyTimeout does one of the actions. If it returns false, the limit of
// re-queuings is checked.
func PodsReadyTimeout(ctx context.Context, g *gate.Gate, wl *kueuev1beta2.Workload, timeout Timeout, now time.Time, actions Actions) (decided bool, err error) {
	if !g.Open() {
		return false, nil
	}
	verdict, err := g.Ask(ctx, evicted(wl, timeout))
	if err != nil {
		return false, err
	}
	switch verdict.Way {
	case gate.Retry, gate.Later:
		return true, actions.Evict(now.Add(verdict.After), verdict.Charged, timeout.Message+": "+verdict.Sentence)
	case gate.Stop:
		return true, actions.Deactivate(ReasonDeactivated, verdict.Sentence)
	}
	return false, nil
}

// evicted returns the Workload as the timeout is about to leave it. Without the
// condition it would seem to wait for its pods.
func evicted(wl *kueuev1beta2.Workload, timeout Timeout) *kueuev1beta2.Workload {
	wl = wl.DeepCopy()
	meta.SetStatusCondition(&wl.Status.Conditions, metav1.Condition{
		Type: kueuev1beta2.WorkloadEvicted, Status: metav1.ConditionTrue,
		Reason: kueuev1beta2.WorkloadEvictedByPodsReadyTimeout, Message: timeout.Message,
		LastTransitionTime: metav1.NewTime(timeout.RanOut),
	})
	return wl
}

// NameTimeouts makes every timeout its own failure. A job that a queue has stopped and
// started may look as it did before, including its failed pods.
func NameTimeouts(g *gate.Gate) *gate.Gate {
	if !g.Open() {
		return g
	}
	edit := g.Asker.Edit
	g.Asker.Edit = func(ctx context.Context, obj client.Object, request *mulliganv1.DecideRequest) error {
		if wl, ok := obj.(*kueuev1beta2.Workload); ok {
			if at := meta.FindStatusCondition(wl.Status.Conditions, kueuev1beta2.WorkloadEvicted); at != nil {
				request.Report.FailureId = fmt.Sprintf("pods-ready-%s-%d", wl.UID, at.LastTransitionTime.Unix())
			}
		}
		if edit == nil {
			return nil
		}
		return edit(ctx, obj, request)
	}
	return g
}
