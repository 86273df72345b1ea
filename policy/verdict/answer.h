// From a verdict to the messages of the answer, with its advice, the sentence
// for people, and how the answer of policies that are tried out differs.
#ifndef MULLIGAN_POLICY_VERDICT_ANSWER_H_
#define MULLIGAN_POLICY_VERDICT_ANSWER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/budget/failure_id.h"
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

// "Out of memory in container main (OOMKilled, exit 137): retry the pod in 12s
// with memory x1.5; charged to memory (1 of 2 used)." Made from what the
// ledger keeps, so that a repeated report gets the same sentence; `record`
// need not be in a ledger.
std::string SentenceOf(const v1::Diagnosis& diagnosis,
                       const v1::Decision& decision,
                       const v1::AttemptRecord& record);

// "the JobSet"; "the workload" when it is not set.
std::string_view ScopeText(v1::Decision::Scope scope);

// The verdict alone: "retry the pod in 12s with memory x1.5".
std::string VerdictText(const v1::Decision& decision);

// In what two answers to one request differ, in the order of the enum; texts,
// decision and policy do not count. Empty: they ask for the same at the same
// price.
std::vector<v1::CandidateVerdict::Difference> Differences(
    const v1::DecideResponse& ours, const v1::DecideResponse& candidates);

// The answer `candidates` beside `ours`, in `verdict`, which must be empty.
void TellCandidate(const v1::DecideResponse& ours,
                   const v1::DecideResponse& candidates,
                   v1::CandidateVerdict& verdict);

// That the candidate has no answer, because of `why`.
void TellNoCandidate(const absl::Status& why, v1::CandidateVerdict& verdict);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ANSWER_H_
