// Package kinds has what the controller knows about each kind of workload: when its
// operator has given up, what a recreated object must not carry over, and where its
// pods are described. A kind is one file and one row of the table; the rest of the
// controller knows no kinds.
package kinds

import (
	"context"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Phase is the state of the workload in its own operator.
type Phase int

const (
	// Active: it runs, waits, or its operator still retries it.
	Active Phase = iota
	// Succeeded is final.
	Succeeded
	// Failed is final: the operator does nothing more.
	Failed
)

// Outcome is what an object's status says.
type Outcome struct {
	Phase Phase
	// When the phase was reached; zero if the status does not say.
	Since time.Time
}

// Kind is one kind of workload. Objects are as read from the API server. Only Renew,
// TakeOver and the functions of a Shape change them.
type Kind interface {
	// GroupVersionKind is the kind as it is watched.
	GroupVersionKind() schema.GroupVersionKind
	// Outcome reads the status.
	Outcome(obj *unstructured.Unstructured) Outcome
	// Renew removes from a copy what the API server or the operator wrote into the
	// original's labels and spec, and would refuse or misread in a new object.
	Renew(obj *unstructured.Unstructured)
	// TakeOver sets the operator's limit of restarts of all of the work to 0 in a copy,
	// because otherwise one of our attempts would be several runs. Limits of
	// replacements of single pods stay, because no attempt of ours does that.
	TakeOver(obj *unstructured.Unstructured)
	// Shapes returns the descriptions of pods in the object, to be changed in place.
	Shapes(obj *unstructured.Unstructured) []Shape
	// Begun returns whether the operator has made what the object asks for, or must
	// not. If it never does, no pod shows why.
	Begun(ctx context.Context, reader client.Reader, obj *unstructured.Unstructured) (bool, error)
	// SuspendField returns the path of the boolean that stops the workload and keeps
	// the object; nil if this object cannot be suspended.
	SuspendField(obj *unstructured.Unstructured) []string
	// Keeps returns what of an attempt that ended goes on to hold its devices, in a
	// sentence; empty if nothing does.
	Keeps(obj *unstructured.Unstructured) string
	// MaxName returns the longest name for an object with this spec, in characters, so
	// that the names that operators derive from it fit.
	MaxName(obj *unstructured.Unstructured) int
	// Fixed returns whether the API server forbids changes to what the pods run.
	Fixed() bool
}

// Shape is one description of pods inside an object.
type Shape struct {
	// Pod has nodeSelector, tolerations and affinity, named as in a PodSpec.
	Pod map[string]any
	// Grow multiplies a resource and returns whether there was any.
	Grow func(change Change) bool
}

// Change is one resource to multiply.
type Change struct {
	// Resource is a Kubernetes resource name: "memory", "ephemeral-storage".
	Resource string
	// Factor over the first attempt's amount; greater than 1.
	Factor float64
	// RequestOnly leaves the limit as it is.
	RequestOnly bool
	// Container to change; empty for the first.
	Container string
}

// ordinary is embedded by kinds with changeable specs and a field that stops the work,
// whose operators write nothing into the spec, derive only short names, and have no
// limit of restarts in it.
type ordinary struct{}

func (ordinary) Renew(*unstructured.Unstructured)                 {}
func (ordinary) TakeOver(*unstructured.Unstructured)              {}
func (ordinary) SuspendField(*unstructured.Unstructured) []string { return []string{"spec", "suspend"} }
func (ordinary) Keeps(*unstructured.Unstructured) string          { return "" }
func (ordinary) MaxName(*unstructured.Unstructured) int           { return maxName }
func (ordinary) Fixed() bool                                      { return false }

const (
	// Pods, services and hosts are named after a workload, and KubeRay accepts 47.
	maxName = 45
	// The limit of a DNS label, for pods with a host name.
	maxLabel = 63
	// The random suffix of a pod's name.
	podSuffix = len("-abcde")
)

// indexed returns the length of "-INDEX", for the largest index of count.
func indexed(count int64) int { return 1 + len(strconv.FormatInt(max(count-1, 0), 10)) }

// largest returns the largest number in some fields of an object; at least 1.
func largest(obj map[string]any, fields ...string) int64 {
	found := int64(1)
	for _, field := range fields {
		if count, ok := obj[field].(int64); ok {
			found = max(found, count)
		}
	}
	return found
}

// noneOf sets limits in an object to 0; absent ones stay absent.
func noneOf(limits map[string]any, names ...string) {
	for _, name := range names {
		if _, found := limits[name]; found {
			limits[name] = int64(0)
		}
	}
}

// prompt is embedded by kinds whose operators begin at once, or say in the status why
// not.
type prompt struct{ ordinary }

func (prompt) Begun(context.Context, client.Reader, *unstructured.Unstructured) (bool, error) {
	return true, nil
}

// All is the table of kinds.
var All = []Kind{job{}, jobSet{}, rayJob{}, trainJob{}, pyTorchJob{}, sparkApplication{}}

// ByGroupKind finds a kind of any version; nil if it is unknown.
func ByGroupKind(gk schema.GroupKind) Kind {
	for _, kind := range All {
		if kind.GroupVersionKind().GroupKind() == gk {
			return kind
		}
	}
	return nil
}

// conditionOutcome reads the conditions that most kinds share.
func conditionOutcome(obj *unstructured.Unstructured, failed, succeeded string) Outcome {
	for _, condition := range mapsAt(obj.Object, "status", "conditions") {
		if condition["status"] != "True" {
			continue
		}
		switch condition["type"] {
		case failed:
			return Outcome{Failed, timeOf(condition["lastTransitionTime"])}
		case succeeded:
			return Outcome{Succeeded, timeOf(condition["lastTransitionTime"])}
		}
	}
	return Outcome{}
}

// timeOf reads a metav1.Time; zero if there is none.
func timeOf(value any) time.Time {
	text, _ := value.(string)
	// Zero on error.
	parsed, _ := time.Parse(time.RFC3339, text)
	return parsed
}

// mapAt returns the map at a path of obj, to be changed in place; nil if there is none.
func mapAt(obj map[string]any, path ...string) map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(obj, path...)
	there, _ := found.(map[string]any)
	return there
}

// mapsAt returns the maps in the list at a path, to be changed in place.
func mapsAt(obj map[string]any, path ...string) []map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(obj, path...)
	list, _ := found.([]any)
	var maps []map[string]any
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok {
			maps = append(maps, m)
		}
	}
	return maps
}

// template returns the Shape of a PodTemplateSpec; none without a spec.
func template(podTemplate map[string]any) []Shape {
	spec := mapAt(podTemplate, "spec")
	if spec == nil {
		return nil
	}
	return []Shape{PodShape(spec)}
}

// PodShape returns the Shape of a PodSpec.
func PodShape(spec map[string]any) Shape {
	return Shape{Pod: spec, Grow: func(change Change) bool { return growContainer(spec, change) }}
}
