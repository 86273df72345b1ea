package gate

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/successor"
)

// Pause returns how long until the last granted retry is due; zero if there is none or
// it is due. It reads the ledger on obj and asks no one.
func (g *Gate) Pause(obj client.Object, now time.Time) time.Duration {
	record, _ := g.granted(obj)
	if record == nil {
		return 0
	}
	due := record.GetObservedAt().AsTime().Add(record.GetDecision().GetRetryAfter().AsDuration())
	return max(0, due.Sub(now))
}

// Follow changes the pods of the next attempt as the last granted retry advises: more
// memory, other nodes. The templates must be from the object's own spec, as for its
// first attempt. It returns a short sentence for each change that it could not make.
func (g *Gate) Follow(obj client.Object, now time.Time, templates ...*corev1.PodTemplateSpec) ([]string, error) {
	record, err := g.granted(obj)
	if err != nil {
		return []string{unreadable(err)}, nil
	}
	if record == nil {
		return nil, nil
	}
	var shapes []kinds.Shape
	for _, template := range templates {
		pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&template.Spec)
		if err != nil {
			return nil, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
		}
		shapes = append(shapes, kinds.PodShape(pod))
	}
	notes := successor.Follow(shapes, record.GetDecision(), "", now)
	for i, template := range templates {
		changed := corev1.PodSpec{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(shapes[i].Pod, &changed); err != nil {
			return nil, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
		}
		template.Spec = changed
	}
	return notes, nil
}

// FollowIn changes the object itself, for operators that make an attempt's pods from
// other fields than pod templates. It handles the kinds of mulligan-controller.
func (g *Gate) FollowIn(obj client.Object, now time.Time) ([]string, error) {
	record, err := g.granted(obj)
	if err != nil {
		return []string{unreadable(err)}, nil
	}
	if record == nil {
		return nil, nil
	}
	gvk, err := apiutil.GVKForObject(obj, g.Asker.Kube.Scheme())
	if err != nil {
		return nil, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
	}
	kind := kinds.ByGroupKind(gvk.GroupKind())
	if kind == nil {
		return []string{"nothing that is advised can be followed in a " + gvk.Kind}, nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
	}
	notes := successor.Follow(kind.Shapes(&unstructured.Unstructured{Object: content}), record.GetDecision(), "", now)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, obj); err != nil {
		return nil, fmt.Errorf("mulligan: %s: %w", obj.GetName(), err)
	}
	return notes, nil
}

// unreadable returns a note instead of an error, because an annotation that anyone can
// write must not block the next attempt.
func unreadable(err error) string { return "nothing that is advised can be followed: " + err.Error() }

// granted returns the latest failure in the ledger on obj if its answer was a retry,
// else nil.
func (g *Gate) granted(obj client.Object) (*mulliganv1.AttemptRecord, error) {
	if !g.Open() {
		return nil, nil
	}
	ledger, err := mulligan.LedgerFrom(obj)
	if err != nil {
		return nil, err
	}
	history := ledger.GetHistory()
	if len(history) == 0 || history[len(history)-1].GetDecision().GetAction() != mulliganv1.Decision_RETRY {
		return nil, nil
	}
	return history[len(history)-1], nil
}
