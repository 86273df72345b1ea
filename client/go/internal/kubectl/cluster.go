package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/controller/records"
)

// cluster reads the objects that an explanation needs.
type cluster struct {
	client    paged
	mapper    meta.RESTMapper
	config    *rest.Config
	namespace string
	// Why there is no binary; nil if there is one. Several workloads need it.
	noBinary error
	// Adds the nodes of its pods to a table.
	nodes bool
	// Nil if logs are not read.
	logs mulligan.LogReader
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
	if err := errors.Join(clientgoscheme.AddToScheme(known), records.AddToScheme(known)); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: known, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	return &cluster{client: paged{c}, mapper: mapper, config: config, namespace: namespace}, nil
}

// gathered is the input of an explanation.
type gathered struct {
	notes []string
	// The objects of one workload and their report; nil for several workloads.
	objects []runtime.Object
	report  *mulligan.Report
	// Several workloads; nil for one.
	table *table
}

func (c *cluster) gather(ctx context.Context, name objectName) (*gathered, error) {
	obj, err := c.get(ctx, name)
	if err != nil {
		return nil, err
	}
	if isCronJob(obj) {
		return c.gatherRuns(ctx, obj)
	}
	report, err := mulligan.Gather(ctx, c.client, obj)
	if err != nil {
		return nil, err
	}
	if c.logs != nil {
		report.AddLogs(ctx, c.logs)
	}
	found := &gathered{objects: report.Objects(), notes: report.Notes(), report: report}
	workload := report.Workload()
	if !slices.ContainsFunc(found.objects, isNoEvent) {
		return nil, fmt.Errorf("%s %s is of a kind that is not known here, and owns no Job and no pod: name one of its pods (kubectl mulligan why pod/NAME), or give them all: kubectl get pods --selector=LABELS -o json | kubectl mulligan explain -",
			obj.GetObjectKind().GroupVersionKind().Kind, client.ObjectKeyFromObject(obj))
	}
	rec, err := c.recordOf(ctx, workload)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		found.notes = append(found.notes, retried(workload, workload.GetAnnotations())...)
		return found, nil
	}
	if err := trust(append(slices.Clone(found.objects), workload), rec); err != nil {
		return nil, err
	}
	found.notes = append(found.notes, standOf(workload, rec, time.Now())...)
	return found, nil
}

// isNoEvent returns false for Events, which explain nothing without their subject.
func isNoEvent(obj runtime.Object) bool {
	switch event := obj.(type) {
	case *corev1.Event, *eventsv1.Event:
		return false
	default:
		return event.GetObjectKind().GroupVersionKind().Kind != "Event"
	}
}

// retried returns a note that names the next attempt of a workload, if its annotations
// or copies do.
func retried(workload client.Object, copies map[string]string) []string {
	next := copies[records.RetriedAs]
	if next == "" {
		return nil
	}
	return []string{fmt.Sprintf("%s has been started again as %s", workload.GetName(), next)}
}

// get reads the object that the user named by kind, plural or short name, with a group
// after a dot if several groups have it.
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

// asJSON returns an object as kubectl prints it: with its kind, which typed clients
// leave out, and without managedFields.
func asJSON(obj runtime.Object) ([]byte, error) {
	copied := obj.DeepCopyObject()
	if gvk, err := apiutil.GVKForObject(copied, clientgoscheme.Scheme); err == nil {
		copied.GetObjectKind().SetGroupVersionKind(gvk)
	}
	if accessor, err := meta.Accessor(copied); err == nil {
		accessor.SetManagedFields(nil)
	}
	return json.Marshal(copied)
}
