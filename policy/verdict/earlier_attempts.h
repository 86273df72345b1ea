// Attempts that failed before the one at hand, and how they get into the
// ledger: seen in the report, counted by the operator, or in the ledger
// already.
//
// All three must tell the same count. The highest wins: attempts that the
// ledger lacks are charged each to its own budget; what only a counter knows is
// charged as unknown (policy/budget/seeding.h).
#ifndef MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
#define MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "policy/base/pattern_allowance.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/seeding.h"
#include "policy/verdict/intake.h"

namespace mulligan {

// Earlier attempts whose pods are in the report.
std::int32_t EarlierIn(const Call& call);

// When a failure happened; `now` where nobody knows, never later.
absl::Time FailedAt(const v1::Diagnosis& diagnosis, absl::Time now);

// Hash of the failure, for jitter.
std::uint64_t IdentityOf(const Call& call, const FailureId& id);

// The failure at hand as this report tells it. Holds references to its
// arguments.
ToldFailure ToldNow(const Call& call, const FailureId& id,
                    const NativeCount& count);

// Charges and records in call.ledger() what happened before the failure at
// hand and is not there yet. Says so in a warning.
void TellEarlierAttempts(Call& call, const NativeCount& count,
                         PatternAllowance& patterns);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
