// Package reportkinds is the table of the kinds that a report has a field for.
package reportkinds

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one kind.
type Kind struct {
	Group, Name string
	// API versions to read, newest first. The fields of a report are the same in all.
	// Empty if the kind is not read.
	Versions []string
	// Field of FailureReport.
	Field protoreflect.Name
	// Part of the import path of the Go packages that define the kind. It identifies typed
	// objects, which have no kind and apiVersion.
	GoPackage string
	// Label of an object's pods with its name; empty if pods are found otherwise.
	PodLabel string
}

// Versions of most kinds.
var v1 = []string{"v1"}

const (
	kubeflow      = "kubeflow.org"
	kubeflowLabel = "training.kubeflow.org/job-name"
)

// All is the table: owners before the objects that they own, then events and nodes.
var All = []Kind{
	{"ray.io", "RayJob", v1, "ray_job", "ray", ""},
	{"ray.io", "RayCluster", v1, "ray_cluster", "ray", "ray.io/cluster"},
	{"trainer.kubeflow.org", "TrainJob", []string{"v1alpha1"}, "train_job", "trainer", ""},
	{"jobset.x-k8s.io", "JobSet", []string{"v1alpha2"}, "job_set", "jobset", ""},
	{"sparkoperator.k8s.io", "SparkApplication", []string{"v1beta2"}, "spark_application", "spark", "sparkoperator.k8s.io/app-name"},
	{kubeflow, "PyTorchJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{kubeflow, "TFJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{kubeflow, "MPIJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{kubeflow, "XGBoostJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{kubeflow, "PaddleJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{kubeflow, "JAXJob", v1, "kubeflow_job", "kubeflow", kubeflowLabel},
	{"batch", "Job", v1, "jobs", "k8s.io/api/batch", ""},
	{"", "Pod", v1, "pods", "k8s.io/api/core", ""},
	{"kueue.x-k8s.io", "Workload", []string{"v1beta2", "v1beta1"}, "kueue_workload", "kueue", "kueue.x-k8s.io/pod-group-name"},
	{"", "Event", v1, "events", "k8s.io/api/core", ""},
	{"events.k8s.io", "Event", nil, "events", "k8s.io/api/events", ""},
	{"", "Node", v1, "nodes", "k8s.io/api/core", ""},
}

// Find returns the kind of any version; nil if it is not in the table.
func Find(gk schema.GroupKind) *Kind {
	for i := range All {
		if All[i].Group == gk.Group && All[i].Name == gk.Kind {
			return &All[i]
		}
	}
	return nil
}

// Named returns the newest version of the first kind with that name.
// REQUIRES: it is in the table.
func Named(name string) schema.GroupVersionKind {
	for _, kind := range All {
		if kind.Name == name {
			return schema.GroupVersionKind{Group: kind.Group, Version: kind.Versions[0], Kind: name}
		}
	}
	panic("reportkinds: no kind " + name)
}

// IsWork reports whether the kind is work or a part of it, unlike events and nodes.
func (k *Kind) IsWork() bool { return k.Field != "events" && k.Field != "nodes" }

// IsPart reports whether operators usually make objects of the kind for others.
func (k *Kind) IsPart() bool {
	return k != nil && (k.Field == "pods" || k.Field == "jobs" || k.Field == "kueue_workload")
}
