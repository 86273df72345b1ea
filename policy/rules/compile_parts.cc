#include "policy/rules/compile_parts.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/issue.h"
#include "policy/limits.h"
#include "policy/native.h"
#include "policy/rules/outcome.h"

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

CompiledRange CompileRange(const v1::LimitRange& range, const std::string& path,
                           IssueReporter& report) {
  CompiledRange compiled;
  if (CheckRange(range.min(), 0, kMaxBudgetLimit, path + ".min", report)) {
    compiled.min = range.min();
  }
  if (!range.has_max()) {
    report.Error(path,
                 "max is missing, expected the highest limit that a workload "
                 "may set for itself, 0 to 1000000");
  } else if (CheckRange(range.max(), static_cast<std::int32_t>(compiled.min),
                        kMaxBudgetLimit, path + ".max", report)) {
    compiled.max = range.max();
  }
  return compiled;
}

// Resolves onExhausted; all budgets must be known.
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
    // A chain longer than the number of budgets contains a cycle.
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
  if (budget.has_override()) {
    compiled.own_limits =
        CompileRange(budget.override(), path + ".override", report);
  }
  if (!v1::Budget::LimitFrom_IsValid(budget.limit_from())) {
    report.Error(path + ".limitFrom", "expected NATIVE");
  }
  compiled.native_limit = budget.limit_from() == v1::Budget::NATIVE;
  if (budget.has_window()) {
    compiled.window = CheckDuration(budget.window(), path + ".window", report);
  }
  if (budget.has_refund_on_progress()) {
    compiled.refund = CompileRefund(budget.refund_on_progress(),
                                    path + ".refundOnProgress", report);
  }
  return compiled;
}

// A threshold on counts in the ledger or in the digests of other workloads.
struct Threshold {
  const char* field;
  bool (v1::Derivation::*is_given)() const;
  std::int32_t (v1::Derivation::*value)() const;
  std::int32_t min;
  std::int32_t max;
  std::int32_t CompiledDerivation::*target;
};

using D = v1::Derivation;
using C = CompiledDerivation;
// A ledger has at most kMaxHistory failures, which bounds thresholds on it.
constexpr Threshold kThresholds[] = {
    {"sameFingerprint", &D::has_same_fingerprint, &D::same_fingerprint, 0,
     kMaxHistory, &C::same_fingerprint},
    {"distinctNodes", &D::has_distinct_nodes, &D::distinct_nodes, 0,
     kMaxHistory, &C::distinct_nodes},
    {"sameArtifact", &D::has_same_artifact, &D::same_artifact, 0, kMaxHistory,
     &C::same_artifact},
    {"crashLoopFailures", &D::has_crash_loop_failures, &D::crash_loop_failures,
     0, kMaxHistory, &C::crash_loop_failures},
    {"badNodeFailures", &D::has_bad_node_failures, &D::bad_node_failures, 0,
     kMaxHistory, &C::bad_node_failures},
    {"poisonNodes", &D::has_poison_nodes, &D::poison_nodes, 0, kMaxHistory,
     &C::poison_nodes},
    {"badNodeWorkloads", &D::has_bad_node_workloads, &D::bad_node_workloads, 0,
     kMaxRecentCount, &C::bad_node_workloads},
    {"incidentWorkloads", &D::has_incident_workloads, &D::incident_workloads, 0,
     kMaxRecentCount, &C::incident_workloads},
    {"incidentRetries", &D::has_incident_retries, &D::incident_retries, 1,
     kMaxRecentCount, &C::incident_retries},
};

// Reports fields that the operator's own spec replaces.
void RefuseOwnVerdicts(const v1::RetryPolicySpec& spec, IssueReporter& report) {
  const auto refuse = [&report](bool given, const char* field) {
    if (given) {
      report.Error(absl::StrFormat("spec.%s", field),
                   absl::StrFormat("%s has no say with native.useOwnSpec: the "
                                   "workload's own operator decides",
                                   field));
    }
  };
  refuse(!spec.budgets().empty(), "budgets");
  refuse(spec.has_max_attempts(), "maxAttempts");
  refuse(!spec.rules().empty(), "rules");
  refuse(spec.has_default_(), "default");
  refuse(spec.has_kill_switch(), "killSwitch");
  refuse(spec.compare_native(), "compareNative");
  refuse(spec.has_pasted(), "pasted");
}

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
                 absl::StrFormat("%s already says what to do when no rule "
                                 "matches: remove the default, or write a rule",
                                 import.fallback_path));
    return;
  }
  positions.Add("spec.default", positions.Find(import.fallback_path));
  *spec.mutable_default_() = *std::move(import.fallback);
}

}  // namespace

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
  std::ranges::sort(names);
  for (const std::string& name : names) {
    budgets.push_back(CompileBudget(name, spec.budgets().at(name), report));
  }
  for (CompiledBudget& budget : budgets) {
    CompileExhausted(spec.budgets().at(budget.name), budgets, budget, report);
  }
  CheckEscalationCycles(budgets, report);
  return budgets;
}

CompiledBrake CompileBrake(const v1::Brake& brake, IssueReporter& report) {
  CompiledBrake compiled;
  if (brake.mode() != v1::Brake::MODE_UNSPECIFIED) compiled.mode = brake.mode();
  if (brake.has_same_failure() &&
      CheckRange(brake.same_failure(), 1, kMaxHistory, "spec.brake.sameFailure",
                 report)) {
    compiled.same_failure = brake.same_failure();
  }
  if (brake.has_outlived() && CheckFactor(brake.outlived(), 1, kMaxFactor,
                                          "spec.brake.outlived", report)) {
    compiled.outlived = brake.outlived();
  }
  return compiled;
}

CompiledDerivation CompileDerivation(const v1::Derivation& derivation,
                                     IssueReporter& report) {
  CompiledDerivation compiled;
  for (const Threshold& row : kThresholds) {
    if (!(derivation.*row.is_given)()) continue;
    const std::int32_t value = (derivation.*row.value)();
    if (CheckRange(value, row.min, row.max,
                   absl::StrCat("spec.derivation.", row.field), report)) {
      compiled.*row.target = value;
    }
  }
  if (derivation.has_incident_share() &&
      CheckFactor(derivation.incident_share(), 0, 1,
                  "spec.derivation.incidentShare", report)) {
    compiled.incident_share = derivation.incident_share();
  }
  if (derivation.has_crash_loop_window()) {
    compiled.crash_loop_window =
        CheckDuration(derivation.crash_loop_window(),
                      "spec.derivation.crashLoopWindow", report);
  }
  return compiled;
}

CompiledWorth CompileWorth(const v1::Worth& worth, IssueReporter& report) {
  constexpr double kMaxHours = 1'000'000;
  CompiledWorth compiled;
  if (worth.has_weighs() &&
      CheckFactor(worth.weighs(), 0, kMaxFactor, "spec.worth.weighs", report)) {
    compiled.weighs = worth.weighs();
  }
  const auto hours = [&](double value, const char* field) {
    if (value >= 0 && value <= kMaxHours) return value;
    report.Error(absl::StrCat("spec.worth.", field),
                 absl::StrCat(value, " is out of range, expected 0 to ",
                              std::int64_t{1'000'000}));
    return 0.0;
  };
  if (worth.has_given_up()) {
    compiled.given_up = hours(worth.given_up(), "givenUp");
  }
  if (worth.has_person_hours()) {
    compiled.person_hours = hours(worth.person_hours(), "personHours");
  }
  return compiled;
}

std::unique_ptr<const CompiledNative> CompileNative(
    const v1::RetryPolicySpec& spec, IssueReporter& report) {
  if (!spec.has_native() && !spec.compare_native()) return nullptr;
  auto compiled = std::make_unique<CompiledNative>();
  compiled->decides = spec.native().use_own_spec();
  compiled->compares = spec.compare_native();
  compiled->semantics = spec.native().semantics();
  if (compiled->decides) RefuseOwnVerdicts(spec, report);
  CheckSemantics(compiled->semantics, "spec.native.semantics", report);
  return compiled;
}

void ExpandPasted(v1::RetryPolicySpec& spec, SourceMap& positions,
                  PatternAllowance& allowance, IssueReporter& report) {
  const int errors = report.errors();
  Import import = ImportPasted(
      {spec.pasted(), spec.native().semantics(), allowance}, report);
  // Errors of the import would be reported again for the rules.
  if (report.errors() > errors) import.rules.clear();
  AddBudgets(import, spec, positions, report);
  AddRules(import, spec, positions);
  AddDefault(import, spec, positions, report);
}

}  // namespace mulligan
