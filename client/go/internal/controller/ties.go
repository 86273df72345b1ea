package controller

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/kinds"
)

// Ties remember the first known owners of pods and workloads: their controller, and the
// labels by which operators find their pods. Clients with patch rights could change
// both, to have an object judged by another's pods, or to give a part of a workload its
// own account. Here the ties stay for the object's lifetime. A new process believes
// what it finds.
type Ties struct {
	lock  sync.Mutex
	first map[types.UID]tie
}

type tie struct {
	controller metav1.OwnerReference
	// Only of pods.
	labels map[string]string
}

// NewTies returns empty Ties.
func NewTies() *Ties { return &Ties{first: map[types.UID]tie{}} }

// Transform prepares each object, of any version, for the cache.
func (t *Ties) Transform(obj any) (any, error) {
	slim(obj)
	if tied, ok := obj.(client.Object); ok && hasTies(tied) {
		t.see(tied)
		return tied, t.restore(tied)
	}
	return obj, nil
}

func hasTies(obj client.Object) bool {
	if _, isPod := obj.(*corev1.Pod); isPod {
		return true
	}
	gk := obj.GetObjectKind().GroupVersionKind().GroupKind()
	return kinds.ByGroupKind(gk) != nil || gk == rayCluster
}

func (t *Ties) see(obj client.Object) {
	controller := metav1.GetControllerOf(obj)
	if controller == nil {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if _, known := t.first[obj.GetUID()]; known {
		return
	}
	seen := tie{controller: *controller}
	if _, isPod := obj.(*corev1.Pod); isPod {
		seen.labels = obj.GetLabels()
	}
	t.first[obj.GetUID()] = seen
}

// restore gives an object the ties that it was first seen with.
func (t *Ties) restore(obj runtime.Object) error {
	o, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	t.lock.Lock()
	first, known := t.first[o.GetUID()]
	t.lock.Unlock()
	if !known {
		return nil
	}
	if _, isPod := obj.(*corev1.Pod); isPod {
		o.SetLabels(first.labels)
	}
	owners := slices.DeleteFunc(slices.Clone(o.GetOwnerReferences()), func(owner metav1.OwnerReference) bool {
		return ptr.Deref(owner.Controller, false)
	})
	o.SetOwnerReferences(append(owners, first.controller))
	return nil
}

// forget frees the memory of a deleted object.
func (t *Ties) forget(obj any) {
	if last, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = last.Obj
	}
	if o, err := meta.Accessor(obj); err == nil {
		t.lock.Lock()
		delete(t.first, o.GetUID())
		t.lock.Unlock()
	}
}
