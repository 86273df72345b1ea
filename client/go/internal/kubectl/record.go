package kubectl

import (
	"context"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/controller/records"
)

// recordOf returns mulligan-controller's record of a workload; nil if there is none, it
// may not be read, or its kind is not installed.
func (c *cluster) recordOf(ctx context.Context, workload client.Object) (*records.RetryRecord, error) {
	// The label is of all attempts; the first one has none.
	for _, origin := range []string{workload.GetLabels()[records.Origin], workload.GetName()} {
		if origin == "" {
			continue
		}
		list := &records.RetryRecordList{}
		err := c.client.List(ctx, list, client.InNamespace(workload.GetNamespace()), client.MatchingLabels{records.Origin: records.LabelValue(origin)})
		if isNotServed(err) || apierrors.IsForbidden(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if list.Items[i].Has(workload.GetUID()) {
				return &list.Items[i], nil
			}
		}
	}
	return nil, nil
}

// Annotations of a workload that are replaced by the record's: its account, and who
// stopped it. Clients that may write to the workload could forge them.
var trusted = []string{mulligan.LedgerAnnotation, records.Stopped, records.FirstStep}

// trust replaces the trusted annotations of all attempts among the objects.
func trust(objects []runtime.Object, rec *records.RetryRecord) error {
	for _, obj := range objects {
		workload, ok := obj.(client.Object)
		if !ok || !rec.Has(workload.GetUID()) {
			continue
		}
		copies, err := rec.Copies(workload.GetUID())
		if err != nil {
			return err
		}
		annotations := map[string]string{}
		maps.Copy(annotations, workload.GetAnnotations())
		for _, name := range trusted {
			delete(annotations, name)
			if copies[name] != "" {
				annotations[name] = copies[name]
			}
		}
		workload.SetAnnotations(annotations)
	}
	return nil
}

// A retry that has been due for longer is delayed.
const ordinaryDelay = 15 * time.Second

// standOf returns notes that say how far the controller is with a workload.
func standOf(workload client.Object, rec *records.RetryRecord, now time.Time) []string {
	copies, err := rec.Copies(workload.GetUID())
	if err == nil && copies[records.RetriedAs] != "" {
		return retried(workload, copies)
	}
	decided := rec.DecisionAbout(workload.GetUID())
	if decided == nil || decided.Mode != "act" {
		return nil
	}
	switch rec.Status.State {
	case records.Retrying:
		return []string{dueText(decided, now)}
	case records.RetryNotCreated:
		since, message := rec.Since(records.RetryNotCreated)
		return []string{fmt.Sprintf("attempt %d (%s) is granted and has been refused by the API server since %s, it is tried again: %s", decided.Attempt, decided.Retry, clock(since), message)}
	case records.RetryRefused:
		_, message := rec.Since(records.RetryNotCreated)
		return []string{fmt.Sprintf("attempt %d was granted, was refused by the API server (RetryNotCreated), and is not tried again: %s", decided.Attempt, message)}
	}
	return nil
}

func dueText(decided *records.Decision, now time.Time) string {
	what := fmt.Sprintf("attempt %d (%s)", decided.Attempt, decided.Retry)
	if now.Sub(decided.NotBefore) < ordinaryDelay {
		return fmt.Sprintf("%s is granted and starts at %s", what, clock(decided.NotBefore))
	}
	return fmt.Sprintf("%s is granted, was due at %s and is not there: held by the rate limit of mulligan-controller (--retries-per-minute) or by its schedule, or the controller is paused or away", what, clock(decided.NotBefore))
}

func clock(at time.Time) string { return at.UTC().Format("15:04:05 UTC") }
