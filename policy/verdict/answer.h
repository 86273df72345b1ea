// From a verdict to the messages of the answer, with its advice.
#ifndef MULLIGAN_POLICY_VERDICT_ANSWER_H_
#define MULLIGAN_POLICY_VERDICT_ANSWER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/limits.h"
#include "policy/verdict/situated.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Of an answer, as of a policy: operators' settings ask for any.
inline constexpr absl::Duration kLongestDelay =
    absl::Seconds(kMaxPolicySeconds);

// The name of one of the policy's budgets, which must not be kNoBudget.
const std::string& BudgetName(const Case& failure, int budget);

// Fills everything but the human texts, which need the record.
void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings);

// Fills `record` with what happened and, without its human texts, `decision`.
void FillRecord(const Case& failure, const Verdict& verdict,
                const v1::Decision& decision, v1::AttemptRecord& record);

// Writes charges and `record`, which is emptied, into the ledger, as attempt
// number `attempts`.
void Book(const Accounts& accounts, std::int32_t attempts,
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

// Says in `response`, which has its diagnosis, by which policy it was decided,
// and what failure, decision and request are called. The id of the decision is
// a hash of what decided: policy and its revision, failure id, attempt, time,
// ledger and diagnosis. The same request under the same policies has the same.
void NameAnswer(const Situated& at, std::string failure_id,
                v1::DecideResponse& response);

// Sets the resources of `decision` to what was granted last to this part of the
// workload (AttemptRecord.part).
void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         const std::string& part, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ANSWER_H_
