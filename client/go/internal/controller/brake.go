package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/controller/successor"
	"mulligan.dev/mulligan/internal/reportkinds"
	"mulligan.dev/mulligan/internal/words"
)

// brake is the boolean that stops a workload and keeps its objects, so that it releases
// its devices.
type brake struct {
	// The workload itself, or the queue's object for it.
	target *unstructured.Unstructured
	field  []string
	// The value that stops the work.
	stops bool
}

// brakeOf returns nil if the workload cannot be stopped, must not be, or already is.
func (r *reconciler) brakeOf(ctx context.Context, obj *unstructured.Unstructured) (*brake, error) {
	if !r.options.Suspend || r.isSuspended(obj) {
		return nil, nil
	}
	if obj.GetLabels()[successor.QueueLabel] != "" {
		mapping, err := r.client.RESTMapper().RESTMapping(queuedKind)
		if err == nil {
			return r.queueBrake(ctx, obj, mapping.GroupVersionKind)
		}
		if !meta.IsNoMatchError(err) {
			return nil, err
		}
		// Without the queue, only this controller stops or starts it.
	}
	field := r.kind.SuspendField(obj)
	if field == nil {
		return nil, nil
	}
	return &brake{obj, field, true}, nil
}

var queuedKind = reportkinds.Named("Workload").GroupKind()

// Kueue's label of a Workload: the UID of the job it is made for.
const queuedFor = "kueue.x-k8s.io/job-uid"

// queueBrake deactivates the Workload, because the queue would resume a suspended job.
func (r *reconciler) queueBrake(ctx context.Context, obj *unstructured.Unstructured, gvk schema.GroupVersionKind) (*brake, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	err := r.asker.reader.List(ctx, list, client.InNamespace(obj.GetNamespace()), client.MatchingLabels{queuedFor: string(obj.GetUID())})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		// Anyone can set a label.
		by := &brake{&list.Items[i], []string{"spec", "active"}, false}
		if metav1.IsControlledBy(by.target, obj) && !by.isOn() {
			return by, nil
		}
	}
	return nil, nil
}

func (b *brake) isOn() bool {
	value, found, err := unstructured.NestedBool(b.target.Object, b.field...)
	return err == nil && found && value == b.stops
}

// maxPulls is how often pull tries to change a target that others write.
const maxPulls = 5

// pull stops the work if the target's spec is still as it was read. Its status may have
// changed: operators write it while they restart the work.
func (b *brake) pull(ctx context.Context, c client.Client, live client.Reader) error {
	for tries := 1; ; tries++ {
		changed := b.target.DeepCopy()
		if err := unstructured.SetNestedField(changed.Object, b.stops, b.field...); err != nil {
			return err
		}
		err := c.Patch(ctx, changed, client.MergeFromWithOptions(b.target, client.MergeFromWithOptimisticLock{}))
		if !apierrors.IsConflict(err) || tries == maxPulls {
			return err
		}
		now := &unstructured.Unstructured{}
		now.SetGroupVersionKind(b.target.GroupVersionKind())
		if live.Get(ctx, client.ObjectKeyFromObject(b.target), now) != nil ||
			now.GetUID() != b.target.GetUID() || now.GetGeneration() != b.target.GetGeneration() {
			return err
		}
		b.target = now
	}
}

// release returns the command that lets the work continue.
func (b *brake) release() string {
	patch := fmt.Sprint(!b.stops)
	for i := len(b.field) - 1; i >= 0; i-- {
		patch = fmt.Sprintf(`{"%s":%s}`, b.field[i], patch)
	}
	return fmt.Sprintf("kubectl patch %s %s -n %s --type=merge -p '%s'",
		strings.ToLower(b.target.GetKind()), b.target.GetName(), b.target.GetNamespace(), patch)
}

// The shortest pause before an operator or the kubelet tries again.
const betweenTries = 10 * time.Second

// stuckBefore returns whether work that cannot start looked the same at least
// betweenTries ago. It remembers the cause and fingerprint for the next call.
func (r *reconciler) stuckBefore(obj *unstructured.Unstructured, diagnosis *mulliganv1.Diagnosis) bool {
	if diagnosis.GetFinishedAt() != nil {
		return false
	}
	look := fmt.Sprint(obj.GetGeneration(), diagnosis.GetCause(), diagnosis.GetFingerprint())
	before := false
	r.remember(obj, func(m *remembered) {
		if m.stuck != look {
			m.stuck, m.stuckSince = look, r.now()
		}
		before = r.now().Sub(m.stuckSince) >= betweenTries
	})
	return before
}

// leftTo returns why a verdict does not end work that its operator retries; empty if it
// does. Operators retry as their users configured. So the work ends only
//
//  1. as a whole, because the operator handles a part's failure itself;
//  2. if there is a way to stop it;
//  3. by the policy's brake, or if it can never start and looked the same one try
//     ago.
func leftTo(answer *mulliganv1.DecideResponse, mode Mode, stuck bool, by *brake) string {
	braked, diagnosis := isBraked(answer), answer.GetDiagnosis()
	switch {
	case isOfPart(answer):
		return partOnly
	case !braked && diagnosis.GetSituation() == mulliganv1.Diagnosis_BROKEN && diagnosis.GetFinishedAt() != nil:
		return "its operator has not ended it yet"
	case !braked && diagnosis.GetOutlook() != mulliganv1.Diagnosis_CANNOT_RECOVER:
		return "its operator may still try it, and it may recover"
	case by == nil:
		return "its operator may still try it; there is no means to suspend it, or --suspend-given-up is off"
	case !braked && !stuck && mode == Observe:
		return wouldOnceMore
	case !braked && !stuck:
		return onceMore
	}
	return ""
}

// isBraked returns whether the policy ends the retries of an operator or the kubelet.
func isBraked(answer *mulliganv1.DecideResponse) bool {
	return answer.GetExplanation().GetDecidedBy() == mulliganv1.Explanation_BRAKE
}

// Why hopeless work continues when it is seen for the first time.
const (
	onceMore      = "its operator may still try it; it is stopped at the next failure that cannot recover either"
	wouldOnceMore = "its operator may still try it; " + records.Stopper + " would stop it at the next failure that cannot recover either"
)

// Why work with a failed part continues.
const partOnly = "only a part of the work has failed, which its operator ends or tries again by its own limits"

// isOfPart returns whether a part of the work failed alone, as an index of a Job does
// while the others continue, whether or not its operator then ends the work.
func isOfPart(answer *mulliganv1.DecideResponse) bool {
	if scope := answer.GetDecision().GetScope(); scope != mulliganv1.Decision_SCOPE_UNSPECIFIED && scope <= mulliganv1.Decision_INDEX {
		return true
	}
	return slices.ContainsFunc(answer.GetLedger().GetHistory(), func(record *mulliganv1.AttemptRecord) bool {
		// Failures that the operator retries are recorded under another id.
		isThis := record.GetFailureId() == answer.GetFailureId() ||
			record.GetRetriedBy() != mulliganv1.AttemptRecord_RETRIED_BY_UNSPECIFIED &&
				proto.Equal(record.GetFinishedAt(), answer.GetDiagnosis().GetFinishedAt())
		return isThis && record.GetPart() != ""
	})
}

// keep stores the ledger of work that its operator retries, in act and observe mode,
// because those attempts were made. It returns the record as stored.
func (r *reconciler) keep(ctx context.Context, obj *unstructured.Unstructured, rec *records.RetryRecord, outcome kinds.Outcome, answer *mulliganv1.DecideResponse) (*records.RetryRecord, error) {
	known, err := rec.LedgerFor(obj.GetUID())
	if err != nil || answer.GetDiagnosis().GetSituation() != mulliganv1.Diagnosis_ALIVE ||
		len(answer.GetLedger().GetHistory()) == 0 || proto.Equal(known, answer.GetLedger()) {
		return rec, err
	}
	if rec == nil {
		if rec, err = r.first(obj, outcome); err != nil {
			return nil, err
		}
	}
	ledger, err := mulligan.EncodeLedger(answer.GetLedger())
	if err != nil {
		return rec, err
	}
	rec.Status.Ledger = []byte(ledger)
	if rec.Status.Decision == nil {
		rec.Become(atWork(rec), "TriedAgain", "Its operator tries it again: "+mulligan.Problem(answer)+".", r.now())
	}
	return rec, r.write(ctx, obj, rec)
}

// leave reports once for each failure, as an Event, that a workload continues although Mulligan would
// not retry it. For a loop it also notifies the person who has to act.
func (r *reconciler) leave(obj *unstructured.Unstructured, mode Mode, answer *mulliganv1.DecideResponse, why string) ctrl.Result {
	reason := "LeftToItsOperator"
	if isOfPart(answer) {
		reason = "PartFailed"
	}
	message := words.Cut(mulligan.Problem(answer), maxQuote) + ". It continues: " + why + "."
	if step := answer.GetDiagnosis().GetFirstStep().GetText(); step != "" {
		message += " Do first: " + words.Cut(step, maxQuote) + "."
	}
	if r.sayOnceAbout(obj, reason+why+failureKey(answer), corev1.EventTypeWarning, reason, message) && isBraked(answer) {
		r.notify(obj, mode, answer, nil)
	}
	if (why == onceMore || why == wouldOnceMore) && answer.GetDiagnosis().GetFinishedAt() == nil {
		// No object changes when the kubelet's next try fails as well.
		return ctrl.Result{RequeueAfter: betweenTries}
	}
	r.remember(obj, calm)
	return ctrl.Result{}
}

// stop stops the work if its spec is still the one that was decided about.
func (r *reconciler) stop(ctx context.Context, obj *unstructured.Unstructured, decided *records.Decision) (ctrl.Result, error) {
	if obj.GetGeneration() != decided.Generation {
		return ctrl.Result{}, nil
	}
	by, err := r.brakeOf(ctx, obj)
	if err != nil || by == nil {
		return ctrl.Result{}, err
	}
	err = by.pull(ctx, r.client, r.asker.reader)
	if isRefused(err) {
		r.sayOnce(obj, corev1.EventTypeWarning, "NotStopped", fmt.Sprintf("It continues: the API server does not allow to stop it: %s", words.Cut(err.Error(), maxQuote)))
		return ctrl.Result{RequeueAfter: longestRefusal}, nil
	}
	return ctrl.Result{}, err
}

// Pause between two looks at work that is being stopped.
const untilStopped = 5 * time.Second

// hasStopped returns whether the work is suspended and none of its pods runs.
func (r *reconciler) hasStopped(ctx context.Context, obj *unstructured.Unstructured) (bool, error) {
	by, err := r.brakeOf(ctx, obj)
	if err != nil || by != nil {
		return false, err
	}
	report, err := mulligan.Gather(ctx, r.asker.reader, obj)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(report.Objects(), func(object runtime.Object) bool {
		pod, ok := object.(*corev1.Pod)
		return ok && pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
	}), nil
}

func (r *reconciler) isSuspended(obj *unstructured.Unstructured) bool {
	field := r.kind.SuspendField(obj)
	suspended, _, err := unstructured.NestedBool(obj.Object, field...)
	return field != nil && err == nil && suspended
}
