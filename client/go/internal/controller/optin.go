package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// optIn is how a workload came to be looked after.
type optIn struct {
	// The policy it named; empty: the first whose selector fits.
	policy string
	in     bool
	// The object itself says so, not only its namespace.
	itself bool
}

// optInOf looks at a workload's annotation first, then at its label, then at the label
// of its namespace.
func optInOf(ctx context.Context, reader client.Reader, obj client.Object) (optIn, error) {
	for _, own := range []map[string]string{obj.GetAnnotations(), obj.GetLabels()} {
		if policy, ok := own[records.Policy]; ok {
			return optIn{policy, policy != optOut, true}, nil
		}
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := reader.Get(ctx, client.ObjectKey{Name: obj.GetNamespace()}, namespace); err != nil {
		return optIn{}, client.IgnoreNotFound(err)
	}
	policy, ok := namespace.GetLabels()[records.Policy]
	return optIn{policy, ok && policy != optOut, false}, nil
}

// A workload in a namespace that opted in stays out with this value.
const optOut = "off"

// isPart says whether another workload that the controller knows made this one and
// is the one to decide about, such as the JobSet of a Job. That is also in what the Job's
// pods are made from, which stays as it was created.
func isPart(obj *unstructured.Unstructured) bool {
	_, found, _ := unstructured.NestedString(obj.Object, "spec", "template", "metadata", "labels", jobSetName)
	owner := metav1.GetControllerOf(obj)
	if found || owner == nil {
		return found
	}
	return kinds.ByGroupKind(kindOf(owner)) != nil || kindOf(owner) == rayCluster
}

func kindOf(owner *metav1.OwnerReference) schema.GroupKind {
	return schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()
}

// JobSet's own label of what it makes.
const jobSetName = "jobset.sigs.k8s.io/jobset-name"

var rayCluster = reportkinds.Named("RayCluster").GroupKind()

// strangerOf is who controls a workload, if it is nobody of whom we know that it leaves
// retries to others; nil: nobody. A CronJob only starts what is due.
func strangerOf(obj client.Object) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || kindOf(owner) == cronJob {
		return nil
	}
	return owner
}

// leaveTo says once why a failure is left alone: its owner may retry it itself.
func (r *reconciler) leaveTo(obj *unstructured.Unstructured, owner *metav1.OwnerReference) {
	if outcome := r.kind.Outcome(obj); outcome.Phase != kinds.Failed || r.tooOld(outcome) {
		return
	}
	held.WithLabelValues("owner").Inc()
	r.sayOnce(obj, corev1.EventTypeNormal, "LeftToItsOwner", fmt.Sprintf(
		"%s %s (%s) controls this and may retry it itself; nothing is asked or done unless this object has the annotation %s",
		owner.Kind, owner.Name, owner.APIVersion, records.Policy))
}
