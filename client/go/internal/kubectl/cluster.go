package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/controller/record"
)

// cluster reads what a story needs.
type cluster struct {
	client    client.Client
	mapper    meta.RESTMapper
	config    *rest.Config
	namespace string
}

func newCluster(flags *genericclioptions.ConfigFlags) (*cluster, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	// Knows short names such as "po" and "wl".
	mapper, err := flags.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	known := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(known), record.AddToScheme(known)); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: known, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	return &cluster{client: c, mapper: mapper, config: config, namespace: namespace}, nil
}

// gathered is what a story is told from.
type gathered struct {
	objects []runtime.Object
	notes   []string
	// One workload: its report, for a service that is asked without the binary.
	report *mulligan.Report
	// Several: the object of each.
	workloads []client.Object
	reader    client.Reader
}

func (c *cluster) gather(ctx context.Context, name objectName) (*gathered, error) {
	obj, err := c.get(ctx, name)
	if err != nil {
		return nil, err
	}
	report, err := mulligan.Gather(ctx, c.client, obj)
	if err != nil {
		return nil, err
	}
	found := &gathered{objects: report.Objects(), notes: report.Notes(), report: report, reader: c.client}
	workload := report.Workload()
	rec, err := c.recordOf(ctx, workload)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		found.notes = append(found.notes, retried(workload)...)
		return found, nil
	}
	trust(append(slices.Clone(found.objects), workload), rec)
	found.notes = append(found.notes, standOf(workload, rec, time.Now())...)
	return found, nil
}

// retried says where the story of a workload goes on that mulligan-controller has
// started again, as far as the copy says.
func retried(workload client.Object) []string {
	next := workload.GetAnnotations()[record.RetriedAs]
	if next == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s has been started again as %s", workload.GetName(), next)}
}

// get reads the object that a person named: kind, plural or short name, with a
// group behind a dot where several have it.
func (c *cluster) get(ctx context.Context, name objectName) (client.Object, error) {
	gvk, err := c.kindOf(name.kind)
	if err != nil {
		return nil, err
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	if err := c.client.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: name.name}, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

func (c *cluster) kindOf(word string) (schema.GroupVersionKind, error) {
	resource, group := schema.ParseResourceArg(strings.ToLower(word))
	if resource == nil {
		resource = &schema.GroupVersionResource{Group: group.Group, Resource: group.Resource}
	}
	gvk, err := c.mapper.KindFor(*resource)
	if meta.IsNoMatchError(err) {
		return gvk, fmt.Errorf("the cluster has no kind %q, expected one such as job, pod, jobset, rayjob, trainjob, pytorchjob, workload or sparkapplication", word)
	}
	return gvk, err
}

// What a table of a namespace is made of, the first for each kind that is served.
// Nodes are left out: they belong to nobody.
var tableKinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Pod"},
	{Version: "v1", Kind: "Event"},
	{Group: "batch", Version: "v1", Kind: "Job"},
	{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet"},
	{Group: "ray.io", Version: "v1", Kind: "RayJob"},
	{Group: "ray.io", Version: "v1", Kind: "RayCluster"},
	{Group: "trainer.kubeflow.org", Version: "v1alpha1", Kind: "TrainJob"},
	{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload"},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "Workload"},
	{Group: "sparkoperator.k8s.io", Version: "v1beta2", Kind: "SparkApplication"},
	{Group: "kubeflow.org", Version: "v1", Kind: "PyTorchJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "TFJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "MPIJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "XGBoostJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "PaddleJob"},
	{Group: "kubeflow.org", Version: "v1", Kind: "JAXJob"},
}

// pageSize bounds one answer of the API server.
const pageSize = 500

func (c *cluster) gatherAll(ctx context.Context, allNamespaces bool) (*gathered, error) {
	in := c.namespace
	if allNamespaces {
		in = metav1.NamespaceAll
	}
	found := &gathered{reader: c.client}
	// Whether all objects of a kind are there, for the kinds that were asked for.
	listed := map[schema.GroupKind]bool{}
	for _, gvk := range tableKinds {
		if _, asked := listed[gvk.GroupKind()]; asked {
			continue
		}
		items, err := c.list(ctx, gvk, in)
		switch {
		case isNotServed(err):
			continue
		case apierrors.IsForbidden(err):
			found.notes = append(found.notes, fmt.Sprintf("%s may not be listed: %v", gvk.Kind, err))
		case err != nil:
			return nil, fmt.Errorf("listing %s: %w", gvk.Kind, err)
		}
		listed[gvk.GroupKind()] = err == nil
		for _, item := range items {
			found.objects = append(found.objects, item)
			if isRoot(item) {
				found.workloads = append(found.workloads, item)
			}
		}
	}
	found.objects = withoutPastEvents(found.objects, listed)
	if len(found.objects) == 0 {
		where := "namespace " + in
		if allNamespaces {
			where = "any namespace"
		}
		return nil, fmt.Errorf("there is no batch work in %s", where)
	}
	return found, nil
}

// withoutPastEvents leaves out the events about objects that are gone, of kinds of
// which all objects are there: they tell of no workload in the table.
func withoutPastEvents(objects []runtime.Object, listed map[schema.GroupKind]bool) []runtime.Object {
	there := map[string]bool{}
	for _, obj := range objects {
		if accessor, err := meta.Accessor(obj); err == nil {
			there[string(accessor.GetUID())] = true
		}
	}
	return slices.DeleteFunc(objects, func(obj runtime.Object) bool {
		event, ok := obj.(*unstructured.Unstructured)
		if !ok || event.GetKind() != "Event" {
			return false
		}
		about, _, _ := unstructured.NestedStringMap(event.Object, "involvedObject")
		kind := schema.FromAPIVersionAndKind(about["apiVersion"], about["kind"]).GroupKind()
		return listed[kind] && about["uid"] != "" && !there[about["uid"]]
	})
}

func (c *cluster) list(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]client.Object, error) {
	var items []client.Object
	page := &unstructured.UnstructuredList{}
	for {
		page.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		err := c.client.List(ctx, page, client.InNamespace(namespace), client.Limit(pageSize), client.Continue(page.GetContinue()))
		if err != nil {
			return items, err
		}
		for i := range page.Items {
			items = append(items, page.Items[i].DeepCopy())
		}
		if page.GetContinue() == "" {
			return items, nil
		}
	}
}

func isNotServed(err error) bool {
	var discovery *apiutil.ErrResourceDiscoveryFailed
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) || errors.As(err, &discovery)
}

// isRoot says whether a table has a line for obj: a workload that no other kind of
// the table owns.
func isRoot(obj client.Object) bool {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "Event" || kind == "Workload" {
		return false
	}
	owner := metav1.GetControllerOf(obj)
	return owner == nil || !slices.ContainsFunc(tableKinds, func(gvk schema.GroupVersionKind) bool {
		return gvk.Kind == owner.Kind && gvk.GroupVersion().Group == schema.FromAPIVersionAndKind(owner.APIVersion, "").Group
	})
}

// asJSON writes an object as kubectl prints it, with its kind, which typed clients
// leave out, and without managedFields.
func asJSON(obj runtime.Object) ([]byte, error) {
	copied := obj.DeepCopyObject()
	switch copied.(type) {
	case *corev1.Pod:
		copied.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	case *corev1.Node:
		copied.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Node"))
	case *corev1.Event:
		copied.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Event"))
	case *batchv1.Job:
		copied.GetObjectKind().SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	}
	if accessor, err := meta.Accessor(copied); err == nil {
		accessor.SetManagedFields(nil)
	}
	return json.Marshal(copied)
}
