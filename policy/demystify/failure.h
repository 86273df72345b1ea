// One failure as a value: what everything after the judge reads.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_FAILURE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_FAILURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"

namespace mulligan {

namespace demystify {
struct Conclusion;
}

// The member that a failure started with. Names are as answers show them
// (Excerpt in policy/base/utf8.h); empty: unknown.
struct Culprit {
  // Index into report.pods; -1: no pod, or one that the report does not have.
  int index = -1;
  std::string pod;
  std::string container;
  std::string node;
  // Of the object, where it is no pod and no node.
  std::string kind;
  std::string name;
};

// One incident as it shows in the report: which pods it took, and when they
// lived.
struct Incident {
  // Its failed pods, by their index in the report; the root first.
  std::vector<int> pods;
  // The lifetime of the root: until what ended it struck, which is before its
  // end where it was marked and had its grace period still to run. Absent where
  // it is not known.
  std::optional<absl::Time> begin;
  std::optional<absl::Time> struck;
  // Where an event is all that tells of it: its index in the report; else -1.
  int event = -1;
  // What the object above the pods says is all that tells of it, and it says
  // so of what its operator has started again since.
  bool of_object = false;
  // An operator's counter or summary is all that tells of it: that it gave up,
  // not what of.
  bool summary = false;
  // The root ended by itself, so that it is no echo of a peer's death.
  bool own = false;
  // The root works for itself: only its own ends are this failure.
  bool alone = false;
  // The root says no more than that it ended.
  bool silent = false;
  // For one alone, its completion index; empty: it has none.
  std::string part;
  // What was found, or what the ledger tells, points to the culprit's node.
  bool of_node = false;
};

// Codes, numbers and names, filled by FailureOf unless it is said otherwise.
// No sentence: those are made of `found` when an answer is written.
struct Failure {
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::FaultDomain domain = v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED;
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // What the outlook rests on; empty when it is unspecified.
  std::string outlook_reason;
  // It would be CANNOT_RECOVER, had it not run for long: from a checkpoint,
  // another attempt may get past what ended it.
  bool may_get_past = false;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  v1::Diagnosis::Situation situation = v1::Diagnosis::SITUATION_UNSPECIFIED;
  Culprit culprit;
  // The row that named the cause, "exit-code/143"; empty: none did.
  std::string signature;
  // See AttemptRecord.fingerprint.
  std::string fingerprint;
  // Of the culprit container; nothing: it has none.
  std::optional<std::int32_t> exit_code;
  // When the culprit ended; the zero time: unknown.
  google::protobuf::Timestamp finished_at;
  // From start to end of the culprit's container; nothing when one is unknown,
  // or the end comes first.
  std::optional<absl::Duration> ran_for;
  // The container that lacked a resource where the cause is that one was
  // short: the culprit's, unless that told of another.
  std::string short_container;
  // Members that died because of it.
  int cascades = 0;
  // The confidence is low, and what the report lacks could settle it.
  bool doubtful = false;
  // Filled by Demystify.
  Incident incident;
  // Who starts the next attempt by itself, where the work goes on. Filled by
  // Demystify.
  v1::AttemptRecord::RetriedBy retried_by =
      v1::AttemptRecord::RETRIED_BY_UNSPECIFIED;
  // It is not past, but open beside the one at hand, with which it shares no
  // fate. Filled by Demystify.
  bool open = false;
  // What fleet or history show beyond this failure, and why. Filled when it is
  // compared with them (policy/verdict/diagnosed.h).
  v1::DerivedCause derived_cause = v1::DERIVED_CAUSE_UNSPECIFIED;
  std::string derived_reason;
  // How many failures in a row are alike, where the brake ends the retries of
  // others for it; 0: it does not. Filled by policy/verdict/recalled.h.
  std::int64_t alike = 0;
  // The cause by the report alone, where the ledger knows better
  // (policy/verdict/recalled.h). Nothing: it does not.
  std::optional<v1::Cause> set_aside;
  // What was found, of the diagnosis that the failure is of; null: a failure
  // that only the ledger tells of.
  const demystify::Conclusion* found = nullptr;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FAILURE_H_
