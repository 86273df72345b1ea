// One failure whose diagnosis, policy and ledger a test sets, for tests of
// Price.
#ifndef MULLIGAN_TESTS_POLICY_VERDICT_VERDICT_FIXTURE_H_
#define MULLIGAN_TESTS_POLICY_VERDICT_VERDICT_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policy/verdict/record.h"
#include "policy/verdict/verdict.h"
#include "tests/policy/failures.h"
#include "tests/policy/fixtures.h"

namespace mulligan {

inline const absl::Time kNow = absl::FromUnixSeconds(100000);

// A diagnosis, a policy and a ledger; the rest has defaults.
class VerdictTest : public ::testing::Test {
 protected:
  void Policy(const std::string& spec) { rules_ = testing::Compiled(spec); }

  Verdict Decide(const WhatIf& change = {}) {
    return Price(TheCase(), change).verdict;
  }

  v1::Decision DecisionOf(const Verdict& verdict) {
    v1::Decision decision;
    FillDecision(TheCase(), verdict, decision, warnings_);
    return decision;
  }
  v1::Decision Answer() { return DecisionOf(Decide()); }

  // Empty: no budget refused.
  std::string RefusingBudget(const Verdict& verdict) {
    return verdict.refusing_budget == kNoBudget
               ? ""
               : BudgetName(TheCase(), verdict.refusing_budget);
  }

  Case TheCase() {
    owners_.emplace(report_);
    at_.emplace(FailureContext{request_,
                               *owners_,
                               MakePart<v1::WorkloadReference>(nullptr),
                               {},
                               {rules_.get(), nullptr, nullptr, {}},
                               {},
                               kNow,
                               patterns_});
    *at_->workload = workload_;
    told_ = {};
    told_.findings.failure = testing::FailureIn(diagnosis_);
    if (found_ != nullptr) told_.findings.failure.found = found_;
    told_.failed_at = failed_at_;
    told_.findings.ask_again = ask_again_;
    told_.findings.since = since_;
    told_.identity = identity_;
    return {*at_,      told_,     ledger_, at_->owners,
            attempts_, attempts_, true,    stake_};
  }

  v1::FailureReport report_;
  v1::WorkloadReference workload_;
  v1::Diagnosis diagnosis_ = testing::Parse<v1::Diagnosis>(
      "cause: APP_ERROR fault_domain: APPLICATION confidence: MEDIUM");
  // Null: without facts.
  const demystify::Conclusion* found_ = nullptr;
  v1::BudgetLedger ledger_;
  v1::Stake stake_;
  absl::Time failed_at_ = kNow;
  std::optional<absl::Time> ask_again_;
  std::optional<absl::Time> since_;
  std::int32_t attempts_ = 1;
  std::uint64_t identity_ = 0;
  PatternAllowance patterns_;
  std::unique_ptr<const Ruleset> rules_;
  std::vector<std::string> warnings_;

 private:
  v1::DecideRequest request_;
  std::optional<Owners> owners_;
  std::optional<FailureContext> at_;
  Diagnosed told_;
};

inline constexpr char kRetry[] =
    "budgets { key: 'a' value { limit: 2 } } default { action: RETRY budget: "
    "'a' } ";

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_POLICY_VERDICT_VERDICT_FIXTURE_H_
