// One failure as a value, which all later stages read.
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

// The member where the failure began. Names are shortened as in answers
// (Excerpt in policy/base/utf8.h); empty if unknown.
struct Culprit {
  // Index into report.pods; -1 if it is not a pod of the report.
  int index = -1;
  std::string pod;
  std::string container;
  std::string node;
  // Set if the object is not a pod or node.
  std::string kind;
  std::string name;
};

// One incident in the report: the pods affected and their lifetimes.
struct Incident {
  // Indexes of its failed pods in the report, the root first.
  std::vector<int> pods;
  // When the root began, and when its end was caused, which is earlier than the
  // end if the root was marked and had a grace period. Empty if unknown.
  std::optional<absl::Time> begin;
  std::optional<absl::Time> struck;
  // Index of the event if only an event reports the incident; else -1.
  int event = -1;
  // Only the object above the pods reports it, and has since restarted the
  // work.
  bool of_object = false;
  // Only an operator's counter or summary reports it, without a reason.
  bool summary = false;
  // The root ended by itself and not because a peer died.
  bool own = false;
  // The root works alone, so only its own ends are part of this failure.
  bool alone = false;
  // The root shows only that it ended.
  bool silent = false;
  // The completion index of a root that works alone; empty if it has none.
  std::string part;
  // Evidence or the ledger points to the culprit's node.
  bool of_node = false;
};

// Codes, numbers and names, filled by FailureOf unless noted otherwise.
// Sentences are made from `found` when an answer is written.
struct Failure {
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::FaultDomain domain = v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED;
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // The reason for the outlook; empty if it is unspecified.
  std::string outlook_reason;
  // A second similar failure makes the outlook CANNOT_RECOVER. The first time
  // it may recover, because a checkpoint of the long run may get past the
  // failure, or because an exit code alone is only a convention.
  bool fatal_if_repeated = false;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  v1::Diagnosis::Situation situation = v1::Diagnosis::SITUATION_UNSPECIFIED;
  Culprit culprit;
  // The row that named the cause, "exit-code/143"; empty if none did.
  std::string signature;
  // See AttemptRecord.fingerprint.
  std::string fingerprint;
  // The culprit container's; empty if it has none.
  std::optional<std::int32_t> exit_code;
  // When the culprit ended; the zero time if unknown.
  google::protobuf::Timestamp finished_at;
  // Run time of the culprit's container; empty if its start or end is unknown
  // or they are in the wrong order.
  std::optional<absl::Duration> ran_for;
  // The container that lacked a resource, if that is the cause: the culprit's,
  // unless its message names another.
  std::string short_container;
  // Number of members that died because of it.
  int cascades = 0;
  // The confidence is low, and missing evidence could settle it.
  bool doubtful = false;
  // Filled by Demystify.
  Incident incident;
  // Who starts the next attempt, if the work goes on. Filled by Demystify.
  v1::AttemptRecord::RetriedBy retried_by =
      v1::AttemptRecord::RETRIED_BY_UNSPECIFIED;
  // Open and independent of the current failure. Filled by Demystify.
  bool open = false;
  // The cause that fleet and history show, and the reason. Filled by
  // policy/verdict/diagnosed.h.
  v1::DerivedCause derived_cause = v1::DERIVED_CAUSE_UNSPECIFIED;
  std::string derived_reason;
  // Number of equal failures in a row for which the brake ends retries by
  // others; 0 if it does not. Filled by policy/verdict/ledger_state.h.
  std::int64_t alike = 0;
  // The cause according to the report alone, if the ledger's cause replaced it
  // (policy/verdict/ledger_state.h); else empty.
  std::optional<v1::Cause> set_aside;
  // Null if only the ledger has the failure.
  const demystify::Conclusion* found = nullptr;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FAILURE_H_
