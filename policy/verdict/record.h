// From a verdict to what the ledger keeps of it: the decision, with its advice,
// and the record. No texts for people: those are made of the record.
#ifndef MULLIGAN_POLICY_VERDICT_RECORD_H_
#define MULLIGAN_POLICY_VERDICT_RECORD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/limits.h"
#include "policy/verdict/verdict.h"

namespace mulligan {

// Of an answer, as of a policy: operators' settings ask for any.
inline constexpr absl::Duration kLongestDelay =
    absl::Seconds(kMaxPolicySeconds);

// The name of one of the policy's budgets, which must not be kNoBudget.
const std::string& BudgetName(const Case& failure, int budget);

// Fills everything but the texts.
void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings);

// Fills `record` with what happened, and with `decision`.
void FillRecord(const Case& failure, const Verdict& verdict,
                const v1::Decision& decision, v1::AttemptRecord& record);

// Writes charges and `record`, which is emptied, into the ledger, as attempt
// number `attempts`.
void Book(const Accounts& accounts, std::int32_t attempts,
          v1::AttemptRecord& record, v1::BudgetLedger& ledger);

// Sets the resources of `decision` to what was granted last to this part of the
// workload (AttemptRecord.part).
void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         const std::string& part, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_RECORD_H_
