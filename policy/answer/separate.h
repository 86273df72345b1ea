// Failures in a report other than the one that its answer is about.
#ifndef MULLIGAN_POLICY_ANSWER_SEPARATE_H_
#define MULLIGAN_POLICY_ANSWER_SEPARATE_H_

#include <string>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/failure_context.h"

namespace mulligan {

// Makes the decisions of one answer, and those in its ledger, consistent:
//
//   1. If one failure ends the whole workload, no part of it is retried.
//   2. An index with its own limit (spec.backoffLimitPerIndex) ends alone, with
//      scope INDEX, if another failure is granted a retry.
//
// `failure_id` is the current failure. Fills no texts; charges stay.
void AgreeOnWhole(const FailureContext& at,
                  const std::vector<OpenFailure>& open,
                  const std::string& failure_id, v1::DecideResponse& response);

// Fills response.separate from the response's ledger.
void FillSeparate(const FailureContext& at, const Findings& findings,
                  const std::vector<OpenFailure>& open,
                  v1::DecideResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_SEPARATE_H_
