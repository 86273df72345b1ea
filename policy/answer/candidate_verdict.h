// How the answer of policies that are tried out differs.
#ifndef MULLIGAN_POLICY_ANSWER_CANDIDATE_VERDICT_H_
#define MULLIGAN_POLICY_ANSWER_CANDIDATE_VERDICT_H_

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

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_CANDIDATE_VERDICT_H_
