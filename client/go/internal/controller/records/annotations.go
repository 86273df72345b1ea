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
	// Policy, as annotation or label of the workload or as label of its namespace, opts
	// the workload in. The value names a loaded policy; empty for the first whose
	// selector fits.
	Policy = "mulligan.dev/policy"
	// Mode is "observe" for a workload that a controller in act mode should leave
	// alone.
	Mode = "mulligan.dev/mode"
)

// Annotations that the controller writes for people, as copies of the record. No
// decision depends on them, except that RetryOf is checked if there is no record.
const (
	// DecisionCopy is the [Decision] about this object, as JSON.
	DecisionCopy = "mulligan.dev/decision"
	// RetriedAs is the name of the next attempt's object.
	RetriedAs = "mulligan.dev/retried-as"
	// RetryOf is "NAME/UID" of the attempt before.
	RetryOf = "mulligan.dev/retry-of"
	// AttemptCopy is the number of this attempt, from 2.
	AttemptCopy = "mulligan.dev/attempt"
	// Origin is the name of the first attempt. It is also a label, so that `kubectl get
	// jobs -l mulligan.dev/origin=train` lists all attempts.
	Origin = "mulligan.dev/origin"
	// RecordName is the name of the RetryRecord.
	RecordName = "mulligan.dev/record"
	// LastAttempt is "true" if another failure of this kind would end the work: keep
	// the evidence.
	LastAttempt = "mulligan.dev/last-attempt"
	// Stopped says who stopped running work, when and why. FirstStep says what to do
	// first and how to let it continue. `mulligan explain` shows both.
	Stopped   = "mulligan.dev/stopped"
	FirstStep = "mulligan.dev/first-step"
)

// Stopper is who stops work, in messages for people.
const Stopper = "mulligan-controller"

// Copied are the annotations that are copies, except the ledger, which others may keep
// on their own objects.
var Copied = []string{DecisionCopy, RetriedAs, RetryOf, AttemptCopy, Origin, RecordName, LastAttempt, Stopped, FirstStep}

// Copies returns the annotations that the attempt with that UID should have; nil if it
// is not an attempt.
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
	if copies[DecisionCopy], err = decided.Encode(); err == nil && r.isAccountOf(uid) {
		copies[mulligan.LedgerAnnotation] = string(r.Status.Ledger)
	}
	if decided.Suspend {
		copies[Stopped] = fmt.Sprintf("%s stopped it at %s: %s", Stopper, decided.DecidedAt.UTC().Format(time.RFC3339), strings.TrimSuffix(decided.Sentence, "."))
		copies[FirstStep] = r.Status.FirstStep
	}
	return copies, err
}

// isAccountOf returns whether the ledger was last written about that attempt. A later
// one that its operator tries again has an account, and no decision yet.
func (r *RetryRecord) isAccountOf(uid types.UID) bool {
	ledger, err := mulligan.ParseLedger(string(r.Status.Ledger))
	if err != nil || ledger == nil {
		return false
	}
	of := ledger.GetWorkloadUid()
	return of == "" || of == string(uid)
}

// copyOrigin adds where the attempt at an index from 1 comes from.
func (r *RetryRecord) copyOrigin(copies map[string]string, at int) {
	before := r.Status.Attempts[at-1]
	copies[RetryOf] = before.Name + "/" + string(before.UID)
	copies[AttemptCopy] = strconv.Itoa(at + 1)
	copies[Origin] = r.Origin()
	if r.Status.Attempts[at].Last {
		copies[LastAttempt] = "true"
	}
}
