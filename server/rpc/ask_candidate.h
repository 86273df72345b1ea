// Verdicts of candidate policies.
#ifndef MULLIGAN_SERVER_RPC_ASK_CANDIDATE_H_
#define MULLIGAN_SERVER_RPC_ASK_CANDIDATE_H_

#include "absl/status/status.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// Decides `request` under `candidate` as well, and adds that verdict and its
// difference to `response`. If deciding fails or `watch` ends the call, the
// verdict says so, and that error is returned. Changes nothing else; never
// throws.
absl::Status AskCandidate(const v1::DecideRequest& request,
                          const PolicySet& candidate,
                          const google::protobuf::Timestamp& now, Watch& watch,
                          v1::DecideResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_ASK_CANDIDATE_H_
