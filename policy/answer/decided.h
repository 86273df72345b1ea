// What is answered.
#ifndef MULLIGAN_POLICY_ANSWER_DECIDED_H_
#define MULLIGAN_POLICY_ANSWER_DECIDED_H_

#include <string>
#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/explanation.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/base/answer_part.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/recalled.h"
#include "policy/verdict/situated.h"

namespace mulligan {

struct Decided {
  AnswerPart<v1::Decision> decision;
  AnswerPart<v1::Accounting> accounting;
  AnswerPart<v1::Explanation> explanation = nullptr;  // null: nobody asks
  AnswerPart<v1::BudgetLedger> ledger = nullptr;      // after this failure
  // What was decided about the failure: its index in the ledger's history, or,
  // where that does not keep it (-1), a record of its own.
  int record = -1;
  AnswerPart<v1::AttemptRecord> unrecorded = nullptr;
  std::vector<std::string> warnings = {};
};

// By the record that the failure has, by the workload's own operator where the
// policy leaves it to that, else by the policy.
Decided DecideOn(const Situated& at, const Diagnosed& told, Recalled before);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_DECIDED_H_
