// Package kinds tells the controller what it has to know about each kind of
// workload: when its own operator has given up, what an object made anew must not
// carry over, and where its pods are described. A kind is one file and one row of
// the table; nothing else in the controller knows kinds.
package kinds

import (
	"context"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Phase is how far the workload's own operator is with it.
type Phase int

const (
	// Active: it runs, waits, or its operator is still trying.
	Active Phase = iota
	// Succeeded is final.
	Succeeded
	// Failed is final: the operator does nothing more.
	Failed
)

// Outcome is what an object's status says.
type Outcome struct {
	Phase Phase
	// When the phase was reached; zero where the status does not tell.
	Since time.Time
}

// Kind is one kind of workload. Objects are passed as the API server gives them;
// only Renew, TakeOver and the functions of a Shape change them.
type Kind interface {
	// GroupVersionKind names the kind as it is watched.
	GroupVersionKind() schema.GroupVersionKind
	// Outcome reads the status.
	Outcome(obj *unstructured.Unstructured) Outcome
	// Renew removes from a copy what the API server or the operator wrote into
	// labels and spec of the original and would refuse or misread in a new object.
	Renew(obj *unstructured.Unstructured)
	// TakeOver sets to 0, in a copy, how often the operator starts all of the work
	// again by itself: an attempt of ours would be that many runs. What replaces a
	// single pod among others stays: no attempt of ours does that.
	TakeOver(obj *unstructured.Unstructured)
	// Shapes are the descriptions of pods in the object, to be changed in place.
	Shapes(obj *unstructured.Unstructured) []Shape
	// Begun says whether the operator has made what the object asks for, or is told
	// not to. What never begins has no pod to show why.
	Begun(ctx context.Context, reader client.Reader, obj *unstructured.Unstructured) (bool, error)
	// SuspendField is the path of the boolean that stops the workload and keeps
	// the object; nil where this object cannot be suspended.
	SuspendField(obj *unstructured.Unstructured) []string
	// MaxName is how many characters the name of an object with this spec may have,
	// so that the names which operators make from it fit.
	MaxName(obj *unstructured.Unstructured) int
	// Fixed says whether the API server keeps what the pods run as it was created,
	// whoever changes the object.
	Fixed() bool
}

// Shape is one description of pods inside an object.
type Shape struct {
	// Pod has nodeSelector, tolerations and affinity under the names of a PodSpec.
	Pod map[string]any
	// Grow multiplies a resource and says whether there was something to multiply.
	Grow func(change Change) bool
}

// Change is one resource to multiply.
type Change struct {
	// Resource is a Kubernetes resource name: "memory", "ephemeral-storage".
	Resource string
	// Factor over what the first attempt had; greater than 1.
	Factor float64
	// RequestOnly leaves the limit as it is.
	RequestOnly bool
	// Container to change; empty: the first.
	Container string
}

// ordinary is embedded by kinds whose specs can be changed, and a field in them stops the
// work, and whose operators write nothing into them, make short names of them, and are told
// by nothing in them to start the work again.
type ordinary struct{}

func (ordinary) Renew(*unstructured.Unstructured)                 {}
func (ordinary) TakeOver(*unstructured.Unstructured)              {}
func (ordinary) SuspendField(*unstructured.Unstructured) []string { return []string{"spec", "suspend"} }
func (ordinary) MaxName(*unstructured.Unstructured) int           { return maxName }
func (ordinary) Fixed() bool                                      { return false }

const (
	// Pods, services and hosts are named after a workload, and KubeRay takes 47.
	maxName = 45
	// A label of DNS: the names of pods that have a host name.
	maxLabel = 63
	// What is random at the end of a pod's name.
	podSuffix = len("-abcde")
)

// indexed is the length of "-INDEX", for the largest of count.
func indexed(count int64) int { return 1 + len(strconv.FormatInt(max(count-1, 0), 10)) }

// largest is the largest of the numbers at some fields of an object; 1 if none is there.
func largest(obj map[string]any, fields ...string) int64 {
	found := int64(1)
	for _, field := range fields {
		if count, ok := obj[field].(int64); ok {
			found = max(found, count)
		}
	}
	return found
}

// noneOf sets those limits to 0 that an object gives its operator; absent ones stay absent.
func noneOf(limits map[string]any, names ...string) {
	for _, name := range names {
		if _, found := limits[name]; found {
			limits[name] = int64(0)
		}
	}
}

// prompt is embedded by kinds whose operators begin at once or say in the status
// why not.
type prompt struct{ ordinary }

func (prompt) Begun(context.Context, client.Reader, *unstructured.Unstructured) (bool, error) {
	return true, nil
}

// All is the table of kinds.
var All = []Kind{job{}, jobSet{}, rayJob{}, trainJob{}, pyTorchJob{}, sparkApplication{}}

// ByGroupKind finds a kind whatever its version is; nil when it is not known.
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

// timeOf reads a metav1.Time; zero where there is none.
func timeOf(value any) time.Time {
	text, _ := value.(string)
	// Zero with an error.
	parsed, _ := time.Parse(time.RFC3339, text)
	return parsed
}

// mapAt returns the map at a path of obj for changing in place; nil: there is none.
func mapAt(obj map[string]any, path ...string) map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(obj, path...)
	there, _ := found.(map[string]any)
	return there
}

// mapsAt returns the maps in the list at a path, for changing in place.
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

// template is the Shape of a PodTemplateSpec; none where it has no spec.
func template(podTemplate map[string]any) []Shape {
	spec := mapAt(podTemplate, "spec")
	if spec == nil {
		return nil
	}
	return []Shape{PodShape(spec)}
}

// PodShape is the Shape of a PodSpec.
func PodShape(spec map[string]any) Shape {
	return Shape{Pod: spec, Grow: func(change Change) bool { return growContainer(spec, change) }}
}
