// Counting every finished pod exactly once, across two kinds of objects that
// cannot be updated together (KEP-2307).
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_

#include <cstdint>
#include <map>

#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/kubernetes_types.h"

namespace mulligan::job {

// UIDs the lists of uncounted pods may hold; further pods wait for the next
// pass.
inline constexpr std::int64_t kMaxUncountedPods = 500;

struct AccountingInput {
  // The Job as before the pass, with its defaults.
  const Job& job;
  const Pods& pods;
  const Gates& gates;
  // The Job has ended in this pass or before: every pod's finalizer may go.
  bool ended = false;
  // It ended by failing: pods that still run count as failed.
  bool remaining_pods_fail = false;
  // PodsAwaitingReplacement() of kubernetes_job_indexes.h.
  const std::map<std::int64_t, const Pod*>& awaiting_replacement;
};

// Moves finished pods through uncountedTerminatedPods into the counters of
// `status`: lists their UIDs, takes their finalizers away, and counts the UIDs
// whose finalizer is gone. Indexed Jobs know their successes by index, so
// `succeeded` and `completed_indexes` are set from those. False: the lists are
// full and pods remain.
bool AccountPods(const AccountingInput& input, JobStatus& status);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_
