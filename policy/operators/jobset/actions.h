// What a failure policy's actions do to a JobSet.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/base/pattern_allowance.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

inline constexpr std::string_view kFailJobSet = "FailJobSet";
// The action when no rule applies.
inline constexpr std::string_view kRestartJobSet = "RestartJobSet";

inline constexpr std::string_view kReachedMaxRestarts = "ReachedMaxRestarts";
inline constexpr std::string_view kReachedMaxRestartsMessage =
    "jobset failed due to reaching max number of restarts";

// Names an action of the API, alpha ones included.
bool IsKnownAction(std::string_view action);
// Whether the action restarts one child Job.
bool IsJobAction(std::string_view action);

// What is done about a failure.
struct Verdict {
  // Effective action: a restart beyond the budget is FailJobSet.
  std::string action;
  // The child Job it is for; null: no Job has failed (in-place restarts).
  const Job* job = nullptr;
  // Of the condition Failed or RestartingJobSet; empty for RestartJob*, which
  // sets none.
  std::string reason;
  // Of the condition, and of the event of a restart.
  std::string message;
  // Whether only `job` is restarted.
  bool restarts_job = false;
  // Whether the restart uses budget, or failed for want of it; and how much is
  // used then.
  bool counted = false;
  std::int64_t used = 0;
};

// Decides about failed child Jobs, of which there is at least one: without a
// failure policy the JobSet fails; else the first rule that applies says what
// is done, and without one RestartJobSet. Counts a restart in `status`.
//
// FAILED_PRECONDITION when the controller gets no further and repeats the pass
// for ever (gate off, labels without a counter); UNIMPLEMENTED for an action it
// does not know. Then nothing has changed.
absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           PatternAllowance& patterns,
                                           JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_
