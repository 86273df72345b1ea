// Turns a verdict into the decision, with its advice, and into the ledger's
// record. Explanations are made later, from the record.
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

// Longest delay of an answer; operators' settings have no bound.
inline constexpr absl::Duration kLongestDelay =
    absl::Seconds(kMaxPolicySeconds);

// Returns the name of one of the policy's budgets. REQUIRES: not kNoBudget.
const std::string& BudgetName(const Case& failure, int budget);

// Fills everything except the texts.
void FillDecision(const Case& failure, const Verdict& verdict,
                  v1::Decision& decision, std::vector<std::string>& warnings);

// Fills `record` from the failure and `decision`.
void FillRecord(const Case& failure, const Verdict& verdict,
                const v1::Decision& decision, v1::AttemptRecord& record);

// Writes charges and `record` into the ledger as attempt number `attempts`.
// Leaves `record` empty.
void Book(const Accounts& accounts, std::int32_t attempts,
          v1::AttemptRecord& record, v1::BudgetLedger& ledger);

// Sets the resources of `decision` to those last granted to this part of the
// workload (AttemptRecord.part).
void RepeatEarlierGrowth(const v1::BudgetLedger& ledger,
                         const std::string& part, v1::Decision& decision);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_RECORD_H_
