// The verdict of the workload's own operator: as the decision of policy
// `native`, and beside the decision of another policy.
#ifndef MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_
#define MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/native.pb.h"
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

// Begins the warning that there is none to compare with.
inline constexpr char kNoNativeVerdict[] = "no native verdict: ";

// The operator's verdict on the call's report, with its times as they were
// told; nothing when nobody asks for it, or the report has no object of a known
// one, with a warning if the verdict was for comparison. INVALID_ARGUMENT if it
// was to decide.
absl::Status AskOperator(Call& call, const v1::FailureReport& as_stamped,
                         std::optional<NativeOutcome>& outcome);

// Fills the response with the operator's verdict as the decision. Budgets are
// the operator's own: their use comes from its counters where an object has
// them, else from the ledger. The ledger records both, so that a repeated
// report is answered again.
void DecideNatively(Call& call, const Case& failure,
                    const NativeOutcome& outcome, const FailureId& id);

// Fills response.native, and its difference from the decision, which must be
// there.
void ShowNative(Call& call, NativeOutcome outcome);

// The first that applies.
enum class Divergence {
  kNone,
  kOnlyNativeRetries,
  kOnlyMulliganRetries,
  // Other actions, for example FAIL and WAIT.
  kAction,
  // Both retry or both fail, but more or less of the workload.
  kScope,
  // Both retry, at another place in the queue.
  kQueue,
  // Both retry, after delays that differ by more than a second and more than a
  // tenth of the longer one, which is the share of the jitter.
  kDelay,
};

// The native verdict as a decision: action, scope, delay, place in the queue,
// last attempt.
v1::Decision DecisionOf(const v1::NativeVerdict& native);

Divergence Compare(const v1::NativeVerdict& native, const v1::Decision& ours);

// "Job: fail the Job; Mulligan: retry the pod in 9s"; empty for kNone.
std::string DifferenceText(const v1::NativeVerdict& native,
                           const v1::Decision& ours);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_NATIVE_DECISION_H_
