// Parts of an answer.
#ifndef MULLIGAN_POLICY_ANSWER_PARTS_H_
#define MULLIGAN_POLICY_ANSWER_PARTS_H_

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/budget/accounts.h"
#include "policy/verdict/case.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Adds the sentence and the reasons, which are made from the record. Uses only
// the avoidable hours of `stake`.
void FillTexts(const v1::Diagnosis& diagnosis, const v1::AttemptRecord& record,
               const v1::Stake& stake, v1::Decision& decision);

// Fills `accounting` for a failure that was decided now.
void FillAccounting(const Case& failure, const Verdict& verdict,
                    const Accounts& accounts, v1::Accounting& accounting);

// Adds the limit that ended the work, if the record has one.
void FillExhaustion(const v1::AttemptRecord& record,
                    v1::Accounting& accounting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_ANSWER_PARTS_H_
