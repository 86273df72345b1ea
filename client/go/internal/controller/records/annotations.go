package records

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
)

// Annotations that a user writes.
const (
	// Policy, as annotation or label of the workload or as label of its namespace: the
	// workload is the controller's to look after. The value names a loaded policy;
	// empty: the first whose selector fits.
	Policy = "mulligan.dev/policy"
	// Mode is "observe" for a workload that a controller in act mode should leave
	// alone.
	Mode = "mulligan.dev/mode"
)

// Annotations that the controller writes, for people: a copy of what the record has.
// Nothing is decided by them. RetryOf alone is looked at, where there is no record.
const (
	// DecisionCopy is the [Decision] about this object, as JSON.
	DecisionCopy = "mulligan.dev/decision"
	// RetriedAs is the name of the object that was made for the next attempt.
	RetriedAs = "mulligan.dev/retried-as"
	// RetryOf is "NAME/UID" of the attempt before.
	RetryOf = "mulligan.dev/retry-of"
	// Attempt is the number of this attempt, from 2.
	AttemptCopy = "mulligan.dev/attempt"
	// Origin is the name of the first attempt; also a label, so that
	// `kubectl get jobs -l mulligan.dev/origin=train` lists them all.
	Origin = "mulligan.dev/origin"
	// RecordName is the name of the RetryRecord.
	RecordName = "mulligan.dev/record"
	// LastAttempt is "true" where a further failure of this kind would end the
	// work: keep the evidence.
	LastAttempt = "mulligan.dev/last-attempt"
	// Stopped says who stopped the work while its operator was at it, when and why, and
	// FirstStep what to do first and what lets it go on. `mulligan explain` tells both.
	Stopped   = "mulligan.dev/stopped"
	FirstStep = "mulligan.dev/first-step"
)

// Stopper is who stops work that is given up, in words for people.
const Stopper = "mulligan-controller"

// Copied are the annotations that are copies, without the ledger, which others may
// keep on their own objects.
var Copied = []string{DecisionCopy, RetriedAs, RetryOf, AttemptCopy, Origin, RecordName, LastAttempt, Stopped, FirstStep}

// Copies are the annotations of the attempt with that UID as they should be; nil for
// an object that is none.
func (r *RetryRecord) Copies(uid types.UID) (map[string]string, error) {
	at := r.indexOf(uid)
	if at < 0 {
		return nil, nil
	}
	copies := map[string]string{RecordName: r.Name}
	if at > 0 {
		r.copyOrigin(copies, at)
	}
	if next := at + 1; next < len(r.Status.Attempts) {
		copies[RetriedAs] = r.Status.Attempts[next].Name
	}
	decided := r.DecisionAbout(uid)
	if decided == nil {
		return copies, nil
	}
	var err error
	if copies[DecisionCopy], err = decided.Encode(); err == nil && len(r.Status.Ledger) > 0 {
		copies[mulligan.LedgerAnnotation] = string(r.Status.Ledger)
	}
	if decided.Suspend {
		copies[Stopped] = fmt.Sprintf("%s stopped it at %s: %s", Stopper, decided.DecidedAt.UTC().Format(time.RFC3339), strings.TrimSuffix(decided.Sentence, "."))
		copies[FirstStep] = r.Status.FirstStep
	}
	return copies, err
}

// copyOrigin says where the attempt at an index from 1 comes from.
func (r *RetryRecord) copyOrigin(copies map[string]string, at int) {
	before := r.Status.Attempts[at-1]
	copies[RetryOf] = before.Name + "/" + string(before.UID)
	copies[AttemptCopy] = strconv.Itoa(at + 1)
	copies[Origin] = r.Origin()
	if r.Status.Attempts[at].Last {
		copies[LastAttempt] = "true"
	}
}
