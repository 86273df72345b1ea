#include "policy/budget/seeding.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/limits.h"
#include "policy/rules/compile_parts.h"

namespace mulligan {
namespace {

// jobset.sigs.k8s.io, API v1alpha2.
constexpr char kRestartAttempt[] = "jobset.sigs.k8s.io/restart-attempt";

NativeCount Counted(std::int32_t failures, const char* counter,
                    std::int32_t value) {
  return {std::clamp<std::int32_t>(failures, 0, kMaxLedgerCount),
          absl::StrCat(counter, "=", value)};
}

NativeCount OfRayJob(const v1::FailureReport& report) {
  const auto& status = report.ray_job().status();
  const std::string& state = status.job_deployment_status();
  const bool counted = state == "Failed" || state == "Retrying";
  return Counted(status.failed() > 0 ? status.failed() - (counted ? 1 : 0) : 0,
                 "RayJob.status.failed", status.failed());
}

template <typename Objects>
void LowestAttempt(const Objects& objects, std::optional<std::int32_t>& found) {
  for (const auto& object : objects) {
    const auto& labels = object.metadata().labels();
    const auto label = labels.find(kRestartAttempt);
    if (label == labels.end()) continue;
    const std::string& text = label->second;
    std::int32_t attempt = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, attempt);
    if (error == std::errc() && rest == end && attempt >= 0) {
      found = std::min(found.value_or(attempt), attempt);
    }
  }
}

NativeCount OfJobSet(const v1::FailureReport& report) {
  const std::int32_t restarts = report.job_set().status().restarts();
  std::optional<std::int32_t> labelled;
  LowestAttempt(report.pods(), labelled);
  LowestAttempt(report.jobs(), labelled);
  return Counted(std::min(restarts, labelled.value_or(restarts)),
                 "JobSet.status.restarts", restarts);
}

NativeCount OfSpark(const v1::FailureReport& report) {
  const auto& status = report.spark_application().status();
  const bool submissions =
      status.submission_attempts() > status.execution_attempts();
  const std::int32_t attempts =
      submissions ? status.submission_attempts() : status.execution_attempts();
  return Counted(attempts > 0 ? attempts - 1 : 0,
                 submissions ? "SparkApplication.status.submissionAttempts"
                             : "SparkApplication.status.executionAttempts",
                 attempts);
}

bool IsUncounted(const kubernetes::batch::v1::Job& job,
                 const std::string& uid) {
  const auto& failed = job.status().uncounted_terminated_pods().failed();
  return std::find(failed.begin(), failed.end(), uid) != failed.end();
}

NativeCount OfJob(const v1::FailureReport& report) {
  const auto& job = report.jobs(0);
  std::int64_t current = report.pods().empty() ? 1 : 0;
  for (const auto& pod : report.pods()) {
    if (pod.status().phase() == "Failed" &&
        !IsUncounted(job, pod.metadata().uid())) {
      ++current;
    }
  }
  const std::int64_t before =
      std::max<std::int64_t>(job.status().failed() - current, 0);
  return Counted(static_cast<std::int32_t>(before), "Job.status.failed",
                 job.status().failed());
}

}  // namespace

NativeCount CountNativeFailures(const v1::FailureReport& report) {
  NativeCount count;
  if (report.has_ray_job()) {
    count = OfRayJob(report);
  } else if (report.has_job_set()) {
    count = OfJobSet(report);
  } else if (report.has_spark_application()) {
    count = OfSpark(report);
  } else if (report.jobs_size() == 1 && !report.has_train_job()) {
    count = OfJob(report);
  }
  if (count.failures == 0) count.source.clear();
  return count;
}

int SeedBudget(const CompiledPolicy& policy) {
  const int application = FindBudget(policy.budgets, "application");
  return application == kNoBudget ? policy.fallback.budget : application;
}

std::string SeedLedger(const v1::FailureReport& report,
                       const CompiledPolicy& policy, v1::BudgetLedger& ledger) {
  const NativeCount count = CountNativeFailures(report);
  if (count.failures == 0) return {};
  ledger.set_attempts_seen(count.failures);
  ledger.set_seeded_from(count.source);
  const bool one = count.failures == 1;
  const std::string failures = absl::StrFormat("%d earlier %s", count.failures,
                                               one ? "failure" : "failures");
  const int budget = SeedBudget(policy);
  if (budget == kNoBudget) {
    return absl::StrFormat(
        "no ledger was sent: %s counts %s as attempts; the policy has no "
        "budget "
        "to charge",
        count.source, failures);
  }
  const std::string& name =
      policy.budgets[static_cast<std::size_t>(budget)].name;
  (*ledger.mutable_budgets())[name].set_used(count.failures);
  return absl::StrFormat(
      "no ledger was sent: %s from %s %s charged to budget \"%s\", whatever %s",
      failures, count.source, one ? "is" : "are", name,
      one ? "its cause was" : "their causes were");
}

}  // namespace mulligan
