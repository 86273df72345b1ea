// Compares two answers to one request: those of two policies, or those of a
// policy and of the workload's own operator.
#ifndef MULLIGAN_POLICY_COMPARE_H_
#define MULLIGAN_POLICY_COMPARE_H_

#include <vector>

#include "absl/status/status.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// Returns how two answers to one request differ, in the order of the enum.
// Texts, decision id and policy do not count. Empty if action and price are the
// same.
std::vector<v1::CandidateVerdict::Difference> Differences(
    const v1::DecideResponse& ours, const v1::DecideResponse& candidates);

// Fills `verdict` by comparing the candidate answer with `ours`. REQUIRES:
// `verdict` is empty.
void FillCandidate(const v1::DecideResponse& ours,
                   const v1::DecideResponse& candidates,
                   v1::CandidateVerdict& verdict);

// Records in `verdict` that the candidate has no answer because of `why`.
void FillCandidateError(const absl::Status& why, v1::CandidateVerdict& verdict);

// How the verdicts differ; the first that applies.
enum class Divergence {
  kNone,
  kOnlyNativeRetries,
  kOnlyMulliganRetries,
  // Other actions, for example FAIL and WAIT.
  kAction,
  // Both retry or both fail, but different parts of the workload.
  kScope,
  // Both retry, at different places in the queue.
  kQueue,
  // Both retry, after delays that differ by more than a second and by more than
  // a tenth of the longer one, which jitter may explain.
  kDelay,
};

// Returns the native verdict as a decision: action, scope, delay, place in the
// queue, last attempt.
v1::Decision DecisionOf(const v1::NativeVerdict& native);

Divergence Compare(const v1::NativeVerdict& native, const v1::Decision& ours);

// Returns for example "Job: fail the Job; Mulligan: retry the pod in 9s"; empty
// for kNone.
std::string DifferenceText(const v1::NativeVerdict& native,
                           const v1::Decision& ours);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_COMPARE_H_
