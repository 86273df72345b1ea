// Properties of every request, however malformed.
#ifndef MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_
#define MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// Decides `request` under the embedded policy. Prints the violated property and
// aborts unless
//   - a request that Validate refuses is refused, and no other one is called
//     invalid;
//   - a verdict has an action, names a cause, and charges 0 or 1;
//   - no budget is negative or exceeds its limit because of this call;
//   - the same request gives the same bytes;
//   - the same failure with the new ledger charges nothing more.
void CheckDecideProperties(const v1::DecideRequest& request);

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_
