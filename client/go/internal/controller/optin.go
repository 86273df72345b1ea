package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/record"
)

// policyOf returns the policy that a workload opted in with, and whether it did. Its
// annotation is looked at first, then its label, then the label of its namespace.
func policyOf(ctx context.Context, reader client.Reader, obj client.Object) (string, bool, error) {
	if policy, ok := obj.GetAnnotations()[record.Policy]; ok {
		return policy, policy != optOut, nil
	}
	if policy, ok := obj.GetLabels()[record.Policy]; ok {
		return policy, policy != optOut, nil
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := reader.Get(ctx, client.ObjectKey{Name: obj.GetNamespace()}, namespace); err != nil {
		return "", false, client.IgnoreNotFound(err)
	}
	policy, ok := namespace.GetLabels()[record.Policy]
	return policy, ok && policy != optOut, nil
}

// A workload in a namespace that opted in stays out with this value.
const optOut = "off"

// isPart says whether another workload that the controller knows made this one and
// is the one to decide about, such as the JobSet of a Job.
func isPart(obj client.Object) bool {
	owner := metav1.GetControllerOf(obj)
	if owner == nil {
		return false
	}
	group, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return false
	}
	gk := schema.GroupKind{Group: group.Group, Kind: owner.Kind}
	return kinds.ByGroupKind(gk) != nil || gk == rayCluster
}

var rayCluster = schema.GroupKind{Group: "ray.io", Kind: "RayCluster"}
