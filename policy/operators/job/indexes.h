// Bookkeeping per completion index of an Indexed Job (KEP-3850). It lives in
// annotations of the pods, not in the Job's status.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_index_set.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// The failed pod ends its index: a FailIndex rule matches, or the failure
// counts and the failures before it have used up backoffLimitPerIndex.
bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates);

// status.completedIndexes with the pods not accounted yet.
IndexSet SucceededIndexes(const Job& job, const Pods& pods);

// status.failedIndexes with the pods not accounted yet.
IndexSet FailedIndexes(const Job& job, const Pods& pods, const Gates& gates);

// Failures of an index as the annotations of its next pod say.
struct IndexFailureCounts {
  std::int32_t counted = 0;
  std::int32_t ignored = 0;
};
// `replaced` is the failed pod to be replaced; null: the index's first pod.
IndexFailureCounts NextIndexFailureCounts(const Pod* replaced,
                                          const JobSpec& spec,
                                          const Gates& gates);

// Per index that has neither an active pod nor an end: its latest failed pod.
// It keeps its finalizer, and with it its place outside status.failed, until
// the replacement has taken over its counts.
std::map<std::int64_t, const Pod*> PodsAwaitingReplacement(
    const Job& job, const Pods& pods, const IndexSet& succeeded,
    const IndexSet& failed, const Gates& gates);

// The first `count` indexes below completions that have no pod, no success and
// no failure. With replacements that wait, terminating pods occupy theirs.
std::vector<std::int64_t> FirstPendingIndexes(const Job& job, const Pods& pods,
                                              const IndexSet& succeeded,
                                              const IndexSet& failed,
                                              const Gates& gates,
                                              std::int64_t count);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_
