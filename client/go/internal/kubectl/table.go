package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"

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

// maxTableBytes is what the binary takes.
const maxTableBytes = 256 << 20

// table is what several workloads are told from. The objects are kept as they are told:
// of thousands of pods Go's own copies would be ten times as large.
type table struct {
	// Their JSON, with a comma behind each.
	text bytes.Buffer
	// Only what these own, and the owned own; nil: everything.
	owners map[types.UID]bool
	// The objects in it, but for events.
	there map[types.UID]bool
	// The nodes that its pods are on.
	nodes map[string]bool
	// Kinds of which all objects were looked at, for those that were asked for.
	listed map[schema.GroupKind]bool
	// Another one when an object has changed.
	version uint64
	notes   []string
}

// gatherAll is of a namespace, or of all of them.
func (c *cluster) gatherAll(ctx context.Context, allNamespaces bool) (*gathered, error) {
	in, where := c.namespace, "namespace "+c.namespace
	if allNamespaces {
		in, where = metav1.NamespaceAll, "any namespace"
	}
	t, err := c.fill(ctx, in, nil)
	if err == nil && len(t.there) == 0 {
		err = fmt.Errorf("there is no batch work in %s", where)
	}
	if err != nil {
		return nil, err
	}
	return &gathered{table: t, notes: t.notes}, nil
}

func isCronJob(obj client.Object) bool {
	return obj.GetObjectKind().GroupVersionKind().GroupKind() == schema.GroupKind{Group: "batch", Kind: "CronJob"}
}

// gatherRuns is of the Jobs of a CronJob, which is none of the kinds that fail.
func (c *cluster) gatherRuns(ctx context.Context, cron client.Object) (*gathered, error) {
	t, err := c.fill(ctx, cron.GetNamespace(), map[types.UID]bool{cron.GetUID(): true})
	if err == nil && len(t.there) == 0 {
		err = fmt.Errorf("CronJob %s has no Jobs: none has begun yet, or their history is deleted", cron.GetName())
	}
	if err != nil {
		return nil, err
	}
	return &gathered{table: t, notes: t.notes}, nil
}

func (c *cluster) fill(ctx context.Context, namespace string, owners map[types.UID]bool) (*table, error) {
	if c.noBinary != nil {
		return nil, fmt.Errorf("several workloads: %w, or ask about one (%s)", c.noBinary, nameOne)
	}
	t := &table{owners: owners, there: map[types.UID]bool{}, nodes: map[string]bool{}, listed: map[schema.GroupKind]bool{}}
	for _, kind := range reportkinds.All {
		if kind.Name == "Node" && !c.nodes {
			continue
		}
		if err := c.fillWithServed(ctx, t, kind, namespace); err != nil {
			return nil, fmt.Errorf("listing %s: %w", kind.Name, err)
		}
	}
	return t, nil
}

// fillWithServed adds a kind in the first of its versions that is served. One that may not
// be listed is left out with a note.
func (c *cluster) fillWithServed(ctx context.Context, t *table, kind reportkinds.Kind, namespace string) error {
	for _, version := range kind.Versions {
		gvk := schema.GroupVersionKind{Group: kind.Group, Version: version, Kind: kind.Name}
		err := c.fillWith(ctx, t, gvk, namespace)
		if isNotServed(err) {
			continue
		}
		t.listed[gvk.GroupKind()] = err == nil
		if apierrors.IsForbidden(err) {
			t.notes = append(t.notes, fmt.Sprintf("%s may not be listed: %v", gvk.Kind, err))
			return nil
		}
		return err
	}
	return nil
}

// How often a kind is begun anew in one go: who needs longer than pages last would never end.
const mostAnew = 3

// fillWith adds a kind. Where a page has expired, which is so some minutes after the first,
// the kind is listed again.
func (c *cluster) fillWith(ctx context.Context, t *table, gvk schema.GroupVersionKind, namespace string) error {
	before := t.mark()
	var err error
	for range mostAnew {
		err = c.eachPage(ctx, gvk, namespace, &unstructured.UnstructuredList{}, func(page client.ObjectList) error {
			return meta.EachListItem(page, func(item runtime.Object) error { return t.take(item.(*unstructured.Unstructured)) })
		})
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return err
		}
		t.backTo(before)
		t.notes = append(t.notes, fmt.Sprintf("pages of %s have expired: it was listed anew", gvk.Kind))
	}
	return fmt.Errorf("%w, %d times; expected fewer objects: ask about one namespace", err, mostAnew)
}

// eachPage calls use with every page of a kind's objects, lists as `like` is.
func (c *cluster) eachPage(ctx context.Context, gvk schema.GroupVersionKind, namespace string, like client.ObjectList, use func(client.ObjectList) error) error {
	like.GetObjectKind().SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return eachPage(ctx, c.client.Client, like, []client.ListOption{client.InNamespace(namespace)}, use)
}

// tableMark is how much a table had.
type tableMark struct {
	text          int
	version       uint64
	there, owners map[types.UID]bool
	nodes         map[string]bool
}

func (t *table) mark() tableMark {
	return tableMark{text: t.text.Len(), version: t.version, there: maps.Clone(t.there), owners: maps.Clone(t.owners), nodes: maps.Clone(t.nodes)}
}

// backTo drops what came after a mark.
func (t *table) backTo(m tableMark) {
	t.text.Truncate(m.text)
	t.version = m.version
	t.there, t.owners, t.nodes = maps.Clone(m.there), maps.Clone(m.owners), maps.Clone(m.nodes)
}

// take adds an object that belongs here.
func (t *table) take(obj *unstructured.Unstructured) error {
	if !t.belongs(obj) {
		return nil
	}
	if obj.GetKind() != "Event" {
		t.there[obj.GetUID()] = true
	}
	if node, _, _ := unstructured.NestedString(obj.Object, "spec", "nodeName"); node != "" {
		t.nodes[node] = true
	}
	// The half of a node that is not read.
	unstructured.RemoveNestedField(obj.Object, "status", "images")
	if t.owners != nil {
		t.owners[obj.GetUID()] = true
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, t.version, obj.GetUID(), obj.GetResourceVersion())
	t.version = sum.Sum64()
	text, err := asJSON(obj)
	if err != nil {
		return err
	}
	if t.text.Len()+len(text) > maxTableBytes {
		return fmt.Errorf("there is more than %d MiB of objects, expected less: ask about one namespace or one workload", maxTableBytes>>20)
	}
	t.text.Write(append(text, ','))
	return nil
}

// belongs leaves out what others own, nodes that no pod is on, and events about objects that are not in the table
// though all of their kind are: they tell of no workload in it.
func (t *table) belongs(obj *unstructured.Unstructured) bool {
	if obj.GetKind() == "Node" {
		return t.nodes[obj.GetName()]
	}
	if obj.GetKind() != "Event" {
		owner := metav1.GetControllerOf(obj)
		return t.owners == nil || owner != nil && t.owners[owner.UID]
	}
	about, _, _ := unstructured.NestedStringMap(obj.Object, "involvedObject")
	uid := types.UID(about["uid"])
	if t.owners != nil {
		return t.owners[uid]
	}
	kind := schema.FromAPIVersionAndKind(about["apiVersion"], about["kind"]).GroupKind()
	return !t.listed[kind] || uid == "" || t.there[uid]
}

// list is one list of the objects, as kubectl prints it.
func (t *table) list() io.Reader {
	return io.MultiReader(
		bytes.NewReader([]byte(`{"apiVersion":"v1","kind":"List","items":[`)),
		bytes.NewReader(bytes.TrimSuffix(t.text.Bytes(), []byte(","))),
		bytes.NewReader([]byte("]}\n")))
}

func isNotServed(err error) bool {
	var discovery *apiutil.ErrResourceDiscoveryFailed
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || errors.As(err, &discovery)
}
