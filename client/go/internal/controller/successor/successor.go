// Package successor makes the object of the next attempt from the failed one and
// the decision about it: the same work under another name, with the resources and
// the places that were advised.
package successor

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/record"
)

// Annotations of others that describe the failed object and no other.
var foreignAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration",
	"batch.kubernetes.io/job-tracking",
	// Deployment tools prune what they believe is theirs.
	"argocd.argoproj.io/tracking-id",
	"meta.helm.sh/release-name",
	"meta.helm.sh/release-namespace",
}

// QueueLabel is Kueue's: such an object is created suspended and started by the
// queue.
const QueueLabel = "kueue.x-k8s.io/queue-name"

// Of returns the object of the next attempt, not created yet, and what of the
// advice could not be followed, each in a short sentence. failed is not changed.
// The new object has the labels, annotations and owners of the failed one, so
// queue, priority and whoever waits for the owner stay; it has no finalizers. Its
// spec is that of the first attempt with this decision's advice.
func Of(kind kinds.Kind, failed *unstructured.Unstructured, rec *record.Record, ledger string, now time.Time) (*unstructured.Unstructured, []string, error) {
	decision, err := rec.Decision()
	if err != nil {
		return nil, nil, fmt.Errorf("annotation %s: %w", record.Decision, err)
	}
	next, err := anew(kind, failed)
	if err != nil {
		return nil, nil, err
	}
	next.SetName(rec.Retry)
	annotate(next, failed, rec, ledger, decision.GetLastAttempt())
	notes := follow(kind.Shapes(next), decision, rec.Container, now)
	if field := kind.SuspendField(next); next.GetLabels()[QueueLabel] != "" && field != nil {
		if err := unstructured.SetNestedField(next.Object, true, field...); err != nil {
			return nil, nil, err
		}
	}
	return next, notes, nil
}

// Dropped says what of the placement an API server did not keep, because its release of
// the kind has no field for it; empty: nothing. sent is what was to be created.
func Dropped(kind kinds.Kind, sent, stored *unstructured.Unstructured) string {
	if hasAffinity(kind, sent) && !hasAffinity(kind, stored) {
		return fmt.Sprintf("this release of %s takes no affinity: nodes are not avoided", sent.GetKind())
	}
	return ""
}

func hasAffinity(kind kinds.Kind, obj *unstructured.Unstructured) bool {
	return slices.ContainsFunc(kind.Shapes(obj.DeepCopy()), func(shape kinds.Shape) bool {
		return shape.Pod["affinity"] != nil
	})
}

// anew is the failed object as it was first written.
func anew(kind kinds.Kind, failed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	next := &unstructured.Unstructured{Object: map[string]any{}}
	next.SetGroupVersionKind(failed.GroupVersionKind())
	next.SetNamespace(failed.GetNamespace())
	next.SetLabels(failed.GetLabels())
	next.SetAnnotations(failed.GetAnnotations())
	next.SetOwnerReferences(failed.GetOwnerReferences())
	spec, _, err := unstructured.NestedMap(failed.Object, "spec")
	if err != nil {
		return nil, err
	}
	if packed := failed.GetAnnotations()[record.FirstSpec]; packed != "" {
		if spec, err = unpackSpec(packed); err != nil {
			return nil, fmt.Errorf("annotation %s, expected what the controller wrote: %w", record.FirstSpec, err)
		}
	}
	next.Object["spec"] = spec
	kind.Renew(next)
	return next, nil
}

func annotate(next, failed *unstructured.Unstructured, rec *record.Record, ledger string, last bool) {
	annotations := next.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	for _, names := range [][]string{record.Own, foreignAnnotations} {
		for _, name := range names {
			delete(annotations, name)
		}
	}
	// A spec that is too large to keep is one that advice is added to.
	if packed := failed.GetAnnotations()[record.FirstSpec]; packed != "" {
		annotations[record.FirstSpec] = packed
	} else if spec, ok := next.Object["spec"].(map[string]any); ok {
		if packed, err := packSpec(spec); err == nil {
			annotations[record.FirstSpec] = packed
		}
	}
	origin := record.OriginOf(failed)
	annotations[mulligan.LedgerAnnotation] = ledger
	annotations[record.Origin] = origin
	annotations[record.RetryOf] = fmt.Sprintf("%s/%s", failed.GetName(), failed.GetUID())
	annotations[record.Attempt] = strconv.Itoa(int(rec.Attempt))
	if last {
		annotations[record.LastAttempt] = "true"
	}
	next.SetAnnotations(annotations)
	labels := next.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[record.Origin] = record.LabelValue(origin)
	next.SetLabels(labels)
}

// follow writes the advice into all descriptions of pods.
func follow(shapes []kinds.Shape, decision *mulliganv1.Decision, culprit string, now time.Time) []string {
	var notes []string
	for _, change := range decision.GetResources() {
		container := change.GetContainer()
		if container == "" {
			container = culprit
		}
		grown := false
		for _, shape := range shapes {
			if shape.Grow(kinds.Change{
				Resource: change.GetResource(), Factor: change.GetFactor(),
				RequestOnly: change.GetRequestOnly(), Container: container,
			}) {
				grown = true
			}
		}
		if !grown {
			notes = append(notes, fmt.Sprintf("%s could not be raised: container %s has no limit or request of it in the spec", change.GetResource(), container))
		}
	}
	placement := decision.GetPlacement()
	for _, shape := range shapes {
		avoidNodes(shape.Pod, placement.GetAvoidNodes(), now)
		if placement.GetOnDemand() {
			leaveSpot(shape.Pod)
		}
	}
	return notes
}
