package gate

import (
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// VerdictOf returns the verdict of an answer, without [Verdict.Advice].
func VerdictOf(response *mulliganv1.DecideResponse) Verdict {
	decision := response.GetDecision()
	after := decision.GetRetryAfter().AsDuration()
	v := Verdict{Sentence: decision.GetSentence(), Charged: chargedOf(response)}
	v.Counts = v.Charged && OwnFault(response)
	switch decision.GetAction() {
	case mulliganv1.Decision_RETRY:
		if v.After = after; v.After > 0 {
			v.Way, v.After = Later, max(v.After, leastPause)
		} else {
			v.Way = Retry
		}
	case mulliganv1.Decision_WAIT:
		v.Way, v.After = Wait, max(after, leastPause)
	case mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE:
		v.Way = Stop
	default:
		return Verdict{}
	}
	return v
}

// OwnFault returns whether the work itself is to blame. A repeated answer may see less
// evidence, so the cause in the record decides, as for the charge.
func OwnFault(response *mulliganv1.DecideResponse) bool {
	diagnosis := response.GetDiagnosis()
	if record := RecordOf(response); response.GetAccounting().GetDuplicate() && record.GetCause() != diagnosis.GetCause() {
		return ownCauses[record.GetCause()]
	}
	return ownFaults[diagnosis.GetFaultDomain()]
}

// ownFaults are the faults of the work itself: its program, its spec and the limits in
// it.
var ownFaults = map[mulliganv1.Diagnosis_FaultDomain]bool{
	mulliganv1.Diagnosis_APPLICATION:    true,
	mulliganv1.Diagnosis_CONFIGURATION:  true,
	mulliganv1.Diagnosis_RESOURCE_LIMIT: true,
	mulliganv1.Diagnosis_DEADLINE:       true,
}

// ownCauses are the causes with an own fault unless evidence says otherwise.
var ownCauses = map[mulliganv1.Cause]bool{
	mulliganv1.Cause_CREATE_REJECTED:    true,
	mulliganv1.Cause_IMAGE_INVALID:      true,
	mulliganv1.Cause_IMAGE_DENIED:       true,
	mulliganv1.Cause_CONFIG_MISSING:     true,
	mulliganv1.Cause_CONTAINER_OOM:      true,
	mulliganv1.Cause_GPU_OOM:            true,
	mulliganv1.Cause_STORAGE_EXHAUSTED:  true,
	mulliganv1.Cause_DEADLINE_POD:       true,
	mulliganv1.Cause_DEADLINE_JOB:       true,
	mulliganv1.Cause_HANG:               true,
	mulliganv1.Cause_PROBE_KILLED:       true,
	mulliganv1.Cause_CONFIG_USER_ERROR:  true,
	mulliganv1.Cause_DECLARED_FATAL:     true,
	mulliganv1.Cause_DECLARED_RETRYABLE: true,
	mulliganv1.Cause_CRASH_SIGNAL:       true,
	mulliganv1.Cause_DATA_OR_NUMERIC:    true,
	mulliganv1.Cause_APP_ERROR:          true,
}

// chargedOf also returns true if the failure was charged by an earlier answer, which
// its record shows.
func chargedOf(response *mulliganv1.DecideResponse) bool {
	if response.GetAccounting().GetUnits() > 0 {
		return true
	}
	return RecordOf(response).GetChargedTo() != ""
}

// RecordOf returns the ledger's record of the failure; nil if there is none.
func RecordOf(response *mulliganv1.DecideResponse) *mulliganv1.AttemptRecord {
	for _, record := range response.GetLedger().GetHistory() {
		if record.GetFailureId() == response.GetFailureId() {
			return record
		}
	}
	return nil
}
