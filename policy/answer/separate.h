// Failures that stand beside the one that an answer is about.
#ifndef MULLIGAN_POLICY_ANSWER_SEPARATE_H_
#define MULLIGAN_POLICY_ANSWER_SEPARATE_H_

#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/situated.h"

namespace mulligan {

// Makes the decisions of one answer agree, in its ledger too:
//
//   1. where one of its failures ends the whole workload, nothing of it is
//      retried;
//   2. but an index with a limit of its own (spec.backoffLimitPerIndex) ends
//      alone, with scope INDEX, where another failure is granted a retry.
//
// `failure_id` is the failure at hand. Fills no texts.
void AgreeOnWhole(const Situated& at, const std::vector<OpenFailure>& open,
                  const std::string& failure_id, v1::DecideResponse& response);

// Fills response.separate, by the response's ledger.
void FillSeparate(const Situated& at, const Findings& findings,
                  const std::vector<OpenFailure>& open,
                  v1::DecideResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_SEPARATE_H_
