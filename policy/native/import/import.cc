#include "policy/native/import/import.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/counts.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

struct DialectRow {
  const char* key;
  bool (v1::PastedBlocks::*given)() const;
  void (*import)(const Pasted&, const std::string&, Import&, IssueReporter&);
};

// Outermost operator first.
constexpr DialectRow kDialects[] = {
    {"kueue", &v1::PastedBlocks::has_kueue, ImportKueue},
    {"flyte", &v1::PastedBlocks::has_flyte, ImportFlyte},
    {"rayJob", &v1::PastedBlocks::has_ray_job, ImportRayJob},
    {"kubeflowJob", &v1::PastedBlocks::has_kubeflow_job, ImportKubeflowJob},
    {"jobSet", &v1::PastedBlocks::has_job_set, ImportJobSet},
    {"job", &v1::PastedBlocks::has_job, ImportJob},
};

// Returns the path below `path` of a field that the operator calls "root.x".
std::string InBlock(const std::string& field, const std::string& root,
                    const std::string& path) {
  return field.starts_with(root) ? path + field.substr(root.size()) : path;
}

}  // namespace

Import ImportPasted(const Pasted& pasted, IssueReporter& report) {
  Import all;
  for (const DialectRow& row : kDialects) {
    if (!(pasted.blocks.*row.given)()) continue;
    const std::string path = absl::StrFormat("spec.pasted.%s", row.key);
    if (all.fallback.has_value()) {
      report.Error(path,
                   "another pasted block already says what to do when no rule "
                   "matches; expected a policy of its own, with a selector");
      continue;
    }
    row.import(pasted, path, all, report);
  }
  return all;
}

v1::Outcome RetryOutcome(v1::Decision::Scope scope, std::string budget) {
  v1::Outcome outcome;
  outcome.set_action(v1::Decision::RETRY);
  outcome.set_scope(scope);
  outcome.set_budget(std::move(budget));
  return outcome;
}

v1::Outcome FailOutcome(v1::Decision::Scope scope) {
  v1::Outcome outcome;
  outcome.set_action(v1::Decision::FAIL);
  outcome.set_scope(scope);
  return outcome;
}

void AddImportedBudget(const std::string& name, std::int64_t limit,
                       v1::Decision::Scope scope, const std::string& path,
                       Import& into, IssueReporter& report) {
  v1::Budget budget;
  if (limit > kUnboundedLimit) {
    report.Warn(path, absl::StrFormat("%d failures are no bound in practice; "
                                      "taken as %d",
                                      limit, kUnboundedLimit));
  }
  // Negative limits were refused earlier.
  budget.set_limit(
      CountOf(std::clamp<std::int64_t>(limit, 0, kUnboundedLimit)));
  budget.mutable_on_exhausted()->set_action(v1::Decision::FAIL);
  budget.mutable_on_exhausted()->set_scope(scope);
  into.budgets.push_back({name, std::move(budget), path});
}

void AddUnboundedBudget(const std::string& name, v1::Decision::Scope scope,
                        const std::string& path, const std::string& what,
                        Import& into, IssueReporter& report) {
  report.Warn(path, absl::StrFormat("%s without bound; here budget \"%s\" ends "
                                    "it after %d",
                                    what, name, kUnboundedLimit));
  const bool known = std::ranges::any_of(
      into.budgets, [&](const auto& budget) { return budget.name == name; });
  if (known) return;
  AddImportedBudget(name, kUnboundedLimit, scope, path, into, report);
}

void NotCarriedOver(const std::string& path, const std::string& why,
                    IssueReporter& report) {
  report.Warn(path, "not carried over: " + why);
}

void WarnOfLeftOut(const std::vector<LeftOut>& parts, const std::string& path,
                   IssueReporter& report) {
  for (const LeftOut& part : parts) {
    if (!part.given) continue;
    NotCarriedOver(path + std::string(part.field), std::string(part.why),
                   report);
  }
}

void ReportRefusals(const FieldErrors& refusals, IssueReporter& report) {
  for (const FieldError& refusal : refusals) {
    std::string text = FormatFieldError(refusal);
    const std::string prefix = refusal.field + ": ";
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
    report.Error(refusal.field, std::move(text));
  }
}

void ReportObjectIssues(const FieldErrors& refusals,
                        const std::vector<std::string>& warnings,
                        const std::string& root, const std::string& path,
                        IssueReporter& report) {
  FieldErrors at_place = refusals;
  for (FieldError& refusal : at_place) {
    refusal.field = InBlock(refusal.field, root, path);
  }
  ReportRefusals(at_place, report);
  for (const std::string& warning : warnings) {
    const std::size_t colon = warning.find(": ");
    if (colon == std::string::npos || !warning.starts_with(root)) {
      report.Warn(path, warning);
    } else {
      report.Warn(InBlock(warning.substr(0, colon), root, path),
                  warning.substr(colon + 2));
    }
  }
}

}  // namespace mulligan
