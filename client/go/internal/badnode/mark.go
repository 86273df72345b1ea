package badnode

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// TaintKey is that of the taint; its value is the boot of the node, so that the mark
	// ends with it.
	TaintKey = "mulligan.dev/bad-node"
	// ConditionType is that of the condition, whose message ends with the boot.
	ConditionType corev1.NodeConditionType = "MulliganBadNode"
)

// mark is what is on a node.
type mark struct {
	at   time.Time
	boot string
}

var bootIn = regexp.MustCompile(`\(boot ([^ )]*)\)$`)

func markOf(node *corev1.Node) (mark, bool) {
	for _, taint := range node.Spec.Taints {
		if taint.Key != TaintKey {
			continue
		}
		m := mark{boot: taint.Value}
		if taint.TimeAdded != nil {
			m.at = taint.TimeAdded.Time
		}
		return m, true
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type != ConditionType || condition.Status != corev1.ConditionTrue {
			continue
		}
		m := mark{at: condition.LastTransitionTime.Time}
		if boot := bootIn.FindStringSubmatch(condition.Message); boot != nil {
			m.boot = boot[1]
		}
		return m, true
	}
	return mark{}, false
}

// with marks a node; false: it cannot be, or has booted meanwhile.
func with(node *corev1.Node, action Action, boot, why string, now time.Time) bool {
	if _, ok := markOf(node); ok || node.Status.NodeInfo.BootID != boot || len(validation.IsValidLabelValue(boot)) > 0 {
		return false
	}
	at := metav1.NewTime(now)
	if action == Taint {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: TaintKey, Value: boot, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &at})
		return true
	}
	setCondition(node, corev1.NodeCondition{
		Type: ConditionType, Status: corev1.ConditionTrue, Reason: "FoundBad",
		Message:            fmt.Sprintf("%s (boot %s)", why, boot),
		LastTransitionTime: at, LastHeartbeatTime: at,
	})
	return true
}

// without takes every mark away; false: there is none. A condition stays and is False, as
// other conditions of nodes are.
func without(node *corev1.Node) bool {
	_, ok := markOf(node)
	for _, taint := range node.Spec.Taints {
		if taint.Key == TaintKey {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == TaintKey })
			// The other kind of mark goes next time: they are written apart.
			return true
		}
	}
	if ok {
		now := metav1.Now()
		setCondition(node, corev1.NodeCondition{
			Type: ConditionType, Status: corev1.ConditionFalse, Reason: "DoesNotHold",
			Message: "it was not found bad again", LastTransitionTime: now, LastHeartbeatTime: now,
		})
	}
	return ok
}

func setCondition(node *corev1.Node, condition corev1.NodeCondition) {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == ConditionType {
			node.Status.Conditions[i] = condition
			return
		}
	}
	node.Status.Conditions = append(node.Status.Conditions, condition)
}

func sameTaints(a, b *corev1.Node) bool {
	return equality.Semantic.DeepEqual(a.Spec.Taints, b.Spec.Taints)
}
