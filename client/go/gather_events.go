package mulligan

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// Events about more objects are fetched in one call for the namespace.
	maxEventCalls = 10
	// The most events fetched of a namespace.
	maxListedEvents = 5000
	// Events about nodes are here, with the node's name as UID.
	nodeEventNamespace = metav1.NamespaceDefault
)

// events fetches the events about the gathered objects.
func (g *gatherer) events(ctx context.Context, root client.Object) error {
	var subjects, nodes []types.UID
	for _, subject := range g.subjects {
		if subject.GetUID() != "" && !slices.Contains(subjects, subject.GetUID()) {
			subjects = append(subjects, subject.GetUID())
		}
	}
	for _, pod := range g.pods {
		if uid := types.UID(pod.Spec.NodeName); uid != "" && !slices.Contains(nodes, uid) {
			nodes = append(nodes, uid)
		}
	}
	since := g.lastChange(root)
	found, err := g.eventsAbout(ctx, root.GetNamespace(), since, subjects)
	if err != nil {
		return err
	}
	ofNodes, err := g.eventsAbout(ctx, nodeEventNamespace, since, nodes)
	if err != nil {
		return err
	}
	g.takeEvents(append(found, ofNodes...))
	return nil
}

func (g *gatherer) takeEvents(found []corev1.Event) {
	found = slices.DeleteFunc(found, isOwn)
	// Warnings first, then the latest.
	slices.SortStableFunc(found, func(a, b corev1.Event) int {
		return cmp.Or(cmp.Compare(b.Type, a.Type), lastSeen(&b).Compare(lastSeen(&a)))
	})
	if left := len(found) - MaxGatheredEvents; left > 0 {
		g.note("%d of %d events were left out, those that are no warnings and the oldest first", left, len(found))
		found = found[:MaxGatheredEvents]
	}
	for i := range found {
		g.report.Add(&found[i])
	}
}

// isOwn returns whether mulligan-controller or a recipe emitted an event. Those quote
// failures that were decided about, so they are not evidence of another.
func isOwn(event corev1.Event) bool {
	return cmp.Or(event.Source.Component, event.ReportingController) == "mulligan-controller" ||
		strings.HasPrefix(event.Reason, "Mulligan")
}

func (g *gatherer) eventsAbout(ctx context.Context, namespace string, since time.Time, uids []types.UID) ([]corev1.Event, error) {
	if len(uids) == 0 {
		return nil, nil
	}
	if g.shared != nil {
		found, all, err := g.sharedEvents(ctx, namespace, since, uids)
		if all || err != nil {
			return found, g.tolerate(err, "events in "+namespace)
		}
	}
	if len(uids) <= maxEventCalls {
		found, supported, err := g.eventsOneByOne(ctx, namespace, uids)
		if supported || err != nil {
			return found, err
		}
	}
	events, err := g.listEvents(ctx, namespace)
	if err := g.tolerate(err, "events in "+namespace); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(events, func(event corev1.Event) bool {
		return !slices.Contains(uids, event.InvolvedObject.UID)
	}), nil
}

func (g *gatherer) listEvents(ctx context.Context, namespace string) ([]corev1.Event, error) {
	var events corev1.EventList
	err := g.reader.List(ctx, &events, client.InNamespace(namespace), client.Limit(maxListedEvents))
	return events.Items, err
}

// sharedEvents reads one list for all questions of the namespace. It costs the API server
// as much as the events of one object, for which it also reads all. It returns false if
// there are more than maxListedEvents.
func (g *gatherer) sharedEvents(ctx context.Context, namespace string, since time.Time, uids []types.UID) ([]corev1.Event, bool, error) {
	about, err := remembered(ctx, g.shared, "events in "+namespace, since, func() (map[types.UID][]corev1.Event, error) {
		events, err := g.listEvents(ctx, namespace)
		if err != nil || len(events) >= maxListedEvents {
			return nil, err
		}
		about := map[types.UID][]corev1.Event{}
		for _, event := range events {
			about[event.InvolvedObject.UID] = append(about[event.InvolvedObject.UID], event)
		}
		return about, nil
	})
	var found []corev1.Event
	for _, uid := range uids {
		found = append(found, about[uid]...)
	}
	return found, about != nil, err
}

// eventsOneByOne returns false if the reader is a cache without the index.
func (g *gatherer) eventsOneByOne(ctx context.Context, namespace string, uids []types.UID) ([]corev1.Event, bool, error) {
	var found []corev1.Event
	for _, uid := range uids {
		var events corev1.EventList
		err := g.reader.List(ctx, &events, client.InNamespace(namespace), client.MatchingFields{"involvedObject.uid": string(uid)})
		if err != nil && ctx.Err() == nil && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
			return nil, false, nil
		}
		if err := g.tolerate(err, "events in "+namespace); err != nil {
			return nil, false, err
		}
		found = append(found, events.Items...)
	}
	return found, true, nil
}

// lastSeen returns the latest time of an event of either form.
func lastSeen(event *corev1.Event) time.Time {
	latest := event.CreationTimestamp.Time
	times := []time.Time{event.FirstTimestamp.Time, event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, t := range times {
		if t.After(latest) {
			latest = t
		}
	}
	return latest
}
