// The heart of a diagnosis: from Kubernetes objects to one cause.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/signatures/user_signatures.h"
#include "policy/demystify/was_decided.h"
#include "policy/request/owners.h"

namespace mulligan {

struct DemystifyOptions {
  // Signatures of the deciding policy; may be null.
  const UserSignatures* signatures = nullptr;
  // Fill Diagnosis.considered even for confident answers.
  bool full = false;
  // What time it is where the report does not say (observed_at).
  google::protobuf::Timestamp now = {};
  // For the signatures' patterns; null: an allowance of its own.
  PatternAllowance* patterns = nullptr;
  // Empty: there is no ledger.
  WasDecided was_decided = {};
  // Attempts that are known to have ended for reasons that are not the
  // program's: what an operator counts besides them may be.
  int not_the_programs = 0;
};

// One incident as it shows in the report, for the ledger: which pods it took,
// and when they lived.
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

// An attempt that failed before the one at hand.
struct EarlierAttempt {
  v1::Diagnosis diagnosis;
  Incident incident;
  // It is not past, but open beside the one at hand, with which it shares no
  // fate.
  bool open = false;
};

// What the later stages need besides the Diagnosis.
struct Findings {
  // The earliest sign of the trouble, for grace periods of work that is stuck
  // rather than failed; absent: no time is known.
  std::optional<absl::Time> since;
  // Short sentences for DecideResponse.warnings: contradictions, unknown kinds
  // and enum values, times in the future.
  std::vector<std::string> warnings;
  // Of the attempt at hand; without pods when none failed.
  Incident incident;
  // Attempts of the same workload whose pods are in the report, oldest first;
  // at most the latest kMaxHistory (policy/limits.h), the rest is only counted.
  std::vector<EarlierAttempt> earlier;
  int more_earlier = 0;
  // The work goes on although it failed, and `earlier` has that failure, too:
  // how often its container has ended, before and then.
  std::int32_t ends = 0;
  // Since when the youngest of what runs does; absent: nothing runs, or nobody
  // says.
  std::optional<absl::Time> runs_since;
  // Some pods work for themselves, so that the end of one is not that of all.
  bool apart = false;
  // For work that is not broken: when to look again; absent: no need.
  std::optional<absl::Time> ask_again;
  // When the last pod of the attempt that is being stopped has to be gone, for
  // nothing is started before; absent: none still runs.
  std::optional<absl::Time> gone_at;
};

// Classifies the report of `owners` and fills `diagnosis` (which must be
// empty). Pure: the only clock is report.observed_at. Never fails: an end that
// cannot be recognised is UNKNOWN with low confidence, no end at all is
// NOT_FAILED. Linear in the size of the report, but for sorting its pods.
//
// The report is about one workload. Of several attempts the last one is
// diagnosed; the ones before it are in Findings.
Findings Demystify(const Owners& owners, const DemystifyOptions& options,
                   v1::Diagnosis& diagnosis);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_
