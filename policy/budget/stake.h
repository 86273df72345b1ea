// Hours at stake in a failure, and how often retries after its cause succeed.
#ifndef MULLIGAN_POLICY_BUDGET_STAKE_H_
#define MULLIGAN_POLICY_BUDGET_STAKE_H_

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/recent.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/failure.h"

namespace mulligan {

// The inputs; views must outlive the call.
struct AttemptAtStake {
  const v1::FailureReport& report;  // only the current attempt
  const Failure& failure;
  // Its run time; empty if unknown.
  std::optional<absl::Duration> ran;
  // The ledger before this failure.
  const v1::BudgetLedger& ledger;
  // Digests from the caller. Windows overlap, so only the one with most retries
  // after this cause counts.
  const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent;
};

// Returns everything of the stake except `passes`. Pure; linear in the report's
// pods and the ledger's history.
//
// Hours are accelerator hours or, if none of the attempt's pods holds an
// accelerator, pod hours. Good hours belong to the first attempt and to those
// that got further than the one before, by reported progress or else by run
// time. Progress.advanced_at proves good hours too.
v1::Stake StakeOf(const AttemptAtStake& attempt);

// Returns the hours of attempts that ran for `avoidable` in total, each with
// the pods that run now or, if none runs, those at the indices `ended`. Fills
// only `accelerators` and `avoidable_hours`.
v1::Stake AvoidableStake(const v1::FailureReport& report,
                         const std::vector<int>& ended,
                         absl::Duration avoidable);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_STAKE_H_
