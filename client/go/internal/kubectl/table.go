package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan"
)

// What a table is made of: owners before what they own, and events last. Of versions of
// a kind the first that is served.
var tableKinds = []schema.GroupVersionKind{
	{Group: "ray.io", Version: "v1", Kind: "RayJob"},
	{Group: "ray.io", Version: "v1", Kind: "RayCluster"},
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob"},
	{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet"},
	{Group: "sparkoperator.k8s.io", Version: "v1beta2", Kind: "SparkApplication"},
	{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "TFJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "MPIJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "XGBoostJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "PaddleJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "JAXJob"},
	{Group: "batch", Version: "v1", Kind: "Job"},
	{Version: "v1", Kind: "Pod"},
	{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload"},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "Workload"},
	{Version: "v1", Kind: "Event"},
}

// nodeKind is asked for where what a node is like counts, after the Events about any.
var nodeKind = schema.GroupVersionKind{Version: "v1", Kind: "Node"}

// maxTableBytes is what the binary takes.
const maxTableBytes = 256 << 20

// table is what several workloads are told from. The objects are kept as they are told:
// of thousands of pods Go's own copies would be ten times as large.
type table struct {
	// Their JSON, with a comma behind each; nil: nobody reads it, and no more than
	// metadata is asked for.
	text *bytes.Buffer
	// A line for each of these.
	workloads []client.Object
	// Only what these own, and the owned own; nil: everything.
	owners map[types.UID]bool
	// The objects in it.
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
		err = errors.Join(c.journal.remove(), fmt.Errorf("there is no batch work in %s", where))
	}
	if err != nil {
		return nil, err
	}
	return &gathered{table: t, notes: t.notes, reader: c.client}, nil
}

func isCronJob(obj client.Object) bool {
	return obj.GetObjectKind().GroupVersionKind().GroupKind() == schema.GroupKind{Group: "batch", Kind: "CronJob"}
}

// gatherRuns is of the Jobs of a CronJob, which is none of the kinds that fail.
func (c *cluster) gatherRuns(ctx context.Context, cron client.Object) (*gathered, error) {
	t, err := c.fill(ctx, cron.GetNamespace(), map[types.UID]bool{cron.GetUID(): true})
	if err == nil && len(t.workloads) == 0 {
		err = fmt.Errorf("CronJob %s has no Jobs: none has begun yet, or their history is deleted", cron.GetName())
	}
	if err != nil {
		return nil, err
	}
	return &gathered{table: t, notes: t.notes, reader: c.client}, nil
}

func (c *cluster) fill(ctx context.Context, namespace string, owners map[types.UID]bool) (*table, error) {
	t := &table{owners: owners, there: map[types.UID]bool{}, nodes: map[string]bool{}, listed: map[schema.GroupKind]bool{}}
	if !c.metadataOnly {
		t.text = &bytes.Buffer{}
	}
	kinds := tableKinds
	if c.nodes {
		kinds = append(slices.Clone(kinds), nodeKind)
	}
	for _, gvk := range kinds {
		if _, asked := t.listed[gvk.GroupKind()]; asked || t.text == nil && gvk.Kind == "Event" {
			continue
		}
		err := c.fillWith(ctx, t, gvk, namespace)
		switch {
		case isNotServed(err):
			continue
		case apierrors.IsForbidden(err):
			t.notes = append(t.notes, fmt.Sprintf("%s may not be listed: %v", gvk.Kind, err))
		case err != nil:
			return nil, fmt.Errorf("listing %s: %w", gvk.Kind, err)
		}
		t.listed[gvk.GroupKind()] = err == nil
	}
	return t, nil
}

// How often a kind is begun anew in one go: who needs longer than pages last would never end.
const mostAnew = 3

// fillWith adds a kind: what the journal has of it, then the pages that follow. Where a
// page has expired, which is so some minutes after the first, the kind is begun anew.
func (c *cluster) fillWith(ctx context.Context, t *table, gvk schema.GroupVersionKind, namespace string) error {
	before := t.mark()
	take := func(page client.ObjectList) error {
		c.progress.listed(gvk.Kind, meta.LenList(page))
		return meta.EachListItem(page, func(item runtime.Object) error { return t.take(item.(client.Object)) })
	}
	from, kept, err := c.journal.of(gvk, take)
	if err != nil || kept && from == "" {
		return err
	}
	for range mostAnew {
		err = c.eachPage(ctx, gvk, namespace, from, t.text == nil, func(page client.ObjectList) error {
			err := take(page)
			if err == nil {
				err = c.journal.keep(gvk, from, page)
			}
			from = page.GetContinue()
			return err
		})
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			return err
		}
		t.backTo(before)
		from = ""
		t.notes = append(t.notes, fmt.Sprintf("pages of %s have expired: it was listed anew", gvk.Kind))
	}
	return fmt.Errorf("%w, %d times; expected fewer objects: ask about one namespace", err, mostAnew)
}

// eachPage calls use with every page of a kind's objects, or of their metadata alone, from
// the page of a token on; empty: the first.
func (c *cluster) eachPage(ctx context.Context, gvk schema.GroupVersionKind, namespace, from string, metadataOnly bool, use func(client.ObjectList) error) error {
	var like client.ObjectList = &unstructured.UnstructuredList{}
	if metadataOnly {
		like = &metav1.PartialObjectMetadataList{}
	}
	like.GetObjectKind().SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	options := []client.ListOption{client.InNamespace(namespace), client.Continue(from)}
	return eachPage(ctx, c.client.Client, like, options, func(page client.ObjectList) error {
		err := meta.EachListItem(page, func(item runtime.Object) error {
			// Metadata comes without its kind.
			item.GetObjectKind().SetGroupVersionKind(gvk)
			return nil
		})
		if err != nil {
			return err
		}
		return use(page)
	})
}

// tableMark is how much a table had.
type tableMark struct {
	text, workloads int
	version         uint64
	there, owners   map[types.UID]bool
	nodes           map[string]bool
}

func (t *table) mark() tableMark {
	m := tableMark{workloads: len(t.workloads), version: t.version, there: maps.Clone(t.there), owners: maps.Clone(t.owners), nodes: maps.Clone(t.nodes)}
	if t.text != nil {
		m.text = t.text.Len()
	}
	return m
}

// backTo drops what came after a mark.
func (t *table) backTo(m tableMark) {
	t.workloads, t.version = t.workloads[:m.workloads], m.version
	t.there, t.owners, t.nodes = maps.Clone(m.there), maps.Clone(m.owners), maps.Clone(m.nodes)
	if t.text != nil {
		t.text.Truncate(m.text)
	}
}

// take adds an object that belongs here.
func (t *table) take(obj client.Object) error {
	if !t.belongs(obj) {
		return nil
	}
	t.there[obj.GetUID()] = true
	if of, ok := obj.(*unstructured.Unstructured); ok {
		if node, _, _ := unstructured.NestedString(of.Object, "spec", "nodeName"); node != "" {
			t.nodes[node] = true
		}
		// The half of a node that nobody reads.
		unstructured.RemoveNestedField(of.Object, "status", "images")
	}
	if t.owners != nil {
		t.owners[obj.GetUID()] = true
	}
	if isRoot(obj) {
		workload := &metav1.PartialObjectMetadata{}
		workload.SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
		workload.SetNamespace(obj.GetNamespace())
		workload.SetName(obj.GetName())
		t.workloads = append(t.workloads, workload)
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, t.version, obj.GetUID(), obj.GetResourceVersion())
	t.version = sum.Sum64()
	if t.text == nil {
		return nil
	}
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
func (t *table) belongs(obj client.Object) bool {
	if obj.GetObjectKind().GroupVersionKind() == nodeKind {
		return t.nodes[obj.GetName()]
	}
	event, ok := obj.(*unstructured.Unstructured)
	if !ok || event.GetKind() != "Event" {
		owner := metav1.GetControllerOf(obj)
		return t.owners == nil || owner != nil && t.owners[owner.UID]
	}
	about, _, _ := unstructured.NestedStringMap(event.Object, "involvedObject")
	uid := types.UID(about["uid"])
	if t.owners != nil {
		return t.owners[uid]
	}
	kind := schema.FromAPIVersionAndKind(about["apiVersion"], about["kind"]).GroupKind()
	return !t.listed[kind] || uid == "" || t.there[uid]
}

// reportOf gathers for one line of the table.
func (g *gathered) reportOf(ctx context.Context, line client.Object) (*mulligan.Report, error) {
	workload := &unstructured.Unstructured{}
	workload.SetGroupVersionKind(line.GetObjectKind().GroupVersionKind())
	if err := g.reader.Get(ctx, client.ObjectKeyFromObject(line), workload); err != nil {
		return nil, err
	}
	return mulligan.Gather(ctx, g.reader, workload)
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

// isRoot says whether a table has a line for obj: a workload that no other kind of
// the table owns.
func isRoot(obj client.Object) bool {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "Event" || kind == "Workload" || kind == "Node" {
		return false
	}
	owner := metav1.GetControllerOf(obj)
	return owner == nil || !slices.ContainsFunc(tableKinds, func(gvk schema.GroupVersionKind) bool {
		return gvk.Kind == owner.Kind && gvk.GroupVersion().Group == schema.FromAPIVersionAndKind(owner.APIVersion, "").Group
	})
}
