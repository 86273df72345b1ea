// The parts of an answer.
#ifndef MULLIGAN_POLICY_ANSWER_DECIDED_H_
#define MULLIGAN_POLICY_ANSWER_DECIDED_H_

#include <string>
#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/base/answer_part.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/failure_context.h"
#include "policy/verdict/ledger_state.h"

namespace mulligan {

struct Decided {
  AnswerPart<v1::Decision> decision;
  AnswerPart<v1::Accounting> accounting;
  AnswerPart<v1::Explanation> explanation = nullptr;  // null: not requested
  AnswerPart<v1::BudgetLedger> ledger = nullptr;      // after this failure
  // The record of the decision: its index in the ledger's history or, if that
  // is -1, `unrecorded`.
  int record = -1;
  AnswerPart<v1::AttemptRecord> unrecorded = nullptr;
  std::vector<std::string> warnings = {};
};

// Decides by the failure's record, else by the workload's operator if the
// policy leaves the decision to it, else by the policy.
Decided DecideOn(const FailureContext& at, const Diagnosed& diagnosed,
                 LedgerState before);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_DECIDED_H_
