// A step of Ruleset::Compile: warnings.
#ifndef MULLIGAN_POLICY_RULES_LINT_H_
#define MULLIGAN_POLICY_RULES_LINT_H_

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/rules/compiled_policy.h"

namespace mulligan {

// Warns about settings that load but are probably mistakes.
void LintPolicy(const v1::RetryPolicy& source, const CompiledPolicy& compiled,
                IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_LINT_H_
