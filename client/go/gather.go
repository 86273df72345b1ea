package mulligan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan/internal/reportkinds"
)

// Bounds of [Gather]. Anything beyond is left out, with a note in [Report.Notes].
const (
	// MaxGatheredPods keeps a report within the server's limit (4 MiB). The most
	// informative pods are sent; omitted_pods counts the others.
	MaxGatheredPods = 500
	// MaxGatheredPodBytes bounds the pods' size, for the same reason.
	MaxGatheredPodBytes = 5 << 19
	// MaxGatheredNodes is the most nodes fetched, one call each.
	MaxGatheredNodes = 20
	// MaxGatheredEvents is the most events.
	MaxGatheredEvents = 500
	// MaxGatheredJobs is the most Jobs of a JobSet.
	MaxGatheredJobs = 500
)

// Gather returns a report of the workload that obj belongs to. It follows obj's owners
// to the most senior kind that a report takes. Of that object it fetches the parts (a
// JobSet's Jobs, a RayJob's cluster and submitter, a TrainJob's JobSet), the pods,
// Kueue's Workload, the pods' nodes, and the events about all of these. obj itself is
// not fetched again.
//
// A kind that Mulligan does not know is named as the workload ([Report.For]) and
// decided from the Jobs and pods that it owns.
//
// Kinds that are not installed and deleted objects are left out. So is what the caller
// may not read, with a note in [Report.Notes]. Every other error ends Gather, because a
// verdict on half the evidence would charge the wrong budget.
//
// reader may be a manager's cached client. Reading nodes, events or Workloads through a
// cache starts to watch them; mgr.GetAPIReader() does not. The scheme of reader must
// have the core and batch groups. Other kinds are read unstructured.
func Gather(ctx context.Context, reader client.Reader, obj client.Object) (*Report, error) {
	return gather(ctx, reader, nil, obj)
}

func gather(ctx context.Context, reader client.Reader, shared *memory, obj client.Object) (*Report, error) {
	start, err := typed(obj)
	if err != nil {
		return nil, err
	}
	g := &gatherer{reader: reader, shared: shared, report: NewReport(), start: start}
	root, err := g.root(ctx, start)
	if err != nil {
		return nil, fmt.Errorf("mulligan: gathering for %s: %w", label(obj), err)
	}
	g.report.workload = root
	if root == start {
		g.report.workload = obj
	}
	g.add(root)
	for _, step := range []func(context.Context, client.Object) error{
		g.parts, g.choosePods, g.queue, g.nodes, g.events,
	} {
		if err := step(ctx, root); err != nil {
			return nil, fmt.Errorf("mulligan: gathering for %s: %w", label(obj), err)
		}
	}
	if errs := errors.Join(g.report.errs...); errs != nil {
		return nil, errs
	}
	return g.report, nil
}

// typed converts unstructured Pods and Jobs, whose fields Gather reads.
func typed(obj client.Object) (client.Object, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, nil
	}
	as := newObject(u.GroupVersionKind())
	if _, ok := as.(*unstructured.Unstructured); ok {
		return obj, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, as); err != nil {
		return nil, fmt.Errorf("mulligan: %s: %w", label(obj), err)
	}
	return as, nil
}

type gatherer struct {
	reader client.Reader
	// Nil if nothing is shared with other questions.
	shared *memory
	report *Report
	// The object asked about.
	start client.Object
	// All listed pods; after choosePods the chosen ones.
	pods []*corev1.Pod
	// Objects that events may be about, except nodes.
	subjects []client.Object
}

// add adds an object of the workload.
func (g *gatherer) add(obj client.Object) {
	g.subjects = append(g.subjects, obj)
	gvk := identify(obj)
	if reportkinds.Find(gvk.GroupKind()) == nil {
		g.report.For(obj)
		return
	}
	g.report.Add(obj)
}

func (g *gatherer) note(format string, values ...any) {
	g.report.notes = append(g.report.notes, fmt.Sprintf(format, values...))
}

// The most owners above a pod: Job, JobSet, TrainJob and kinds of users.
const maxOwners = 5

// root returns the most senior owner of obj that a report takes.
func (g *gatherer) root(ctx context.Context, obj client.Object) (client.Object, error) {
	root := obj
	for range maxOwners {
		owner := metav1.GetControllerOf(root)
		if owner == nil {
			break
		}
		gvk := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
		if reportkinds.Find(gvk.GroupKind()) == nil {
			break
		}
		next, err := g.get(ctx, gvk, types.NamespacedName{Namespace: root.GetNamespace(), Name: owner.Name})
		if err != nil {
			return nil, err
		}
		// Another object may have the name by now.
		if next == nil || next.GetUID() != owner.UID {
			break
		}
		root = next
	}
	return root, nil
}

// get returns nil if there is no such object or kind, or it may not be read.
func (g *gatherer) get(ctx context.Context, gvk schema.GroupVersionKind, name types.NamespacedName) (client.Object, error) {
	obj := newObject(gvk)
	what := gvk.Kind + " " + strings.TrimPrefix(name.String(), "/")
	if err := g.tolerate(g.reader.Get(ctx, name, obj), what); err != nil {
		return nil, err
	}
	if obj.GetName() == "" {
		return nil, nil
	}
	return obj, nil
}

// tolerate drops errors that mean that nothing can be read.
func (g *gatherer) tolerate(err error, what string) error {
	var discovery *apiutil.ErrResourceDiscoveryFailed
	switch {
	case err == nil, apierrors.IsNotFound(err), meta.IsNoMatchError(err), runtime.IsNotRegisteredError(err):
		return nil
	case errors.As(err, &discovery):
		return nil
	case apierrors.IsForbidden(err):
		g.note("%s may not be read: %v", what, err)
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// nodes fetches the nodes of the pods, those of broken pods first.
func (g *gatherer) nodes(ctx context.Context, root client.Object) error {
	var names []string
	for _, pod := range g.pods {
		if name := pod.Spec.NodeName; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if left := len(names) - MaxGatheredNodes; left > 0 {
		g.note("%d of %d nodes were left out", left, len(names))
		names = names[:MaxGatheredNodes]
	}
	since := g.lastChange(root)
	for _, name := range names {
		node, err := remembered(ctx, g.shared, "node "+name, since, func() (*corev1.Node, error) {
			node := &corev1.Node{}
			return node, client.IgnoreNotFound(g.reader.Get(ctx, types.NamespacedName{Name: name}, node))
		})
		if err := g.tolerate(err, "Node "+name); err != nil {
			return err
		}
		if node != nil && node.Name != "" {
			g.report.Add(node)
		}
	}
	return nil
}
