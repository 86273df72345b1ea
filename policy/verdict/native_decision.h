// The verdict of the workload's own operator: as the decision of policy
// `native`, and beside the decision of another policy.
#ifndef MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_
#define MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "policy/budget/failure_id.h"
#include "policy/operators/native.h"
#include "policy/verdict/intake.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Whether the policy leaves the decision to the operator.
inline bool DecidesNatively(const Call& call) {
  const auto& native = call.compiled().native;
  return native != nullptr && native->decides;
}

// Whether the operator is to be asked at all.
inline bool AsksOperator(const Call& call) {
  return call.request.compare_native() || call.compiled().native != nullptr;
}

// Begins the warning that there is none to compare with.
inline constexpr char kNoNativeVerdict[] = "no native verdict: ";

// The operator's verdict; nothing when the report has no object of a known
// one, with a warning if the verdict was for comparison. INVALID_ARGUMENT if it
// was to decide.
absl::Status AskOperator(Call& call, std::optional<NativeOutcome>& outcome);

// Fills the response with the operator's verdict as the decision. Budgets are
// the operator's own: their use comes from its counters where an object has
// them, else from the ledger. The ledger records both, so that a repeated
// report is answered again.
void DecideNatively(Call& call, const Case& failure,
                    const NativeOutcome& outcome, const FailureId& id);

// Fills response.native, and its difference from the decision, which must be
// there.
void ShowNative(Call& call, NativeOutcome outcome);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_
