package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader reads pods, nodes and events, of which there are many and which lists in
// the API server would go through for every failure, from what is watched anyway,
// and everything else as it is now: a decision is about that.
type reader struct {
	watched, live client.Reader
}

func (r reader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	switch obj.(type) {
	case *corev1.Pod, *corev1.Node:
		return r.watched.Get(ctx, key, obj, opts...)
	}
	return r.live.Get(ctx, key, obj, opts...)
}

func (r reader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	switch list.(type) {
	case *corev1.PodList, *corev1.EventList:
		return r.watched.List(ctx, list, opts...)
	}
	return r.live.List(ctx, list, opts...)
}

// Events are found by whom they are about.
const eventSubject = "involvedObject.uid"

func subjectOf(obj client.Object) []string {
	event, ok := obj.(*corev1.Event)
	if !ok {
		return nil
	}
	return []string{string(event.InvolvedObject.UID)}
}
