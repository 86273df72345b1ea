// The id that ties an answer to its question.
#ifndef MULLIGAN_POLICY_VERDICT_DECISION_ID_H_
#define MULLIGAN_POLICY_VERDICT_DECISION_ID_H_

#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// A hash of what decided: policy and its revision, failure id, attempt, time,
// ledger and diagnosis. The same request under the same policies has the same
// id. Requires: response.policy and response.diagnosis are filled.
std::string DecisionId(const v1::DecideRequest& request,
                       const v1::DecideResponse& response,
                       const std::string& failure_id, absl::Time observed_at);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_DECISION_ID_H_
