// How a decision differs from what the workload's own operator would do.
#ifndef MULLIGAN_POLICY_VERDICT_NATIVE_COMPARISON_H_
#define MULLIGAN_POLICY_VERDICT_NATIVE_COMPARISON_H_

#include <string>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/native.pb.h"

namespace mulligan {

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

#endif  // MULLIGAN_POLICY_VERDICT_NATIVE_COMPARISON_H_
