#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/conditions.h"
#include "policy/base/counts.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/readers.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {
namespace {

NativeCount Counted(std::int64_t failures, std::int64_t counted,
                    const char* counter, std::int32_t value) {
  return {static_cast<std::int32_t>(
              std::clamp<std::int64_t>(failures, 0, kMaxLedgerCount)),
          counted, absl::StrCat(counter, "=", value)};
}

NativeCount OfRayJob(const v1::FailureReport& report, std::int32_t earlier) {
  const auto& status = report.ray_job().status();
  const std::string& state = status.job_deployment_status();
  const bool counted = state == "Failed" || state == "Retrying";
  return Counted(std::int64_t{status.failed()} - (counted ? 1 : 0) - earlier,
                 status.failed(), "RayJob.status.failed", status.failed());
}

template <typename Objects>
void LowestAttempt(const Objects& objects, std::optional<std::int32_t>& found) {
  for (const auto& object : objects) {
    const int attempt = demystify::RestartAttemptOf(object.metadata());
    if (attempt >= 0) found = std::min(found.value_or(attempt), attempt);
  }
}

NativeCount OfJobSet(const v1::FailureReport& report, std::int32_t earlier) {
  const std::int32_t restarts = report.job_set().status().restarts();
  std::optional<std::int32_t> labelled;
  LowestAttempt(report.pods(), labelled);
  LowestAttempt(report.jobs(), labelled);
  return Counted(labelled ? std::min(restarts, *labelled)
                          : std::int64_t{restarts} - earlier,
                 std::int64_t{restarts} + 1, "JobSet.status.restarts",
                 restarts);
}

NativeCount OfSpark(const v1::FailureReport& report, std::int32_t earlier) {
  const auto& status = report.spark_application().status();
  const bool submissions =
      status.submission_attempts() > status.execution_attempts();
  const std::int32_t attempts =
      submissions ? status.submission_attempts() : status.execution_attempts();
  return Counted(std::int64_t{attempts} - 1 - earlier, attempts,
                 submissions ? "SparkApplication.status.submissionAttempts"
                             : "SparkApplication.status.executionAttempts",
                 attempts);
}

bool IsUncounted(const kubernetes::batch::v1::Job& job,
                 const std::string& uid) {
  const auto& failed = job.status().uncounted_terminated_pods().failed();
  return std::ranges::find(failed, uid) != failed.end();
}

// How many attempts of `parallelism` pods at a time make so many failed pods,
// at the least.
std::int64_t AttemptsOf(std::int64_t pods, std::int32_t parallelism) {
  const std::int64_t at_a_time = std::max(parallelism, 1);
  return (pods + at_a_time - 1) / at_a_time;
}

NativeCount OfJob(const v1::FailureReport& report, std::int32_t earlier) {
  const auto& job = report.jobs(0);
  const std::int32_t parallelism = job.spec().parallelism();
  std::int64_t seen = 0;
  std::int64_t uncounted = 0;
  for (const auto& pod : report.pods()) {
    // The Job controller counts what is being stopped (podReplacementPolicy).
    if (pod.status().phase() != "Failed" && !demystify::IsBeingStopped(pod)) {
      continue;
    }
    ++(IsUncounted(job, pod.metadata().uid()) ? uncounted : seen);
  }
  const std::int64_t failed = job.status().failed();
  // Whose pods are gone, or show no failure although the Job has failed.
  const bool unseen =
      report.pods().empty() ||
      (seen == 0 && IsTrue(job.status().conditions(), "Failed"));
  std::int64_t before = failed - (unseen ? 1 : seen);
  if (parallelism > 1) {
    before = AttemptsOf(failed + uncounted, parallelism) - 1 - earlier;
  }
  return Counted(before, AttemptsOf(failed, parallelism), "Job.status.failed",
                 job.status().failed());
}

// The budget that paid last where everything the ledger tells of is not the
// program's doing; null: it tells nothing, or of the program.
const std::string* PaidByOthers(const v1::BudgetLedger& ledger) {
  const std::string* paid = nullptr;
  for (const v1::AttemptRecord& record : ledger.history()) {
    if (!IsNotThePrograms(record.cause())) return nullptr;
    if (!record.charged_to().empty()) paid = &record.charged_to();
  }
  return paid;
}

}  // namespace

NativeCount CountNativeFailures(const v1::FailureReport& report,
                                std::int32_t earlier) {
  if (report.has_ray_job()) return OfRayJob(report, earlier);
  if (report.has_job_set()) return OfJobSet(report, earlier);
  if (report.has_spark_application()) return OfSpark(report, earlier);
  if (report.jobs_size() == 1 && !report.has_train_job()) {
    return OfJob(report, earlier);
  }
  return {};
}

std::string RememberNativeCount(const NativeCount& count,
                                v1::BudgetLedger& ledger) {
  if (count.counted < 0) return {};
  const auto now = static_cast<std::int32_t>(
      std::min<std::int64_t>(count.counted, kMaxLedgerCount));
  const std::int32_t before = ledger.native_count();
  ledger.set_native_count(now);
  if (now >= before) return {};
  return absl::StrFormat(
      "%s: the operator counted %d failed attempts before and %d now, as when "
      "its object is made anew; the ledger goes on from %d",
      count.source, before, now, ledger.attempts_seen());
}

int SeedBudget(const CompiledPolicy& policy) {
  const int application = FindBudget(policy.budgets, "application");
  return application == kNoBudget ? policy.fallback.budget : application;
}

std::string SeedLedger(const NativeCount& count, std::int32_t missing,
                       const CompiledPolicy& policy, v1::BudgetLedger& ledger) {
  const bool first = ledger.attempts_seen() == 0;
  ledger.set_attempts_seen(std::max(
      ledger.attempts_seen(),
      static_cast<std::int32_t>(std::min<std::int64_t>(
          std::int64_t{ledger.attempts_seen()} + missing, kMaxLedgerCount))));
  if (ledger.seeded_from().empty()) ledger.set_seeded_from(count.source);
  const bool one = missing == 1;
  const std::string failures =
      absl::StrFormat("%s counts %d earlier %s that %s", count.source, missing,
                      one ? "failure" : "failures",
                      first ? "no ledger tells about" : "the ledger lacks");
  int budget = SeedBudget(policy);
  if (const std::string* paid = PaidByOthers(ledger)) {
    const int same = FindBudget(policy.budgets, *paid);
    if (same != kNoBudget) budget = same;
  }
  if (budget == kNoBudget) {
    return absl::StrCat(failures, ": counted as ",
                        one ? "an attempt" : "attempts",
                        "; the policy has no budget to charge");
  }
  const CompiledBudget& charged =
      policy.budgets[static_cast<std::size_t>(budget)];
  v1::BudgetUse& use = (*ledger.mutable_budgets())[charged.name];
  // What nobody described never takes the last of a budget: it may have been
  // anybody's doing, and does not end work whose failure at hand is the first
  // that is known.
  use.set_used(CountOf(std::max<std::int64_t>(
      use.used(), std::min<std::int64_t>(std::int64_t{use.used()} + missing,
                                         std::int64_t{charged.limit} - 1))));
  return absl::StrFormat("%s: charged to budget \"%s\", whatever %s", failures,
                         charged.name,
                         one ? "its cause was" : "their causes were");
}

}  // namespace mulligan
