// What a failure policy's actions do to a JobSet.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

inline constexpr std::string_view kFailJobSet = "FailJobSet";
// The action when no rule applies.
inline constexpr std::string_view kRestartJobSet = "RestartJobSet";

// Names an action of the API, alpha ones included.
bool IsKnownAction(std::string_view action);
// Whether the action restarts one child Job.
bool IsJobAction(std::string_view action);

// What was done about failed child Jobs.
struct Verdict {
  // Effective action: a restart beyond the budget is FailJobSet.
  std::string action;
  // Rule that applied; -1: none did.
  int rule = -1;
  // The Job the action is for; never null.
  const Job* job = nullptr;
  // Of the condition Failed or RestartingJobSet; empty for RestartJob*, which
  // sets none.
  std::string reason;
  // Of the condition, and of the event of a restart.
  std::string message;
  // Whether only `job` is restarted.
  bool restarts_job = false;
  // Whether the restart uses budget, or failed for want of it.
  bool counted = false;
  // Patterns were left untried, see FindRule.
  bool patterns_used_up = false;
};

struct ActionInput {
  const JobSetSpec& spec;
  const Gates& gates;
  // Name of the action in the rule.
  std::string_view action;
  // The rule; null: none applied.
  const FailurePolicyRule* rule = nullptr;
  // The Job it is applied for.
  const Job& job;
};

// Applies one action. FAILED_PRECONDITION when the controller gets no further
// and repeats the pass for ever (gate off, labels without a counter);
// UNIMPLEMENTED for an action it does not know. Then nothing has changed.
absl::StatusOr<Verdict> ApplyAction(const ActionInput& input,
                                    StatusChange& change);

// Decides about failed child Jobs, of which there is at least one: without a
// failure policy the JobSet fails; else the first rule that applies says what
// is done, and without one RestartJobSet.
absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           StatusChange& change);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_ACTIONS_H_
