package controller

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader reads pods, nodes and events from the cache, because there are many and lists
// would load the API server for every failure. It reads everything else live, because
// decisions depend on it. Ownership is always as first seen (Ties).
type reader struct {
	watched, live client.Reader
	ties          *Ties
}

// nowOnly reads everything live.
func (r reader) nowOnly() reader { return reader{r.live, r.live, r.ties} }

func (r reader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	from := r.live
	switch obj.(type) {
	case *corev1.Pod, *corev1.Node:
		from = r.watched
	}
	if err := from.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	return r.ties.restore(obj)
}

func (r reader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	from := r.live
	switch list.(type) {
	case *corev1.PodList, *corev1.EventList:
		from = r.watched
	}
	if err := from.List(ctx, list, opts...); err != nil {
		return err
	}
	if err := meta.EachListItem(list, r.ties.restore); err != nil {
		return err
	}
	asked := (&client.ListOptions{}).ApplyOptions(opts)
	if pods, ok := list.(*corev1.PodList); ok && asked.LabelSelector != nil {
		// Excludes pods that got matching labels later.
		pods.Items = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool {
			return !asked.LabelSelector.Matches(labels.Set(pod.Labels))
		})
	}
	return nil
}

// Events are indexed by the object they are about.
const eventSubject = "involvedObject.uid"

func subjectOf(obj client.Object) []string {
	event, ok := obj.(*corev1.Event)
	if !ok {
		return nil
	}
	return []string{string(event.InvolvedObject.UID)}
}
