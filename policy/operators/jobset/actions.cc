#include "policy/operators/jobset/actions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/restart_budget.h"

namespace mulligan::jobset {
namespace {

struct ActionRow {
  std::string_view name;
  bool restarts_job_set;
  bool restarts_job;
  bool counted;
};

constexpr std::array<ActionRow, 5> kActions = {{
    {kFailJobSet, false, false, false},
    {kRestartJobSet, true, false, true},
    {"RestartJobSetAndIgnoreMaxRestarts", true, false, false},
    {"RestartJob", false, true, true},
    {"RestartJobAndIgnoreMaxRestarts", false, true, false},
}};

const ActionRow* FindAction(std::string_view name) {
  const auto* const found =
      std::find_if(kActions.begin(), kActions.end(),
                   [&](const ActionRow& row) { return row.name == name; });
  return found == kActions.end() ? nullptr : found;
}

std::string WithFirstFailed(std::string_view message, const Job& job) {
  return absl::StrFormat("%s (first failed job: %s)", message,
                         job.metadata().name());
}

std::string ActionMessage(const ActionRow& row, const Job& job) {
  return WithFirstFailed(
      absl::StrFormat("applying %s failure policy action", row.name), job);
}

std::string RestartingReason(const FailurePolicyRule* rule) {
  return rule == nullptr ? "DefaultFailurePolicy"
                         : absl::StrFormat("FailurePolicy_%s", rule->name());
}

Verdict Fail(std::string_view reason, std::string message, const Job& job,
             StatusChange& change) {
  SetFailed(reason, message, change);
  Verdict verdict;
  verdict.action = std::string(kFailJobSet);
  verdict.job = &job;
  verdict.reason = std::string(reason);
  verdict.message = std::move(message);
  return verdict;
}

// Counts the restart and reports it.
absl::Status Restart(const ActionRow& row, const ActionInput& input,
                     Verdict& verdict, StatusChange& change) {
  if (row.restarts_job) {
    absl::Status counted =
        CountJobRestart(input.job, input.spec, row.counted, change.status);
    if (!counted.ok()) return counted;
  } else {
    CountJobSetRestart(row.counted, change.status);
    if (change.restarting_condition) {
      verdict.reason = RestartingReason(input.rule);
      Condition condition;
      condition.set_type(std::string(kRestarting));
      condition.set_status(std::string(kTrue));
      condition.set_reason(verdict.reason);
      condition.set_message(verdict.message);
      UpdateCondition(condition, change.now,
                      *change.status.mutable_conditions());
    }
  }
  change.updated = true;
  change.events.push_back({"Warning",
                           absl::StrFormat("%sFailurePolicyAction", row.name),
                           verdict.message});
  return absl::OkStatus();
}

}  // namespace

bool IsKnownAction(std::string_view action) {
  return FindAction(action) != nullptr;
}

bool IsJobAction(std::string_view action) {
  const ActionRow* const row = FindAction(action);
  return row != nullptr && row->restarts_job;
}

absl::StatusOr<Verdict> ApplyAction(const ActionInput& input,
                                    StatusChange& change) {
  const ActionRow* const row = FindAction(input.action);
  if (row == nullptr ||
      (row->restarts_job && !input.gates.restart_job_actions)) {
    return absl::UnimplementedError(
        absl::StrFormat("failed to find a corresponding action for the "
                        "FailurePolicyRuleAction %s",
                        input.action));
  }
  if (row->restarts_job && !input.gates.restart_job) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s failure policy action cannot be used when the feature gate "
        "RestartJob is disabled",
        row->name));
  }
  if (!row->restarts_job_set && !row->restarts_job) {
    return Fail("FailJobSetFailurePolicyAction", ActionMessage(*row, input.job),
                input.job, change);
  }
  if (row->counted && IsBudgetUsed(input.spec, change.status, input.gates)) {
    Verdict verdict =
        Fail(kReachedMaxRestarts,
             WithFirstFailed(kReachedMaxRestartsMessage, input.job), input.job,
             change);
    verdict.counted = true;
    return verdict;
  }
  Verdict verdict;
  verdict.action = std::string(row->name);
  verdict.job = &input.job;
  verdict.message = ActionMessage(*row, input.job);
  verdict.restarts_job = row->restarts_job;
  verdict.counted = row->counted;
  absl::Status restarted = Restart(*row, input, verdict, change);
  if (!restarted.ok()) return restarted;
  return verdict;
}

absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           StatusChange& change) {
  const Job& first = *FirstFailedJob(failed);
  if (!spec.has_failure_policy()) {
    return Fail(
        kFailedJobs,
        WithFirstFailed("jobset failed due to one or more job failures", first),
        first, change);
  }
  PatternAllowance patterns;
  const std::optional<RuleMatch> match =
      FindRule(spec.failure_policy(), failed, gates, patterns);
  const FailurePolicyRule* const rule =
      match ? &spec.failure_policy().rules(match->rule) : nullptr;
  absl::StatusOr<Verdict> verdict =
      match
          ? ApplyAction({spec, gates, rule->action(), rule, *match->job},
                        change)
          : ApplyAction({spec, gates, kRestartJobSet, nullptr, first}, change);
  if (!verdict.ok()) return verdict;
  if (match) verdict->rule = match->rule;
  verdict->patterns_used_up = patterns.used_up();
  return verdict;
}

}  // namespace mulligan::jobset
