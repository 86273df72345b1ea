// A step of Ruleset::Compile: the outcome of a rule.
#ifndef MULLIGAN_POLICY_RULES_COMPILE_OUTCOME_H_
#define MULLIGAN_POLICY_RULES_COMPILE_OUTCOME_H_

#include <string>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/rules/outcome.h"

namespace mulligan {

// Compiles the outcome at `path`: "spec.default" or "spec.rules[2].then".
CompiledOutcome CompileOutcome(const v1::Outcome& outcome,
                               const std::vector<CompiledBudget>& budgets,
                               const std::string& path, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COMPILE_OUTCOME_H_
