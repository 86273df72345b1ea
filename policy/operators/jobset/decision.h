// What the JobSet controller does about the child Jobs in a report.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_DECISION_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_DECISION_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "policy/operators/jobset/actions.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

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
