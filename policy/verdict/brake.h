// Ends retries that others make and that cannot help.
#ifndef MULLIGAN_POLICY_VERDICT_BRAKE_H_
#define MULLIGAN_POLICY_VERDICT_BRAKE_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

// A verdict that ends retries by others: it refuses another attempt, or grants
// one with resources that others do not add (RETRY).
struct EndOfRetries {
  // The record of the latest failure.
  v1::AttemptRecord record;
  v1::Decision::Action action = v1::Decision::FAIL;
  // Number of equal failures in a row; 0 if the policy refused the latest one
  // for another reason (Brake.POLICY).
  std::int64_t alike = 0;
  // They differ, but none of them can recover.
  bool unlike = false;
  // How long attempts, including the current one, have run since this first
  // became the verdict.
  absl::Duration avoidable = absl::ZeroDuration();
};

// Returns whether the current attempt, running since `since` (empty if nothing
// runs), has outlived the failure that ended at `ended` by more than `limit`
// and more than three minutes.
bool IsOutlived(absl::Time now, std::optional<absl::Time> since,
                absl::Time ended, absl::Duration limit);

// Returns the verdict by which the policy's brake (spec.brake) ends the retries
// of running work, judging by the failures in `ledger`. Empty if they go on, as
// they do in any of these cases:
//
//   1. The current attempt has outlived the failures.
//   2. The work was resumed or created after them and may have changed.
//   3. The pods work independently of each other. Not so for an index with a
//      limit of its own, which ends alone, and for one whose Job ends with it
//      while no other index is healthy.
std::optional<EndOfRetries> FindStop(const FailureContext& at,
                                     const Diagnosed& diagnosed,
                                     const v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_BRAKE_H_
