// Package reportkinds is the table of kinds that a report has a field for. What reads,
// lists or names objects by their kind goes by it.
package reportkinds

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one kind.
type Kind struct {
	Group, Name string
	// Versions to read objects in, the newest first, of which a cluster serves one or two:
	// what a report takes has its names in all of them. None: the kind is not read.
	Versions []string
	// Field of FailureReport.
	Field protoreflect.Name
	// Part of the import path of the Go packages that define the kind: typed clients leave
	// kind and apiVersion empty, and some names are common.
	GoPackage string
	// Label of the pods of an object, with its name. Empty: they are found in another way.
	PodLabel string
}

// Versions of most kinds.
var v1 = []string{"v1"}

const (
	kubeflow      = "kubeflow.org"
	kubeflowLabel = "training.kubeflow.org/job-name"
)

// All is the table, owners before what they own, and then what is about these.
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

// Find returns the kind, whatever its version is; nil when it is not in the table.
func Find(gk schema.GroupKind) *Kind {
	for i := range All {
		if All[i].Group == gk.Group && All[i].Name == gk.Kind {
			return &All[i]
		}
	}
	return nil
}

// Named returns the newest version of the first kind with that name.
// REQUIRES: there is one.
func Named(name string) schema.GroupVersionKind {
	for _, kind := range All {
		if kind.Name == name {
			return schema.GroupVersionKind{Group: kind.Group, Version: kind.Versions[0], Kind: name}
		}
	}
	panic("reportkinds: no kind " + name)
}

// IsWork reports whether the kind is of work, and not of what is about work.
func (k *Kind) IsWork() bool { return k.Field != "events" && k.Field != "nodes" }

// IsPart reports whether objects of the kind are usually made by an operator for another
// object.
func (k *Kind) IsPart() bool {
	return k != nil && (k.Field == "pods" || k.Field == "jobs" || k.Field == "kueue_workload")
}
