// Which rule of a failure policy a failed child Job meets.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_FAILURE_POLICY_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_FAILURE_POLICY_H_

#include <optional>
#include <string>

#include "policy/base/pattern_allowance.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// The only sign of failure JobSet knows: the Job's condition Failed=True.
// FailureTarget and pods are not looked at. Null: the Job has not failed.
const JobCondition* FailedCondition(const Job& job);

// Group of a child Job by its label; empty: it has none.
std::string ReplicatedJobNameOf(const Job& job);

// The Job whose Failed condition is the oldest, to the second; of several the
// first in the list. A condition without a time is older than all. Null: none
// has failed.
const Job* FirstFailedJob(const Jobs& jobs);

struct RuleMatch {
  // Index in the policy.
  int rule = 0;
  // The Job of those the rule applies to that failed first; never null.
  const Job* job = nullptr;
};

// The first rule in the list that applies to any of the Jobs: the order of the
// rules goes before the order of the failures. Patterns are searched anywhere
// in the message; one that does not compile is found nowhere. A Job without a
// group meets no rule, not even an empty one. With `allowance` used up,
// patterns not tried count as not found.
std::optional<RuleMatch> FindRule(const FailurePolicy& policy,
                                  const Jobs& failed, const Gates& gates,
                                  PatternAllowance& allowance);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_FAILURE_POLICY_H_
