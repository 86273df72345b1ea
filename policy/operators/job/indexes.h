// Bookkeeping per completion index of an Indexed Job (KEP-3850). It lives in
// annotations of the pods, not in the Job's status.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_

#include <cstdint>
#include <map>

#include "policy/operators/job/gates.h"
#include "policy/operators/job/index_set.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

// The failed pod ends its index: a FailIndex rule matches, or the failure
// counts and the failures before it have used up backoffLimitPerIndex.
bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates);

// The indexes of an Indexed Job, pods that are not accounted yet included;
// all empty for other Jobs.
struct Indexes {
  IndexSet succeeded;
  // The others are empty without limits per index.
  IndexSet failed;
  // Per index that has neither an active pod nor an end: its latest failed pod.
  // It keeps its finalizer, and with it its place outside status.failed, until
  // the replacement has taken over its counts.
  std::map<std::int64_t, const Pod*> awaiting_replacement;
};
Indexes IndexesOf(const Job& job, const Pods& pods, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_INDEXES_H_
