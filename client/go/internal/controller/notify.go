package controller

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/notify"
)

// notify notifies the people who have to act about an answer, if any. by is what stops
// the work; nil if it is not stopped. It never blocks.
func (r *reconciler) notify(obj *unstructured.Unstructured, mode Mode, answer *mulliganv1.DecideResponse, by *brake) {
	failure := failureOf(obj, mode, answer)
	if by != nil && mode == Act {
		failure.Stopped, failure.GoOn = records.Stopper+" stopped it", goOn(by)
	}
	r.options.Notifier.Notify(failure)
}

func failureOf(obj *unstructured.Unstructured, mode Mode, answer *mulliganv1.DecideResponse) notify.Failure {
	return notify.Failure{
		ID: records.FailureID(obj), Mode: string(mode), Answer: answer, Labels: obj.GetLabels(),
		Kind: obj.GetKind(), Namespace: obj.GetNamespace(), Name: obj.GetName(),
	}
}

// notifyRefused notifies that a granted attempt will not be made.
func (r *reconciler) notifyRefused(obj *unstructured.Unstructured, decided *records.Decision, why string) {
	refused := failureOf(obj, Mode(decided.Mode), &mulliganv1.DecideResponse{
		Decision: &mulliganv1.Decision{
			Action:   mulliganv1.Decision_Action(mulliganv1.Decision_Action_value[decided.Action]),
			Sentence: decided.Sentence,
		},
		Diagnosis: &mulliganv1.Diagnosis{
			Cause:     mulliganv1.Cause(mulliganv1.Cause_value[decided.Cause]),
			Situation: mulliganv1.Diagnosis_BROKEN,
		},
	})
	refused.Refused = why
	r.options.Notifier.Notify(refused)
}
