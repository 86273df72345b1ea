// A step of Ruleset::Compile: the conditions of a rule.
#ifndef MULLIGAN_POLICY_RULES_COMPILE_WHEN_H_
#define MULLIGAN_POLICY_RULES_COMPILE_WHEN_H_

#include <string>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/predicates.h"

namespace mulligan {

// Compiles the conditions at `path`, such as "spec.rules[2].when".
Predicates CompileWhen(const v1::When& when, const std::string& path,
                       PatternAllowance& allowance, IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_COMPILE_WHEN_H_
