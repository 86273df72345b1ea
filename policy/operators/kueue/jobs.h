// What Kueue reads off the job behind a workload.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_JOBS_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_JOBS_H_

#include <optional>
#include <string>
#include <vector>

#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// How a job ended: reason "Succeeded" or "Failed" of the condition Finished.
struct JobEnd {
  bool success = false;
  std::string message;
};

// Absent: not at its end.
std::optional<JobEnd> EndOf(const Job& job);
std::optional<JobEnd> EndOf(const JobSet& job_set);
std::optional<JobEnd> EndOf(const Pod& pod);

// Whether every pod wanted is ready or has succeeded.
bool ArePodsReady(const Job& job);
bool ArePodsReady(const JobSet& job_set);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_JOBS_H_
