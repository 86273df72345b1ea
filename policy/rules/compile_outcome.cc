#include "policy/rules/compile_outcome.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/issue.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

constexpr absl::Duration kDefaultMaxBackoff = absl::Minutes(10);
constexpr absl::Duration kDefaultAvoidance = absl::Hours(1);

CompiledBackoff CompileBackoff(const v1::Backoff& backoff,
                               const std::string& path, IssueReporter& report) {
  CompiledBackoff compiled;
  if (!v1::Backoff::Kind_IsValid(backoff.kind())) {
    report.Error(path + ".kind", "expected CONSTANT, LINEAR or EXPONENTIAL");
  } else if (backoff.kind() != v1::Backoff::KIND_UNSPECIFIED) {
    compiled.kind = backoff.kind();
  }
  if (!backoff.has_initial()) {
    report.Error(path, "initial is missing, expected the first delay");
  } else {
    compiled.initial =
        CheckDuration(backoff.initial(), path + ".initial", report);
  }
  compiled.max = std::max(kDefaultMaxBackoff, compiled.initial);
  if (backoff.has_max()) {
    compiled.max = CheckDuration(backoff.max(), path + ".max", report);
    if (compiled.max < compiled.initial) {
      report.Error(path + ".max",
                   absl::StrCat(absl::FormatDuration(compiled.max),
                                " is shorter than initial, ",
                                absl::FormatDuration(compiled.initial)));
    }
  }
  if (backoff.has_factor()) {
    const double factor = backoff.factor();
    if (!std::isfinite(factor) || factor < 1 || factor > kMaxFactor) {
      report.Error(
          path + ".factor",
          absl::StrCat(factor, " is out of range, expected 1 to ", kMaxFactor));
    } else if (compiled.kind != v1::Backoff::EXPONENTIAL) {
      report.Error(path + ".factor", "goes with kind EXPONENTIAL only");
    } else {
      compiled.factor = factor;
    }
  }
  if (backoff.has_jitter()) {
    const double jitter = backoff.jitter();
    if (!std::isfinite(jitter) || jitter < 0 || jitter > 1) {
      report.Error(path + ".jitter",
                   absl::StrCat(jitter, " is out of range, expected 0 to 1"));
    } else {
      compiled.jitter = jitter;
    }
  }
  return compiled;
}

CompiledPlacement CompilePlacement(const v1::PlacementPolicy& placement,
                                   const std::string& path,
                                   IssueReporter& report) {
  CompiledPlacement compiled;
  if (placement.has_on_demand_after() &&
      CheckRange(placement.on_demand_after(), 1, kMaxBudgetLimit,
                 path + ".onDemandAfter", report)) {
    compiled.on_demand_after = placement.on_demand_after();
  }
  if (placement.has_on_demand_for_last() &&
      CheckRange(placement.on_demand_for_last(), 1, kMaxBudgetLimit,
                 path + ".onDemandForLast", report)) {
    compiled.on_demand_for_last = placement.on_demand_for_last();
  }
  if (placement.has_avoid_failed_node()) {
    const v1::AvoidFailedNode& avoid = placement.avoid_failed_node();
    if (avoid.has_after() &&
        CheckRange(avoid.after(), 1, kMaxBudgetLimit,
                   path + ".avoidFailedNode.after", report)) {
      compiled.avoid_after = avoid.after();
    }
    compiled.avoid_failed_node = true;
    compiled.hard = avoid.hard();
    compiled.if_suspected = avoid.if_suspected();
    compiled.expires_after =
        avoid.has_expires_after()
            ? CheckDuration(avoid.expires_after(),
                            path + ".avoidFailedNode.expiresAfter", report)
            : kDefaultAvoidance;
  }
  return compiled;
}

CompiledResources CompileResources(const v1::ResourcePolicy& resources,
                                   const std::string& path,
                                   IssueReporter& report) {
  CompiledResources compiled;
  compiled.request_only = resources.request_only();
  if (resources.has_memory_factor() &&
      CheckFactor(resources.memory_factor(), 1, kMaxFactor,
                  path + ".memoryFactor", report)) {
    compiled.memory_factor = resources.memory_factor();
  }
  if (resources.has_storage_factor() &&
      CheckFactor(resources.storage_factor(), 1, kMaxFactor,
                  path + ".storageFactor", report)) {
    compiled.storage_factor = resources.storage_factor();
  }
  if (!resources.has_memory_factor() && !resources.has_storage_factor()) {
    report.Error(path, "needs memoryFactor, storageFactor or both");
  }
  if (resources.has_max_factor() &&
      CheckFactor(resources.max_factor(), 1, kMaxFactor, path + ".maxFactor",
                  report)) {
    compiled.max_factor = resources.max_factor();
  }
  return compiled;
}

// Returns the index of the budget `name`, if `action` may have one.
int CompilePayer(v1::Decision::Action action, const std::string& name,
                 const std::vector<CompiledBudget>& budgets,
                 const std::string& path, IssueReporter& report) {
  if (name.empty()) {
    if (action == v1::Decision::RETRY) {
      report.Error(path, "RETRY needs a budget: no retry is free");
    }
    return kNoBudget;
  }
  if (action != v1::Decision::RETRY && action != v1::Decision::WAIT) {
    report.Error(path + ".budget",
                 absl::StrFormat("%s is not paid for; a budget goes with "
                                 "RETRY or WAIT",
                                 v1::Decision::Action_Name(action)));
    return kNoBudget;
  }
  const int budget = FindBudget(budgets, name);
  if (budget == kNoBudget) {
    report.Error(path + ".budget",
                 absl::StrFormat("no budget is called \"%s\"", name));
  }
  return budget;
}

CompiledGrace CompileGrace(const v1::GraceOutcome& grace,
                           const std::vector<CompiledBudget>& budgets,
                           const std::string& path, IssueReporter& report) {
  CompiledGrace compiled;
  if (!grace.has_grace()) {
    report.Error(path, "grace is missing, expected how long to wait");
  } else {
    compiled.grace = CheckDuration(grace.grace(), path + ".grace", report);
  }
  const v1::Decision::Action action = grace.action();
  if (action != v1::Decision::RETRY && action != v1::Decision::FAIL &&
      action != v1::Decision::WAIT_FOR_SPEC_UPDATE) {
    report.Error(path + ".action",
                 "expected RETRY, FAIL or WAIT_FOR_SPEC_UPDATE");
    return compiled;
  }
  compiled.action = action;
  compiled.budget = CompilePayer(action, grace.budget(), budgets, path, report);
  return compiled;
}

// Reports fields that have no meaning for the action.
void CheckFieldsFitAction(const v1::Outcome& outcome, const std::string& path,
                          IssueReporter& report) {
  const v1::Decision::Action action = outcome.action();
  const bool waits = action == v1::Decision::WAIT;
  const bool retries =
      action == v1::Decision::RETRY ||
      (waits && outcome.after_grace().action() == v1::Decision::RETRY);
  const auto refuse = [&](bool given, const char* field, const char* with) {
    if (given) {
      report.Error(absl::StrCat(path, ".", field),
                   absl::StrFormat("goes with %s, not with %s", with,
                                   v1::Decision::Action_Name(action)));
    }
  };
  refuse(outcome.has_after_grace() && !waits, "afterGrace", "WAIT");
  refuse(outcome.has_backoff() && !retries && !waits, "backoff",
         "RETRY or WAIT");
  refuse(outcome.queue() != v1::Decision::QUEUE_UNSPECIFIED && !retries,
         "queue", "RETRY");
  refuse(outcome.has_placement() && !retries, "placement", "RETRY");
  refuse(outcome.has_resources() && !retries, "resources", "RETRY");
  refuse(outcome.has_passes() && !retries, "passes", "RETRY");
  refuse(outcome.has_evidence_deadline() && !waits &&
             action != v1::Decision::RETRY && action != v1::Decision::FAIL,
         "evidenceDeadline", "WAIT, RETRY or FAIL");
}

}  // namespace

CompiledOutcome CompileOutcome(const v1::Outcome& outcome,
                               const std::vector<CompiledBudget>& budgets,
                               const std::string& path, IssueReporter& report) {
  CompiledOutcome compiled;
  if (outcome.action() == v1::Decision::ACTION_UNSPECIFIED ||
      !v1::Decision::Action_IsValid(outcome.action())) {
    report.Error(path + ".action",
                 "action is missing or unknown, expected RETRY, FAIL, IGNORE, "
                 "WAIT or WAIT_FOR_SPEC_UPDATE");
    return compiled;
  }
  if (!v1::Decision::Scope_IsValid(outcome.scope())) {
    report.Error(path + ".scope", "is no scope");
  }
  if (!v1::Decision::Queue_IsValid(outcome.queue())) {
    report.Error(path + ".queue", "expected IN_PLACE or REQUEUE");
  }
  CheckFieldsFitAction(outcome, path, report);
  compiled.action = outcome.action();
  compiled.scope = outcome.scope();
  compiled.budget =
      CompilePayer(outcome.action(), outcome.budget(), budgets, path, report);
  if (outcome.queue() != v1::Decision::QUEUE_UNSPECIFIED) {
    compiled.queue = outcome.queue();
  }
  if (outcome.has_backoff()) {
    compiled.backoff =
        CompileBackoff(outcome.backoff(), path + ".backoff", report);
  }
  if (outcome.has_placement()) {
    compiled.placement =
        CompilePlacement(outcome.placement(), path + ".placement", report);
  }
  if (outcome.has_resources()) {
    compiled.resources =
        CompileResources(outcome.resources(), path + ".resources", report);
  }
  if (outcome.has_evidence_deadline()) {
    compiled.evidence_deadline = CheckDuration(
        outcome.evidence_deadline(), path + ".evidenceDeadline", report);
  }
  if (outcome.has_passes()) {
    compiled.passes = outcome.passes();
    if (!(outcome.passes() >= 0 && outcome.passes() <= 1)) {
      report.Error(path + ".passes",
                   absl::StrCat(outcome.passes(),
                                " is out of range, expected a share, 0 to 1"));
    }
  }
  if (outcome.has_after_grace()) {
    compiled.after_grace = CompileGrace(outcome.after_grace(), budgets,
                                        path + ".afterGrace", report);
  }
  return compiled;
}

}  // namespace mulligan
