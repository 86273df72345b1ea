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
  // What time it is where the report does not say (observed_at).
  google::protobuf::Timestamp now = {};
  // For the signatures' patterns; null: an allowance of its own.
  PatternAllowance* patterns = nullptr;
  // Empty: there is no ledger.
  WasDecided was_decided = {};
  // Attempts that are known to have ended for reasons that are not the
  // program's: what an operator counts besides them may be.
  int not_the_programs = 0;
  // See demystify::Context.
  std::function<std::string(int)> operator_retries = {};
};

namespace demystify {
struct Judged;
}

// Every failure of a report, and whether the work goes on.
struct Findings {
  // The attempt at hand; its incident has no pods when none failed.
  Failure failure;
  // The earliest sign of the trouble, for grace periods of work that is stuck
  // rather than failed; absent: no time is known.
  std::optional<absl::Time> since;
  // Short sentences for DecideResponse.warnings: contradictions, unknown kinds
  // and enum values, times in the future.
  std::vector<std::string> warnings;
  // Attempts of the same workload whose pods are in the report, oldest first;
  // at most the latest kMaxHistory (policy/limits.h), the rest is only counted.
  std::vector<Failure> earlier;
  int more_earlier = 0;
  // The work goes on although it failed, and `earlier` has that failure, too:
  // how often its container has ended, before and then.
  std::int32_t ends = 0;
  // Since when the youngest of what runs does; absent: nothing runs, or nobody
  // says.
  std::optional<absl::Time> runs_since;
  // All pods of the current attempt have succeeded; their owner may not have
  // reported it yet.
  bool succeeded = false;
  // Some pods work for themselves, so that the end of one is not that of all.
  bool apart = false;
  // For work that is not broken: when to look again; absent: no need.
  std::optional<absl::Time> ask_again;
  // When the last pod of the attempt that is being stopped has to be gone, for
  // nothing is started before; absent: none still runs.
  std::optional<absl::Time> gone_at;
  // What Failure.found points into.
  std::shared_ptr<const demystify::Judged> judged;
};

// Classifies the report of `owners`, which outlives the findings as
// `options.patterns` does. Pure: the only clock is report.observed_at. Never
// fails: an end that cannot be recognised is UNKNOWN with low confidence, no
// end at all is NOT_FAILED. Linear in the size of the report, but for sorting
// its pods.
//
// The report is about one workload. Of several attempts the last one is at
// hand.
Findings Demystify(const Owners& owners, const DemystifyOptions& options = {});

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_DEMYSTIFY_H_
