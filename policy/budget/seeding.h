// Where a workload without a ledger stands, by its operator's own counters.
#ifndef MULLIGAN_POLICY_BUDGET_SEEDING_H_
#define MULLIGAN_POLICY_BUDGET_SEEDING_H_

#include <cstdint>
#include <string>

#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// Failures before the one at hand, as far as the operator counted them.
struct NativeCount {
  std::int32_t failures = 0;
  // The counter it was read from, "RayJob.status.failed=2"; empty: none.
  std::string source;
};

// Reads the most senior object in the report. The failure at hand is left out
// where the operator has counted it already:
//   RayJob            status.failed, less one in Failed or Retrying
//   JobSet            status.restarts, at most the restart attempt that the
//                     reported pods or Jobs are labelled with
//   SparkApplication  the larger of executionAttempts and submissionAttempts,
//                     less one: both count the attempt under way
//   Job               status.failed, less the failed pods in the report that
//                     it has counted (without pods: less one)
NativeCount CountNativeFailures(const v1::FailureReport& report);

// The budget that seeded failures are charged to, because operators do not
// tell them apart: "application" if the policy has it, else the budget of its
// default; kNoBudget when there is neither.
int SeedBudget(const CompiledPolicy& policy);

// Seeds an empty `ledger`. Returns a warning, empty when there was nothing.
std::string SeedLedger(const v1::FailureReport& report,
                       const CompiledPolicy& policy, v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_SEEDING_H_
