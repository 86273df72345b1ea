// From a verdict to the messages of the answer.
#ifndef MULLIGAN_POLICY_VERDICT_ANSWER_H_
#define MULLIGAN_POLICY_VERDICT_ANSWER_H_

#include <string>
#include <vector>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/budget/failure_id.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// The name of one of the policy's budgets, which must not be kNoBudget.
const std::string& BudgetName(const Case& failure, int budget);

// Fills everything but the human texts, which need the record.
void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings);

// Fills `record` with what happened and, without its human texts, `decision`.
void FillRecord(const Case& failure, const Verdict& verdict,
                const FailureId& id, const v1::Decision& decision,
                v1::AttemptRecord& record);

// Writes charges and `record`, which is emptied, into the ledger. The last that
// is done about a failure: its `ledger` is not the one before it any more.
void Book(const Case& failure, const Accounts& accounts,
          v1::AttemptRecord& record, v1::BudgetLedger& ledger);

// Adds sentence and reasons, made from the record.
void FillTexts(const v1::Diagnosis& diagnosis, const v1::AttemptRecord& record,
               v1::Decision& decision);

// Fills `accounting` of a failure decided now.
void FillAccounting(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Accounting& accounting);

// What the record says about a limit that ended the work, if one did.
void FillExhaustion(const v1::AttemptRecord& record,
                    v1::Accounting& accounting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ANSWER_H_
