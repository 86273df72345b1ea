// How two answers to one request differ: of two policies, and of a policy and
// the workload's own operator.
#ifndef MULLIGAN_POLICY_COMPARE_H_
#define MULLIGAN_POLICY_COMPARE_H_

#include <vector>

#include "absl/status/status.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// In what two answers to one request differ, in the order of the enum; texts,
// decision and policy do not count. Empty: they ask for the same at the same
// price.
std::vector<v1::CandidateVerdict::Difference> Differences(
    const v1::DecideResponse& ours, const v1::DecideResponse& candidates);

// The answer `candidates` beside `ours`, in `verdict`, which must be empty.
void TellCandidate(const v1::DecideResponse& ours,
                   const v1::DecideResponse& candidates,
                   v1::CandidateVerdict& verdict);

// That the candidate has no answer, because of `why`.
void TellNoCandidate(const absl::Status& why, v1::CandidateVerdict& verdict);

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

#endif  // MULLIGAN_POLICY_COMPARE_H_
