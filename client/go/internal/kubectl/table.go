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

// maxTableBytes is the most input that the binary reads.
const maxTableBytes = 256 << 20

// table has the objects of several workloads, as JSON, because Go structs of thousands of
// pods would be ten times as large.
type table struct {
	// A comma follows each object.
	text bytes.Buffer
	// Only objects that these own, directly or not; nil for all.
	owners map[types.UID]bool
	// The objects in the table, except events.
	there map[types.UID]bool
	// The nodes of its pods.
	nodes map[string]bool
	// Kinds of which all objects were listed.
	listed map[schema.GroupKind]bool
	// Changes with every object.
	version uint64
	notes   []string
}

// gatherAll gathers the work of the current namespace, or of all.
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

// gatherRuns gathers the Jobs of a CronJob, which itself cannot fail.
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

// fillWithServed adds a kind in its first version that is served. A kind that may not be
// listed is left out with a note.
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

// How often a kind is listed if its pages expire meanwhile.
const maxListings = 3

// fillWith adds a kind. Pages expire some minutes after the first; then the kind is
// listed again.
func (c *cluster) fillWith(ctx context.Context, t *table, gvk schema.GroupVersionKind, namespace string) error {
	before := t.mark()
	var err error
	for range maxListings {
		err = c.eachPage(ctx, gvk, namespace, &unstructured.UnstructuredList{}, func(page client.ObjectList) error {
			return meta.EachListItem(page, func(item runtime.Object) error { return t.take(item.(*unstructured.Unstructured)) })
		})
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return err
		}
		t.backTo(before)
		t.notes = append(t.notes, fmt.Sprintf("pages of %s have expired: it was listed again", gvk.Kind))
	}
	return fmt.Errorf("%w, %d times; expected fewer objects: ask about one namespace", err, maxListings)
}

// eachPage calls use with every page of a kind's objects, each a list of like's type.
func (c *cluster) eachPage(ctx context.Context, gvk schema.GroupVersionKind, namespace string, like client.ObjectList, use func(client.ObjectList) error) error {
	like.GetObjectKind().SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return eachPage(ctx, c.client.Client, like, []client.ListOption{client.InNamespace(namespace)}, use)
}

// tableMark is an earlier state of a table.
type tableMark struct {
	text          int
	version       uint64
	there, owners map[types.UID]bool
	nodes         map[string]bool
}

func (t *table) mark() tableMark {
	return tableMark{text: t.text.Len(), version: t.version, there: maps.Clone(t.there), owners: maps.Clone(t.owners), nodes: maps.Clone(t.nodes)}
}

// backTo drops the objects that were added after a mark.
func (t *table) backTo(m tableMark) {
	t.text.Truncate(m.text)
	t.version = m.version
	t.there, t.owners, t.nodes = maps.Clone(m.there), maps.Clone(m.owners), maps.Clone(m.nodes)
}

// take adds an object if it belongs to the table.
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
	// Unused, and half of a node.
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

// belongs returns false for objects of other owners, nodes without a pod in the table,
// and events about objects that are not in it although all of their kind were listed.
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

// list returns the objects as one list, as kubectl prints it.
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
