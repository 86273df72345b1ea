// Writes answers: turns all stages' values into messages, explanations last.
#ifndef MULLIGAN_POLICY_ANSWER_ANSWER_H_
#define MULLIGAN_POLICY_ANSWER_ANSWER_H_

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/answer/decided.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"
#include "policy/verdict/sanitized_request.h"

namespace mulligan {

// Fills `response`. REQUIRES: it is empty.
void WriteAnswer(const SanitizedRequest<v1::DecideRequest>& sanitized,
                 FailureContext& at, const Diagnosed& diagnosed,
                 Decided decided, v1::DecideResponse& response);

// Does the same for a diagnosis alone, but leaves the warning kPatternsUsedUp
// to the caller.
void WriteAnswer(const SanitizedRequest<v1::DemystifyRequest>& sanitized,
                 const Owners& owners, const v1::WorkloadReference& workload,
                 const ChosenPolicy& policy, const Findings& findings,
                 v1::DemystifyResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_ANSWER_H_
