package controller

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/kinds"
)

// How many owners there can be between a pod and its workload: a TrainJob's pod has
// Job, JobSet and TrainJob.
const maxOwners = 4

// workloadOf follows the controllers of an object to the workload that none of the
// kinds owns. Nil: there is none.
func workloadOf(ctx context.Context, reader client.Reader, obj client.Object) (*metav1.OwnerReference, error) {
	var top *metav1.OwnerReference
	owner := metav1.GetControllerOf(obj)
	for range maxOwners {
		if owner == nil {
			return top, nil
		}
		var next client.Object
		if known := kinds.ByGroupKind(kindOf(owner)); known != nil {
			// As it is watched, so that there is one cache of it.
			next, top = newObject(known), owner
		} else if kindOf(owner) == rayCluster {
			next = &metav1.PartialObjectMetadata{}
			next.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
		} else {
			return top, nil
		}
		key := types.NamespacedName{Namespace: obj.GetNamespace(), Name: owner.Name}
		if err := reader.Get(ctx, key, next); err != nil || next.GetUID() != owner.UID {
			return top, client.IgnoreNotFound(err)
		}
		owner = metav1.GetControllerOf(next)
	}
	return top, nil
}
