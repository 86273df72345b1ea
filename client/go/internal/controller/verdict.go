package controller

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/kinds"
)

// verdictWithin bounds the question of the verdict webhook. The write of the pod's
// status waits for it.
const verdictWithin = 500 * time.Millisecond

// verdicts is the webhook that adds the verdict on a pod to the write that fails it, as
// a condition (package failurerules), so that an operator cannot count the failure
// before it sees the verdict. It reads only caches and writes nothing; the reconciler
// that then sees the pod writes the record. After any error the write passes unchanged,
// and the operator decides as without it.
type verdicts struct {
	// Reads from the cache.
	watched client.Reader
	ties    *Ties
	records store
	decider mulliganv1.RetryDecisionServiceClient
	recent  *recent
	options Options
	paused  func(context.Context) (bool, error)
}

// Results of the verdict webhook in its metric.
const (
	unchanged = "unchanged" // the operator's own rules decide
	failed    = "error"     // no answer in time, or an error: likewise
	left      = "left"      // not opted in, paused or observed
)

// Handle answers the review of an UPDATE of pods/status.
func (v *verdicts) Handle(ctx context.Context, request admission.Request) admission.Response {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, verdictWithin)
	defer cancel()
	response, result := v.review(ctx, request)
	admissions.WithLabelValues("verdict", result).Inc()
	admissionTime.WithLabelValues("verdict").Observe(time.Since(began).Seconds())
	return response
}

func (v *verdicts) review(ctx context.Context, request admission.Request) (admission.Response, string) {
	pod := &corev1.Pod{}
	if err := json.Unmarshal(request.Object.Raw, pod); err != nil {
		return admission.Allowed(""), failed
	}
	if pod.Status.Phase != corev1.PodFailed || slices.ContainsFunc(pod.Status.Conditions, isVerdict) {
		return admission.Allowed(""), unchanged
	}
	condition, result, err := v.conditionOf(ctx, pod)
	if err != nil {
		log.FromContext(ctx).Info("no verdict, the write passes unchanged", "pod", client.ObjectKeyFromObject(pod), "error", err.Error())
		return admission.Allowed(""), failed
	}
	if condition == nil {
		return admission.Allowed(""), result
	}
	pod.Status.Conditions = append(pod.Status.Conditions, *condition)
	// Patches only the condition, so that fields unknown to this API version stay.
	operation := map[string]any{"op": "add", "path": "/status/conditions/-", "value": condition}
	if len(pod.Status.Conditions) == 1 {
		operation = map[string]any{"op": "add", "path": "/status/conditions", "value": pod.Status.Conditions}
	}
	patch, err := json.Marshal([]any{operation})
	if err != nil {
		return admission.Allowed(""), failed
	}
	kind := admissionv1.PatchTypeJSONPatch
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Allowed: true, Patch: patch, PatchType: &kind, Result: &metav1.Status{Code: http.StatusOK},
	}}, result
}

func isVerdict(condition corev1.PodCondition) bool {
	switch condition.Type {
	case failurerules.Retry, failurerules.Fail, failurerules.FailIndex:
		return true
	}
	return false
}

// conditionOf returns the condition to add, or nil, and the result.
func (v *verdicts) conditionOf(ctx context.Context, pod *corev1.Pod) (*corev1.PodCondition, string, error) {
	from := cached{v.watched, v.ties, pod}
	owner, err := workloadOf(ctx, from, pod)
	if err != nil || owner == nil {
		return nil, left, err
	}
	obj := newObject(kinds.ByGroupKind(kindOf(owner)))
	if err := from.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: owner.Name}, obj); err != nil || obj.GetUID() != owner.UID {
		return nil, left, client.IgnoreNotFound(err)
	}
	opted, err := optInOf(ctx, v.watched, obj)
	if err != nil || !opted.in || modeOf(v.options, obj) != Act {
		return nil, left, err
	}
	if stopped, err := v.paused(ctx); err != nil || stopped {
		return nil, left, err
	}
	answer, err := v.ask(ctx, from, obj, opted.policy)
	if err != nil {
		return nil, failed, err
	}
	condition := verdictCondition(answer)
	if condition == nil {
		return nil, unchanged, nil
	}
	return condition, string(condition.Type), nil
}

// ask asks the same question that the reconciler will repeat when it sees the pod.
// Nothing is stored here.
func (v *verdicts) ask(ctx context.Context, from client.Reader, obj *unstructured.Unstructured, policy string) (*mulliganv1.DecideResponse, error) {
	rec, err := v.records.of(ctx, obj)
	if err != nil {
		return nil, err
	}
	ledger, err := rec.LedgerFor(obj.GetUID())
	if err != nil {
		return nil, err
	}
	report, err := mulligan.Gather(ctx, from, obj)
	if err != nil {
		return nil, err
	}
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	request.Recent = v.recent.digest(whereOf(report.Objects()))
	request.ReplacesOperator = true
	request.Purpose = mulliganv1.DecideRequest_PREVIEW
	if policy != "" {
		request.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: policy}
	}
	return v.decider.Decide(ctx, request)
}

// verdictCondition returns the condition for the operator's own count. It is nil if the
// operator should count the failure itself: the work is to blame, or only our limit is
// used up, because the user's limit is the operator's.
func verdictCondition(answer *mulliganv1.DecideResponse) *corev1.PodCondition {
	condition := &corev1.PodCondition{
		Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
		Reason:  answer.GetDiagnosis().GetCause().String(),
		Message: answer.GetDecision().GetSentence(),
	}
	switch gate.VerdictOf(answer).Way {
	case gate.Retry, gate.Later:
		if gate.OwnFault(answer) {
			return nil
		}
		condition.Type = failurerules.Retry
	case gate.Stop:
		if limited(answer) {
			return nil
		}
		condition.Type = failurerules.Fail
		if answer.GetDecision().GetScope() == mulliganv1.Decision_INDEX {
			condition.Type = failurerules.FailIndex
		}
	default:
		return nil
	}
	return condition
}

// limited returns whether a limit refused a retry that a rule would have granted.
func limited(answer *mulliganv1.DecideResponse) bool {
	refused := gate.RecordOf(answer).GetRefusedBy()
	return refused == mulliganv1.AttemptRecord_BUDGET || refused == mulliganv1.AttemptRecord_MAX_ATTEMPTS
}

// cached reads watched kinds from the cache, and the pod as it is being written. Other
// kinds are not found.
type cached struct {
	watched client.Reader
	ties    *Ties
	pod     *corev1.Pod
}

func (c cached) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	switch obj := obj.(type) {
	case *corev1.Pod:
		if key == client.ObjectKeyFromObject(c.pod) {
			c.pod.DeepCopyInto(obj)
			return c.ties.restore(obj)
		}
		return c.watched.Get(ctx, key, obj, opts...)
	case *corev1.Node:
		return c.watched.Get(ctx, key, obj, opts...)
	}
	gvk := gvkOf(obj)
	kind := kinds.ByGroupKind(gvk.GroupKind())
	if kind == nil {
		return apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, key.Name)
	}
	// As it is watched, so that there is only one cache of it.
	found := newObject(kind)
	if err := c.watched.Get(ctx, key, found, opts...); err != nil {
		return err
	}
	if err := c.ties.restore(found); err != nil {
		return err
	}
	if asked, ok := obj.(*unstructured.Unstructured); ok {
		found.DeepCopyInto(asked)
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, obj)
}

func (c cached) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	switch list := list.(type) {
	case *corev1.PodList:
		if err := (reader{c.watched, c.watched, c.ties}).List(ctx, list, opts...); err != nil {
			return err
		}
		for i := range list.Items {
			if list.Items[i].UID == c.pod.UID {
				c.pod.DeepCopyInto(&list.Items[i])
				return c.ties.restore(&list.Items[i])
			}
		}
		return nil
	case *corev1.EventList:
		return c.watched.List(ctx, list, opts...)
	case *batchv1.JobList:
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("JobList"))
		if err := c.watched.List(ctx, found, opts...); err != nil {
			return err
		}
		return runtime.DefaultUnstructuredConverter.FromUnstructured(found.UnstructuredContent(), list)
	}
	return &meta.NoKindMatchError{}
}

func gvkOf(obj client.Object) schema.GroupVersionKind {
	if _, isJob := obj.(*batchv1.Job); isJob {
		return batchv1.SchemeGroupVersion.WithKind("Job")
	}
	return obj.GetObjectKind().GroupVersionKind()
}
