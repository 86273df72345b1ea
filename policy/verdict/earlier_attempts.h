// Failures that the report tells besides the one at hand.
#ifndef MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
#define MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_

#include "policy/budget/ledger.h"
#include "policy/verdict/call.h"

namespace mulligan {

// Fills response.separate: what was decided about the failures that are open
// beside the one at hand.
void TellSeparate(Call& call);

// Charges and records in call.ledger() what happened before the failure at
// hand and is not there yet. Says so in a warning.
void TellEarlierAttempts(Call& call, const NativeCount& count);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_EARLIER_ATTEMPTS_H_
