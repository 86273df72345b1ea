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

// Pause is how long it still takes until the retry that was granted last is due; zero
// where there is none or it is due. It is read from the ledger on obj: no question.
func (g *Gate) Pause(obj client.Object, now time.Time) time.Duration {
	record, _ := g.granted(obj)
	if record == nil {
		return 0
	}
	due := record.GetObservedAt().AsTime().Add(record.GetDecision().GetRetryAfter().AsDuration())
	return max(0, due.Sub(now))
}

// Follow changes the pods of the next attempt as the retry that was granted last
// advises: more memory, other nodes. The templates must be those of the object's own
// spec, as for its first attempt. It returns what could not be followed, each in a
// short sentence.
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

// FollowIn does the same to the object itself, whose operator makes the pods of an
// attempt from its spec in other words than a template's. It follows in the kinds that
// mulligan-controller does.
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

// unreadable is a note: what anybody may write on an object must not keep it from its
// next attempt.
func unreadable(err error) string { return "nothing that is advised can be followed: " + err.Error() }

// granted is the latest failure in the ledger on obj, where the answer was a retry.
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
