// Counters of restarts, for the whole JobSet and for each child Job.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_RESTART_BUDGET_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_RESTART_BUDGET_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// Replicas of a group; the API server fills in 1.
std::int32_t ReplicasOf(const ReplicatedJob& group);

// Null: the spec has no such group.
const ReplicatedJob* FindGroup(const JobSetSpec& spec, std::string_view name);
const ReplicatedJobStatus* FindGroupStatus(const JobSetStatus& status,
                                           std::string_view name);

// Restarts compared with maxRestarts: those of the JobSet, and, only with the
// gate RestartJob, those of single Jobs.
std::int64_t CountedRestarts(const JobSetStatus& status, const Gates& gates);

// Whether no further counted restart is allowed: maxRestarts N allows N. A
// negative number acts like 0.
bool IsBudgetUsed(const JobSetSpec& spec, const JobSetStatus& status,
                  const Gates& gates);

// Counts a restart of the whole JobSet. Counters saturate; the controller's
// overflow.
void CountJobSetRestart(bool counted, JobSetStatus& status);

// Counts a restart of one child Job. The counters of its group get the length
// of the group at their first use and keep it. FAILED_PRECONDITION, without
// any change, when the Job's labels do not lead to a counter.
absl::Status CountJobRestart(const Job& job, const JobSetSpec& spec,
                             bool counted, JobSetStatus& status);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_RESTART_BUDGET_H_
