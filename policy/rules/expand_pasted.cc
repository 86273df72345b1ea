#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/import/import.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {
namespace {

void AddBudgets(Import& import, v1::RetryPolicySpec& spec, SourceMap& positions,
                IssueReporter& report) {
  for (Import::Budget& budget : import.budgets) {
    if (spec.budgets().contains(budget.name)) {
      report.Error(absl::StrCat("spec.budgets[", budget.name, "]"),
                   absl::StrFormat("budget \"%s\" comes from %s: rename this "
                                   "one",
                                   budget.name, budget.path));
      continue;
    }
    positions.Add(absl::StrCat("spec.budgets[", budget.name, "]"),
                  positions.Find(budget.path));
    (*spec.mutable_budgets())[budget.name] = std::move(budget.budget);
  }
}

void AddRules(Import& import, v1::RetryPolicySpec& spec, SourceMap& positions) {
  for (Import::Rule& rule : import.rules) {
    positions.Add(absl::StrCat("spec.rules[", spec.rules_size(), "]"),
                  positions.Find(rule.path));
    *spec.add_rules() = std::move(rule.rule);
  }
}

void AddDefault(Import& import, v1::RetryPolicySpec& spec, SourceMap& positions,
                IssueReporter& report) {
  if (!import.fallback.has_value()) return;
  if (spec.has_default_()) {
    report.Error("spec.default",
                 absl::StrFormat("%s says already what to do when no rule "
                                 "matches: remove the default, or write a rule",
                                 import.fallback_path));
    return;
  }
  positions.Add("spec.default", positions.Find(import.fallback_path));
  *spec.mutable_default_() = *std::move(import.fallback);
}

}  // namespace

void ExpandPasted(v1::RetryPolicySpec& spec, SourceMap& positions,
                  PatternAllowance& allowance, IssueReporter& report) {
  const int errors = report.errors();
  Import import = ImportPasted(
      {spec.pasted(), spec.native().semantics(), allowance}, report);
  // What the operator refuses would be refused again as a rule.
  if (report.errors() > errors) import.rules.clear();
  AddBudgets(import, spec, positions, report);
  AddRules(import, spec, positions);
  AddDefault(import, spec, positions, report);
}

}  // namespace mulligan
