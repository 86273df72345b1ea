// The steps of Ruleset::Compile.
#ifndef MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_
#define MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/rules/ruleset.h"

namespace mulligan {

// Index of the budget called `name`; kNoBudget when there is none.
int FindBudget(const std::vector<CompiledBudget>& budgets,
               std::string_view name);

// Sorted by name. Checks limits, windows, refunds, exhaustion and that no
// escalation leads back to its start.
std::vector<CompiledBudget> CompileBudgets(const v1::RetryPolicySpec& spec,
                                           IssueReporter& report);

// `path` names the outcome: "spec.default" or "spec.rules[2].then".
CompiledOutcome CompileOutcome(const v1::Outcome& outcome,
                               const std::vector<CompiledBudget>& budgets,
                               const std::string& path, IssueReporter& report);

// `path` is "spec.rules[2].when".
Predicates CompileWhen(const v1::When& when, const std::string& path,
                       PatternAllowance& allowance, IssueReporter& report);

CompiledDerivation CompileDerivation(const v1::Derivation& derivation,
                                     IssueReporter& report);

// Turns the native blocks pasted into `spec` into rules, budgets and a default
// of it, which get the positions of what they come from.
void ExpandPasted(v1::RetryPolicySpec& spec, SourceMap& positions,
                  PatternAllowance& allowance, IssueReporter& report);

// Null when the policy never asks the operator.
std::unique_ptr<const CompiledNative> CompileNative(
    const v1::RetryPolicySpec& spec, IssueReporter& report);

// Warnings about what loads but was probably not meant.
void LintPolicy(const v1::RetryPolicy& source, const CompiledPolicy& compiled,
                IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_
