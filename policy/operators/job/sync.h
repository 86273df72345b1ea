// One pass of the Job controller over a whole Job.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_SYNC_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_SYNC_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "policy/operators/job/backoff.h"
#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

struct SyncInput {
  // Need not have its defaults.
  const Job& job;
  // Pods the Job owns.
  const Pods& pods;
  absl::Time now;
  Gates gates;
  // What the controller remembers from earlier passes.
  BackoffRecord record;
  BackoffSettings backoff;
};

struct SyncResult {
  // The status the controller writes. `failed_indexes` and `terminating` are
  // absent when they are not in use.
  JobStatus status;
  // Active pods the controller deletes.
  Pods deleted_pods;
  // Number of pods it creates, and their indexes in an Indexed Job.
  std::int64_t created_pods = 0;
  std::vector<std::int64_t> created_indexes;
  // When no pod may be created yet: until the first may. Else 0.
  absl::Duration delay;
  // What it remembers.
  BackoffRecord record;
  // The terminal verdict of this pass or an earlier one; absent: the Job goes
  // on. Its type is the condition written first.
  std::optional<JobCondition> verdict;
  // Failures compared with backoffLimit.
  std::int64_t failures = 0;
};

// Pure. Assumes that every write and every creation or deletion of a pod
// succeeds, and that the controller has seen its own former writes. A Job that
// is finished, managed by another controller or of an unknown completion mode
// is left as it is.
SyncResult SyncJob(const SyncInput& input);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_SYNC_H_
