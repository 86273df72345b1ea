#include "policy/answer/explain.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/other_causes.h"
#include "policy/verdict/expected.h"
#include "policy/verdict/record.h"
#include "policy/verdict/verdict.h"
#include "policy/wording.h"
#include "policy/words/sentence.h"

namespace mulligan {
namespace {

std::string Summary(const Case& failure, const Verdict& verdict) {
  v1::Decision decision;
  std::vector<std::string> warnings;
  FillDecision(failure, verdict, decision, warnings);
  std::string text = VerdictText(decision);
  if (verdict.charged != kNoBudget) {
    absl::StrAppend(&text, ", charged to ",
                    BudgetName(failure, verdict.charged));
  }
  return text;
}

// Evaluates one change and lists it if the action or payer changes.
class Flips {
 public:
  Flips(const Case& failure, const Verdict& verdict,
        v1::Explanation& explanation)
      : case_(failure), verdict_(verdict), explanation_(explanation) {}

  void Try(const WhatIf& change, const std::string& text) {
    const Verdict other = Price(case_, change).verdict;
    if (other.action == verdict_.action && other.charged == verdict_.charged) {
      return;
    }
    v1::Counterfactual& flip = *explanation_.add_counterfactuals();
    flip.set_change(text);
    flip.set_verdict(Summary(case_, other));
  }

 private:
  const Case& case_;
  const Verdict& verdict_;
  v1::Explanation& explanation_;
};

void TryLimits(const Case& failure, const Verdict& verdict, Flips& flips) {
  const int exhausted = verdict.decided_by == v1::Explanation::BUDGET
                            ? verdict.refusing_budget
                            : kNoBudget;
  if (exhausted != kNoBudget) {
    // If the limit was lowered since, more than one unit is missing.
    const std::int64_t more = verdict.used - verdict.bound + 1;
    flips.Try({.budget = exhausted, .more_limit = more},
              absl::StrFormat("budget %s had limit %d instead of %d",
                              BudgetName(failure, exhausted),
                              verdict.bound + more, verdict.bound));
  } else if (verdict.charged != kNoBudget && verdict.used == verdict.bound &&
             verdict.bound > 1) {
    // Lowers the limit only if the last unit was spent; any other limit would
    // be another policy.
    flips.Try({.budget = verdict.charged, .more_limit = -1},
              absl::StrFormat("budget %s had limit %d instead of %d",
                              BudgetName(failure, verdict.charged),
                              verdict.bound - 1, verdict.bound));
  }
  if (verdict.decided_by == v1::Explanation::MAX_ATTEMPTS) {
    const std::int64_t more = verdict.used - verdict.bound + 1;
    flips.Try({.more_attempts = more},
              absl::StrFormat("maxAttempts were %d instead of %d",
                              verdict.bound + more, verdict.bound));
  }
}

// Returns other possible causes, including a replaced one.
std::vector<v1::Cause> OthersOf(const Case& failure) {
  std::vector<v1::Cause> causes;
  for (const demystify::OtherCause& other : demystify::OtherCausesOf(
           failure.report(), *failure.what().found, /*all=*/true)) {
    causes.push_back(other.cause);
  }
  if (failure.what().set_aside) causes.push_back(*failure.what().set_aside);
  std::erase_if(causes, [](v1::Cause cause) {
    return !v1::Cause_IsValid(cause) || cause == v1::CAUSE_UNSPECIFIED;
  });
  return causes;
}

}  // namespace

void ExplainRules(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation) {
  const Facts facts =
      FactsOf(failure, failure.what().cause, failure.what().derived_cause);
  for (int i = 0; i < verdict.rules_tried; ++i) {
    const CompiledRule& rule = failure.policy().rule(i);
    v1::RuleTrial& trial = *explanation.add_rules_tried();
    *trial.mutable_rule() = rule.reference;
    trial.set_failed_predicate(FailedPredicate(rule.when, facts));
  }
}

void ExplainFlips(const Case& failure, const Verdict& verdict,
                  v1::Explanation& explanation) {
  Flips flips(failure, verdict, explanation);
  TryLimits(failure, verdict, flips);
  if (verdict.decided_by == v1::Explanation::KILL_SWITCH) {
    flips.Try({.without_kill_switch = true}, "the kill switch were off");
  }
  if (verdict.decided_by == v1::Explanation::EXPECTED_HOURS) {
    const double passes = *verdict.outcome->passes;
    if (const auto enough =
            EnoughPasses(failure.policy().worth, failure.stake)) {
      flips.Try({.passes = enough},
                absl::StrFormat("passes of the rule were %g instead of %g",
                                *enough, passes));
    }
  }
  if (failure.what().derived_cause != v1::DERIVED_CAUSE_UNSPECIFIED) {
    flips.Try(
        {.without_derived_cause = true},
        absl::StrFormat("the history did not show %s",
                        v1::DerivedCause_Name(failure.what().derived_cause)));
  }
  for (const v1::Cause cause : OthersOf(failure)) {
    flips.Try({.cause = cause},
              absl::StrFormat("the cause were %s", v1::Cause_Name(cause)));
  }
}

}  // namespace mulligan
