// Package successor makes the object of the next attempt from the work's record and its
// decision: the same work under another name, with the advised resources and placement.
package successor

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
)

// QueueLabel is Kueue's. Objects with it are created suspended, and the queue starts
// them.
const QueueLabel = "kueue.x-k8s.io/queue-name"

// Of returns the object of the next attempt, not yet created, and a short sentence for
// each advice that could not be followed. It has the spec, labels, annotations and
// owners of the record's template, so that queue, priority and waiting owners stay,
// with the decision's advice and without its operator's own retries. Later changes of
// the failed object are not in it.
func Of(kind kinds.Kind, rec *records.RetryRecord, now time.Time) (*unstructured.Unstructured, []string, error) {
	decided := rec.Status.Decision
	advice, err := decided.GetAdvice()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: advice: %w", rec.Name, err)
	}
	next, err := records.Unpack(rec.Spec.Template)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: template: %w", rec.Name, err)
	}
	kind.Renew(next)
	kind.TakeOver(next)
	next.SetName(decided.Retry)
	next.SetNamespace(rec.Namespace)
	if err := describe(next, rec, advice.GetLastAttempt()); err != nil {
		return nil, nil, err
	}
	notes := Follow(kind.Shapes(next), advice, decided.Container, now)
	if field := kind.SuspendField(next); next.GetLabels()[QueueLabel] != "" && field != nil {
		if err := unstructured.SetNestedField(next.Object, true, field...); err != nil {
			return nil, nil, err
		}
	}
	return next, notes, nil
}

// Dropped returns what of the placement the API server did not keep because its release
// of the kind lacks the field; empty if nothing. sent is the object as sent.
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

// describe adds annotations for people that say where the attempt comes from.
func describe(next *unstructured.Unstructured, rec *records.RetryRecord, last bool) error {
	account, err := rec.LedgerFor("")
	if err != nil {
		return err
	}
	ledger, err := mulligan.EncodeLedger(account)
	if err != nil {
		return err
	}
	annotations := map[string]string{}
	maps.Copy(annotations, next.GetAnnotations())
	before := rec.Latest()
	if ledger != "" {
		annotations[mulligan.LedgerAnnotation] = ledger
	}
	annotations[records.RecordName] = rec.Name
	annotations[records.Origin] = rec.Origin()
	annotations[records.RetryOf] = fmt.Sprintf("%s/%s", before.Name, before.UID)
	annotations[records.AttemptCopy] = strconv.Itoa(int(rec.Status.Decision.Attempt))
	if last {
		annotations[records.LastAttempt] = "true"
	}
	next.SetAnnotations(annotations)
	labels := map[string]string{}
	maps.Copy(labels, next.GetLabels())
	labels[records.Origin] = records.LabelValue(rec.Origin())
	next.SetLabels(labels)
	return nil
}

// Follow writes the advice into all pod descriptions, and returns what could not be
// followed. culprit is the container of a change that names none.
func Follow(shapes []kinds.Shape, decision *mulliganv1.Decision, culprit string, now time.Time) []string {
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
