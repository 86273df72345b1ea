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

// optIn is how a workload opted in.
type optIn struct {
	// The policy it names; empty for the first whose selector fits.
	policy string
	in     bool
	// The object itself opted in, not only its namespace.
	itself bool
}

// optInOf reads a workload's annotation, else its label, else the label of its
// namespace.
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

// With this value, a workload in a namespace that opted in stays out.
const optOut = "off"

// isPart returns whether another known workload made this one and is the one to decide
// about, such as the JobSet of a Job. For Jobs, the pod template shows it, too, which
// cannot be changed.
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

// JobSet's label of the objects that it makes.
const jobSetName = "jobset.sigs.k8s.io/jobset-name"

var rayCluster = reportkinds.Named("RayCluster").GroupKind()

// strangerOf returns the controller of a workload if it may retry the workload itself;
// nil if there is none. A CronJob only starts due runs.
func strangerOf(obj client.Object) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || kindOf(owner) == cronJob {
		return nil
	}
	return owner
}

// leaveTo reports once why a failure is left alone: its owner may retry it itself.
func (r *reconciler) leaveTo(obj *unstructured.Unstructured, owner *metav1.OwnerReference) {
	if outcome := r.kind.Outcome(obj); outcome.Phase != kinds.Failed || r.tooOld(outcome) {
		return
	}
	held.WithLabelValues("owner").Inc()
	r.sayOnce(obj, corev1.EventTypeNormal, "LeftToItsOwner", fmt.Sprintf(
		"%s %s (%s) controls this and may retry it itself; nothing is asked or done unless this object has the annotation %s",
		owner.Kind, owner.Name, owner.APIVersion, records.Policy))
}
