// Counting every finished pod exactly once, across two kinds of objects that
// cannot be updated together (KEP-2307).
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_

#include <cstdint>

#include "policy/operators/job/gates.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/types.h"

namespace mulligan::job {

struct AccountingInput {
  // The Job as before the pass, with its defaults.
  const Job& job;
  const Pods& pods;
  const Gates& gates;
  const Indexes& indexes;
  // The Job has ended in this pass or before: every pod's finalizer may go.
  bool ended = false;
  // It ended by failing: pods that still run count as failed.
  bool remaining_pods_fail = false;
};

// status.failed and status.succeeded after the pass.
struct Counters {
  std::int64_t failed = 0;
  std::int64_t succeeded = 0;
};

// A pod is counted when its finalizer may go; a failed pod that waits for its
// replacement under limits per index keeps it. Indexed Jobs know their
// successes by index. A pass counts 500 pods at most.
Counters AccountPods(const AccountingInput& input);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_ACCOUNTING_H_
