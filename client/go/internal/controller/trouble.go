package controller

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
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

// owners finds whose pods are, for all kinds together: each of them is told of every pod.
type owners struct {
	watched, live client.Reader
	// UIDs of controllers of pods that lead to no workload, or are gone: a UID does not
	// come back, and whose an object is does not change (Ties).
	lock    sync.Mutex
	nobodys *lru.Cache
}

// Controllers that are kept in mind, such as clusters of which many pods are left.
const maxNobodys = 4096

func newOwners(watched, live client.Reader) *owners {
	return &owners{watched: watched, live: live, nobodys: lru.New(maxNobodys)}
}

// of returns the workload of a pod. Nil: there is none.
func (o *owners) of(ctx context.Context, pod client.Object) (*metav1.OwnerReference, error) {
	owner, err := workloadOf(ctx, o.watched, pod)
	controller := metav1.GetControllerOf(pod)
	if err != nil || owner != nil || controller == nil {
		return owner, err
	}
	// One asks, the others wait for what it finds.
	o.lock.Lock()
	defer o.lock.Unlock()
	if _, known := o.nobodys.Get(controller.UID); known {
		return nil, nil
	}
	// What lies between may be too new to be found in what is watched.
	owner, err = workloadOf(ctx, o.live, pod)
	if err == nil && owner == nil {
		o.nobodys.Add(controller.UID, nil)
	}
	return owner, err
}
