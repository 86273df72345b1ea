// THE writer of answers: the values of all stages become messages here, with
// what people read last.
#ifndef MULLIGAN_POLICY_ANSWER_ANSWER_H_
#define MULLIGAN_POLICY_ANSWER_ANSWER_H_

#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/answer/decided.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/received.h"
#include "policy/verdict/situated.h"

namespace mulligan {

// Fills `response`, which must be empty.
void WriteAnswer(const Received<v1::DecideRequest>& received, Situated& at,
                 const Diagnosed& told, Decided decided,
                 v1::DecideResponse& response);

// The same of a diagnosis alone, but for the warning of used up patterns.
void WriteAnswer(const Received<v1::DemystifyRequest>& received,
                 const Owners& owners, const v1::WorkloadReference& workload,
                 const ChosenPolicy& policy, const Findings& findings,
                 v1::DemystifyResponse& response);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_ANSWER_H_
