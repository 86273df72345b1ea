// From Kubernetes objects to failures.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/demystify/failure.h"
#include "policy/demystify/signatures/user_signatures.h"
#include "policy/demystify/was_decided.h"
#include "policy/request/owners.h"

namespace mulligan {

struct DemystifyOptions {
  // Signatures of the deciding policy; may be null.
  const UserSignatures* signatures = nullptr;
  // The time if the report has no observed_at.
  google::protobuf::Timestamp now = {};
  // For the signatures' patterns; if null, uses an allowance of its own.
  PatternAllowance* patterns = nullptr;
  // Empty if there is no ledger.
  WasDecided was_decided = {};
  // Number of attempts known to have ended for reasons other than the program,
  // which an operator's counter may include.
  int external_ends = 0;
  // See demystify::Context.
  std::function<std::string(int)> operator_retries = {};
};

namespace demystify {
struct Judged;
}

// Every failure of a report, and whether the work goes on.
struct Findings {
  // The current attempt; its incident has no pods if none failed.
  Failure failure;
  // The earliest sign of the failure, for grace periods of stuck work; empty if
  // no time is known.
  std::optional<absl::Time> since;
  // Sentences for DecideResponse.warnings: contradictions, unknown kinds and
  // enum values, times in the future.
  std::vector<std::string> warnings;
  // Other attempts in the report, oldest first. At most the latest kMaxHistory
  // (policy/limits.h); `more_earlier` counts the rest.
  std::vector<Failure> earlier;
  int more_earlier = 0;
  // If the work goes on after a failure, which is then in `earlier` too: how
  // often its container has ended, including that failure.
  std::int32_t ends = 0;
  // When the youngest running container started; empty if none runs or the time
  // is unknown.
  std::optional<absl::Time> runs_since;
  // All pods of the attempt have succeeded; their owner may not say so yet.
  bool succeeded = false;
  // Some pods work alone, so that the end of one is not the end of all.
  bool apart = false;
  // For work that is not broken: when to look again; empty if there is no need.
  std::optional<absl::Time> ask_again;
  // When the last pod that is being stopped must be gone. Nothing starts
  // before. Empty if no such pod still runs.
  std::optional<absl::Time> gone_at;
  // Owns what Failure.found points into.
  std::shared_ptr<const demystify::Judged> judged;
};

// Classifies the report of `owners`, which is about one workload. Of several
// attempts the last is current. Pure: the only clock is report.observed_at.
// Never fails: an unrecognized end is UNKNOWN with low confidence, no end at
// all is NOT_FAILED. Linear in the size of the report, except for sorting its
// pods.
// REQUIRES: `owners` and `options.patterns` outlive the findings.
Findings Demystify(const Owners& owners, const DemystifyOptions& options = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_
