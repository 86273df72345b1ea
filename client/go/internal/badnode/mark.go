package badnode

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// TaintKey is the taint's key. Its value is the node's boot ID, so that a reboot
	// ends the mark.
	TaintKey = "mulligan.dev/bad-node"
	// ConditionType is the condition's type. Its message ends with the boot ID.
	ConditionType corev1.NodeConditionType = "MulliganBadNode"
)

// mark is a mark on a node.
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

// with marks a node. It returns false if it cannot, or if the node has rebooted.
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

// without removes a mark; false if there is none. A condition stays and becomes False,
// as usual for nodes.
func without(node *corev1.Node) bool {
	_, ok := markOf(node)
	for _, taint := range node.Spec.Taints {
		if taint.Key == TaintKey {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == TaintKey })
			// A condition is removed next time, because it needs another write.
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
