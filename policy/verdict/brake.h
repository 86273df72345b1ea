// Retries that others make by themselves, and that cannot help.
#ifndef MULLIGAN_POLICY_VERDICT_BRAKE_H_
#define MULLIGAN_POLICY_VERDICT_BRAKE_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/situated.h"

namespace mulligan {

// A verdict that ends retries of others: it refuses another attempt, or grants
// one with resources that others do not add (RETRY).
struct EndOfRetries {
  // Of the latest failure.
  v1::AttemptRecord record;
  v1::Decision::Action action = v1::Decision::FAIL;
  // Number of equal failures in a row; 0 if the policy refused the latest one
  // for another reason (Brake.POLICY).
  std::int64_t alike = 0;
};

// Whether what runs since `since` (nothing: nothing runs) has run for longer
// than `most`, and three minutes, beyond a failure that ended at `ended`.
bool IsOutlived(absl::Time now, std::optional<absl::Time> since,
                absl::Time ended, absl::Duration most);

// Whether the policy's brake (spec.brake) ends the retries of work that goes
// on, by the failures that `ledger` has, those of the report included. Nothing:
// they are let be. That is so, too,
//
//   - where what runs has outlived the failures,
//   - for work that was resumed since: whoever did that may have changed it,
//   - for pods that work for themselves beside others.
std::optional<EndOfRetries> FindStop(const Situated& at, const Diagnosed& told,
                                     const v1::BudgetLedger& ledger);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_BRAKE_H_
