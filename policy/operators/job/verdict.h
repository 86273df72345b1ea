// Whether a Job has come to its end, and why.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_VERDICT_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_VERDICT_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_index_set.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// What the verdict looks at. The Job has its defaults.
struct VerdictInput {
  const Job& job;
  const Pods& pods;
  const Gates& gates;
  absl::Time now;
  // FailureCount() of kubernetes_job_counting.h.
  std::int64_t failures = 0;
  // Empty for Jobs that are not Indexed.
  IndexSet succeeded_indexes;
  IndexSet failed_indexes;
};

// The first that applies, as the condition to be written first:
//   SuccessCriteriaMet as recorded; a recorded FailureTarget as Failed;
//   PodFailurePolicy, BackoffLimitExceeded, DeadlineExceeded,
//   MaxFailedIndexesExceeded, FailedIndexes, SuccessPolicy.
// Completion by enough successes is not among them: it waits for the last pod.
std::optional<JobCondition> TerminalVerdict(const VerdictInput& input);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_VERDICT_H_
