// What must hold for every request, however odd.
#ifndef MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_
#define MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// Decides `request` under the embedded policy and aborts, after saying which
// property failed, unless
//   - a request that Validate refuses is refused, and only such a one is called
//     invalid;
//   - a verdict has an action, names a cause, and charges 0 or 1;
//   - no budget is used beyond its limit by this call, none is negative;
//   - the same request gives the same bytes;
//   - the same failure with the new ledger charges nothing more.
void CheckDecideProperties(const v1::DecideRequest& request);

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_FUZZ_DECIDE_PROPERTIES_H_
