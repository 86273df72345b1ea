// From a verdict to the messages of the answer, with its advice.
#ifndef MULLIGAN_POLICY_VERDICT_ANSWER_H_
#define MULLIGAN_POLICY_VERDICT_ANSWER_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
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

// A hash of what decided: policy and its revision, failure id, attempt, time,
// ledger and diagnosis. The same request under the same policies has the same
// id. Requires: response.policy and response.diagnosis are filled.
std::string DecisionId(const v1::DecideRequest& request,
                       const v1::DecideResponse& response,
                       const std::string& failure_id, absl::Time observed_at);

// Fills placement and resources of a RETRY. Advice only adds: what cannot be
// followed is the caller's to drop, and never turns the retry into a failure.
// Growth granted to earlier failures is repeated, because it is relative to the
// first attempt's spec, and grows from there. Growth that has met its cap adds
// a warning.
void FillAdvice(const Case& failure, const Verdict& verdict,
                v1::Decision& decision, std::vector<std::string>& warnings);

// Sets the resources of `decision` to what was granted last.
void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         v1::Decision& decision);

// The texts of a decision that the ledger leaves out: sentences are made from
// the record, so a repeated report gets the same ones.
void FillAdviceText(const v1::AttemptRecord& record, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ANSWER_H_
