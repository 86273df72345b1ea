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

struct ActionInput {
  const JobSetSpec& spec;
  const Gates& gates;
  std::string_view action;
  // Null: the default action.
  const FailurePolicyRule* rule;
  const Job& job;
};

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

Verdict Fail(std::string_view reason, std::string message) {
  Verdict verdict;
  verdict.action = std::string(kFailJobSet);
  verdict.reason = std::string(reason);
  verdict.message = std::move(message);
  return verdict;
}

absl::StatusOr<Verdict> ApplyAction(const ActionInput& input,
                                    JobSetStatus& status) {
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
    return Fail("FailJobSetFailurePolicyAction",
                ActionMessage(*row, input.job));
  }
  if (row->counted && IsBudgetUsed(input.spec, status, input.gates)) {
    Verdict verdict =
        Fail(kReachedMaxRestarts,
             WithFirstFailed(kReachedMaxRestartsMessage, input.job));
    verdict.counted = true;
    // A failure beyond the budget is in no counter.
    verdict.used = CountedRestarts(status, input.gates) + 1;
    return verdict;
  }
  Verdict verdict;
  verdict.action = std::string(row->name);
  verdict.message = ActionMessage(*row, input.job);
  verdict.restarts_job = row->restarts_job;
  verdict.counted = row->counted;
  if (row->restarts_job) {
    absl::Status counted =
        CountJobRestart(input.job, input.spec, row->counted, status);
    if (!counted.ok()) return counted;
  } else {
    CountJobSetRestart(row->counted, status);
    if (input.gates.restarting_condition) {
      verdict.reason = RestartingReason(input.rule);
    }
  }
  if (row->counted) verdict.used = CountedRestarts(status, input.gates);
  return verdict;
}

}  // namespace

bool IsKnownAction(std::string_view action) {
  return FindAction(action) != nullptr;
}

bool IsJobAction(std::string_view action) {
  const ActionRow* const row = FindAction(action);
  return row != nullptr && row->restarts_job;
}

absl::StatusOr<Verdict> ApplyFailurePolicy(const JobSetSpec& spec,
                                           const Jobs& failed,
                                           const Gates& gates,
                                           PatternAllowance& patterns,
                                           JobSetStatus& status) {
  const Job* job = FirstFailedJob(failed);
  if (!spec.has_failure_policy()) {
    Verdict verdict = Fail(
        "FailedJobs",
        WithFirstFailed("jobset failed due to one or more job failures", *job));
    verdict.job = job;
    return verdict;
  }
  const FailurePolicyRule* rule = nullptr;
  if (const auto match =
          FindRule(spec.failure_policy(), failed, gates, patterns)) {
    rule = &spec.failure_policy().rules(match->rule);
    job = match->job;
  }
  absl::StatusOr<Verdict> verdict = ApplyAction(
      {spec, gates, rule == nullptr ? kRestartJobSet : rule->action(), rule,
       *job},
      status);
  if (!verdict.ok()) return verdict;
  verdict->job = job;
  return verdict;
}

}  // namespace mulligan::jobset
