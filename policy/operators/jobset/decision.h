// What the JobSet controller does about the child Jobs in a report.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_DECISION_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_DECISION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "policy/base/pattern_allowance.h"
#include "policy/operators/jobset/objects.h"

namespace mulligan::jobset {

inline constexpr std::string_view kFailJobSet = "FailJobSet";

inline constexpr char kReachedMaxRestarts[] = "ReachedMaxRestarts";
inline constexpr char kReachedMaxRestartsMessage[] =
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
  // Whether the restart uses budget, or failed for want of it; and how much is
  // used then.
  bool counted = false;
  std::int64_t used = 0;
};

// Decides about failed child Jobs, of which there is at least one: without a
// failure policy the JobSet fails; else the first rule that applies says what
// is done, and without one RestartJobSet. Counts a restart in `status`.
//
// An error when the controller gets no further and repeats the pass for ever
// (gate off, labels without a counter, unknown action). Then nothing has
// changed.
absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           PatternAllowance& patterns,
                                           JobSetStatus& status);

struct DecisionInput {
  const JobSet& job_set;
  // Child Jobs of all attempts in listing order.
  const Jobs& jobs;
  // Pods of the JobSet; read for in-place restarts only.
  const Pods& pods;
  const Gates& gates;
  // The Jobs of `running` that the Job controller is about to give up, with the
  // condition Failed it will write. Asked only when nothing else decides.
  std::function<Jobs(const Jobs& running)> foresee;
  // For the patterns of the failure policy.
  PatternAllowance& patterns;
};

struct Decision {
  // With restarts counted.
  JobSetStatus status;
  // Absent: nothing is done.
  std::optional<Verdict> verdict;
};

// Pure; Reconcile of JobSet 0.12. The first that applies:
//   a JobSet being deleted, managed by another controller or at its end is left
//   alone, and so are Jobs of earlier attempts
//   a failed Job: the failure policy, suspended or not
//   enough successful Jobs: action "Completed"
//   with gate and strategy InPlaceRestart, too many restarts of the pods
//   a Job that is about to fail: as a failed one, a pass later
// An error is one of the controller's own: it writes nothing and tries again
// for ever.
absl::StatusOr<Decision> DecideJobSet(const DecisionInput& input);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_DECISION_H_
