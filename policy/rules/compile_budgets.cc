#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/checks.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {
namespace {

std::string PathOf(const std::string& name) {
  return absl::StrCat("spec.budgets[", name, "]");
}

CompiledRefund CompileRefund(const v1::Refund& refund, const std::string& path,
                             IssueReporter& report) {
  CompiledRefund compiled;
  if (refund.has_min_growth()) {
    if (CheckFactor(refund.min_growth(), 0, 1e300, path + ".minGrowth",
                    report)) {
      compiled.min_growth = refund.min_growth();
    }
  }
  if (refund.has_min_healthy()) {
    compiled.min_healthy =
        CheckDuration(refund.min_healthy(), path + ".minHealthy", report);
  }
  if (!refund.has_min_growth() && !refund.has_min_healthy()) {
    report.Error(path, "needs minGrowth, minHealthy or both");
  }
  if (!refund.has_ceiling()) {
    report.Error(path,
                 "ceiling is missing: without it the budget is no bound; "
                 "expected the most units given back, 1 to 1000000");
  } else if (CheckRange(refund.ceiling(), 1, kMaxBudgetLimit, path + ".ceiling",
                        report)) {
    compiled.ceiling = refund.ceiling();
  }
  return compiled;
}

// Resolves onExhausted once all budgets are known.
void CompileExhausted(const v1::Budget& budget,
                      const std::vector<CompiledBudget>& budgets,
                      CompiledBudget& compiled, IssueReporter& report) {
  if (!budget.has_on_exhausted()) return;
  const std::string path = PathOf(compiled.name) + ".onExhausted";
  const v1::ExhaustedOutcome& exhausted = budget.on_exhausted();
  const v1::Decision::Action action = exhausted.action();
  if (action != v1::Decision::FAIL && action != v1::Decision::RETRY &&
      action != v1::Decision::WAIT_FOR_SPEC_UPDATE) {
    report.Error(path + ".action",
                 "expected FAIL, WAIT_FOR_SPEC_UPDATE or RETRY");
    return;
  }
  compiled.on_exhausted = action;
  compiled.exhausted_scope = exhausted.scope();
  if (!v1::Decision::Scope_IsValid(exhausted.scope())) {
    report.Error(path + ".scope", "is no scope");
  }
  if (action != v1::Decision::RETRY) {
    if (!exhausted.budget().empty()) {
      report.Error(path + ".budget",
                   absl::StrFormat("%s is not paid for; a "
                                   "budget goes with RETRY",
                                   v1::Decision::Action_Name(action)));
    }
    return;
  }
  if (exhausted.budget().empty()) {
    report.Error(path, "RETRY needs the budget that pays from now on");
    return;
  }
  compiled.escalate_to = FindBudget(budgets, exhausted.budget());
  if (compiled.escalate_to == kNoBudget) {
    report.Error(path + ".budget", absl::StrFormat("no budget is called \"%s\"",
                                                   exhausted.budget()));
  }
}

void CheckEscalationCycles(std::vector<CompiledBudget>& budgets,
                           IssueReporter& report) {
  for (CompiledBudget& budget : budgets) {
    int next = budget.escalate_to;
    // A chain longer than there are budgets has met one twice.
    for (std::size_t steps = 0; next != kNoBudget; ++steps) {
      const CompiledBudget& reached = budgets[static_cast<std::size_t>(next)];
      if (&reached == &budget) {
        report.Error(
            PathOf(budget.name) + ".onExhausted.budget",
            absl::StrFormat("escalation from \"%s\" leads back to it, so it "
                            "would never end",
                            budget.name));
        break;
      }
      if (steps > budgets.size()) break;  // reported at the cycle itself
      next = reached.escalate_to;
    }
  }
}

CompiledBudget CompileBudget(const std::string& name, const v1::Budget& budget,
                             IssueReporter& report) {
  const std::string path = PathOf(name);
  CompiledBudget compiled;
  compiled.name = name;
  if (!IsDnsLabel(name)) {
    report.Error(
        path, absl::StrFormat("\"%s\" is no budget name, expected lower-case "
                              "letters, digits and '-', at most 63 characters",
                              name));
  }
  if (!budget.has_limit()) {
    report.Error(path,
                 "limit is missing, expected failures tolerated, 0 to "
                 "1000000");
  } else if (CheckRange(budget.limit(), 0, kMaxBudgetLimit, path + ".limit",
                        report)) {
    compiled.limit = budget.limit();
  }
  if (budget.has_window()) {
    compiled.window = CheckDuration(budget.window(), path + ".window", report);
  }
  if (budget.has_refund_on_progress()) {
    compiled.refund = CompileRefund(budget.refund_on_progress(),
                                    path + ".refundOnProgress", report);
  }
  return compiled;
}

}  // namespace

int FindBudget(const std::vector<CompiledBudget>& budgets,
               std::string_view name) {
  const auto found = std::lower_bound(
      budgets.begin(), budgets.end(), name,
      [](const CompiledBudget& b, std::string_view n) { return b.name < n; });
  if (found == budgets.end() || found->name != name) return kNoBudget;
  return static_cast<int>(found - budgets.begin());
}

std::vector<CompiledBudget> CompileBudgets(const v1::RetryPolicySpec& spec,
                                           IssueReporter& report) {
  std::vector<CompiledBudget> budgets;
  if (spec.budgets().size() > kMaxBudgets) {
    report.Error("spec.budgets",
                 absl::StrCat("has ", spec.budgets().size(),
                              " budgets, expected at most ", kMaxBudgets));
    return budgets;
  }
  std::vector<std::string> names;
  for (const auto& [name, budget] : spec.budgets()) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    budgets.push_back(CompileBudget(name, spec.budgets().at(name), report));
  }
  for (CompiledBudget& budget : budgets) {
    CompileExhausted(spec.budgets().at(budget.name), budgets, budget, report);
  }
  CheckEscalationCycles(budgets, report);
  return budgets;
}

}  // namespace mulligan
