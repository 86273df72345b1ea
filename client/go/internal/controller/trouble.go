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

// The most owners between a pod and its workload: a TrainJob's pod has Job, JobSet and
// TrainJob.
const maxOwners = 4

// workloadOf follows the controllers of an object to the topmost known workload; nil if
// there is none.
func workloadOf(ctx context.Context, reader client.Reader, obj client.Object) (*metav1.OwnerReference, error) {
	var top *metav1.OwnerReference
	owner := metav1.GetControllerOf(obj)
	for range maxOwners {
		if owner == nil {
			return top, nil
		}
		var next client.Object
		if known := kinds.ByGroupKind(kindOf(owner)); known != nil {
			// As it is watched, so that there is only one cache of it.
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

// owners finds the workloads of pods, for all kinds, because each kind's controller
// sees every pod.
type owners struct {
	watched, live client.Reader
	// Namespaces and UIDs of pods' controllers without a workload, or deleted. This is
	// final: UIDs are not reused, and ownership does not change (Ties). Pods of other
	// namespaces may name any UID.
	lock    sync.Mutex
	unowned *lru.Cache
}

// The most controllers that are remembered, such as deleted ones with many pods left.
const maxUnowned = 4096

func newOwners(watched, live client.Reader) *owners {
	return &owners{watched: watched, live: live, unowned: lru.New(maxUnowned)}
}

// of returns the workload of a pod; nil if there is none.
func (o *owners) of(ctx context.Context, pod client.Object) (*metav1.OwnerReference, error) {
	owner, err := workloadOf(ctx, o.watched, pod)
	controller := metav1.GetControllerOf(pod)
	if err != nil || owner != nil || controller == nil {
		return owner, err
	}
	// One caller asks, and the others wait for its result.
	o.lock.Lock()
	defer o.lock.Unlock()
	key := client.ObjectKey{Namespace: pod.GetNamespace(), Name: string(controller.UID)}
	if _, known := o.unowned.Get(key); known {
		return nil, nil
	}
	// Owners in between may be too new for the cache.
	owner, err = workloadOf(ctx, o.live, pod)
	if err == nil && owner == nil {
		o.unowned.Add(key, nil)
	}
	return owner, err
}
