// Steps of Ruleset::Compile: budgets, thresholds, pasted native settings.
#ifndef MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_
#define MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_

#include <memory>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Returns the budgets sorted by name. Checks limits, windows, refunds and
// exhaustion, and that escalations do not form a cycle.
std::vector<CompiledBudget> CompileBudgets(const v1::RetryPolicySpec& spec,
                                           IssueReporter& report);

CompiledBrake CompileBrake(const v1::Brake& brake, IssueReporter& report);
CompiledDerivation CompileDerivation(const v1::Derivation& derivation,
                                     IssueReporter& report);

CompiledWorth CompileWorth(const v1::Worth& worth, IssueReporter& report);

// Turns native blocks pasted into `spec` into its rules, budgets and default,
// with the positions of their source.
void ExpandPasted(v1::RetryPolicySpec& spec, SourceMap& positions,
                  PatternAllowance& allowance, IssueReporter& report);

// Returns null if the policy never asks the operator.
std::unique_ptr<const CompiledNative> CompileNative(
    const v1::RetryPolicySpec& spec, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COMPILE_PARTS_H_
