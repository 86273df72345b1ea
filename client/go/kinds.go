package mulligan

import (
	"fmt"
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A kind that a report has a field for.
type kind struct {
	group, name string
	// Field of FailureReport.
	field string
	// Part of the import path of the Go packages that define the kind: typed
	// clients leave kind and apiVersion empty, and some names are common.
	// Empty: told by the Go type alone, see identify.
	goPackage string
}

// Versions do not matter: what the report takes has kept its names.
var kinds = []kind{
	{group: "", name: "Pod", field: "pods"},
	{group: "batch", name: "Job", field: "jobs"},
	{group: "", name: "Node", field: "nodes"},
	{group: "", name: "Event", field: "events"},
	{group: "events.k8s.io", name: "Event", field: "events"},
	{"jobset.x-k8s.io", "JobSet", "job_set", "jobset"},
	{"ray.io", "RayJob", "ray_job", "ray"},
	{"ray.io", "RayCluster", "ray_cluster", "ray"},
	{"trainer.kubeflow.org", "TrainJob", "train_job", "trainer"},
	{"kueue.x-k8s.io", "Workload", "kueue_workload", "kueue"},
	{"sparkoperator.k8s.io", "SparkApplication", "spark_application", "spark"},
	{kubeflowGroup, "PyTorchJob", "kubeflow_job", "kubeflow"},
	{kubeflowGroup, "TFJob", "kubeflow_job", "kubeflow"},
	{kubeflowGroup, "MPIJob", "kubeflow_job", "kubeflow"},
	{kubeflowGroup, "XGBoostJob", "kubeflow_job", "kubeflow"},
	{kubeflowGroup, "PaddleJob", "kubeflow_job", "kubeflow"},
	{kubeflowGroup, "JAXJob", "kubeflow_job", "kubeflow"},
}

const kubeflowGroup = "kubeflow.org"

func findKind(gk schema.GroupKind) *kind {
	for i := range kinds {
		if kinds[i].group == gk.Group && kinds[i].name == gk.Kind {
			return &kinds[i]
		}
	}
	return nil
}

// Whether objects of the kind are usually made by an operator for another object.
func (k *kind) isPart() bool {
	return k != nil && (k.field == "pods" || k.field == "jobs" || k.field == "kueue_workload")
}

// "Pod, Job, Node, ...".
func takenKinds() string {
	var names []string
	for _, k := range kinds {
		if len(names) == 0 || names[len(names)-1] != k.name {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, ", ")
}

// identify says what obj is, also where its TypeMeta is empty, as in everything
// that a typed client returns. Empty: nobody can tell.
func identify(obj runtime.Object) schema.GroupVersionKind {
	switch obj.(type) {
	case *corev1.Pod:
		return corev1.SchemeGroupVersion.WithKind("Pod")
	case *corev1.Node:
		return corev1.SchemeGroupVersion.WithKind("Node")
	case *corev1.Event:
		return corev1.SchemeGroupVersion.WithKind("Event")
	case *batchv1.Job:
		return batchv1.SchemeGroupVersion.WithKind("Job")
	case *eventsv1.Event:
		return eventsv1.SchemeGroupVersion.WithKind("Event")
	}
	if gvk := obj.GetObjectKind().GroupVersionKind(); gvk.Kind != "" {
		return gvk
	}
	goType := reflect.TypeOf(obj)
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	for _, k := range kinds {
		if k.goPackage != "" && k.name == goType.Name() && strings.Contains(goType.PkgPath(), k.goPackage) {
			// The last part of the path is the version: .../apis/ray/v1.
			path := strings.Split(goType.PkgPath(), "/")
			return schema.GroupVersionKind{Group: k.group, Version: path[len(path)-1], Kind: k.name}
		}
	}
	return schema.GroupVersionKind{}
}

// label is what messages call an object: "RayJob ml/train".
func label(obj runtime.Object) string {
	name := identify(obj).Kind
	if name == "" {
		name = fmt.Sprintf("%T", obj)
	}
	if o, ok := obj.(client.Object); ok && o.GetName() != "" {
		name += " "
		if o.GetNamespace() != "" {
			name += o.GetNamespace() + "/"
		}
		name += o.GetName()
	}
	return name
}
