// spec of a RayJob.
#include <string_view>

#include "absl/strings/str_cat.h"
#include "policy/native/import.h"

namespace mulligan {
namespace {

constexpr char kBackoffLimit[] = "backoff-limit";

// Ended by its own clock: KubeRay does not retry that, whatever is left.
constexpr std::string_view kNeverRetried[] = {"DeadlineExceeded",
                                              "JobStatusCheckTimeoutExceeded"};

void WarnOfTheRest(const kubernetes::ray::v1::RayJobSpec& spec,
                   const std::string& path, IssueReporter& report) {
  const struct {
    bool given;
    std::string_view field;
  } kDeadlines[] = {
      {spec.has_active_deadline_seconds(), "activeDeadlineSeconds"},
      {spec.has_pre_running_deadline_seconds(), "preRunningDeadlineSeconds"},
  };
  for (const auto& row : kDeadlines) {
    if (!row.given) continue;
    NotCarriedOver(absl::StrCat(path, ".", std::string(row.field)),
                   "a policy has no deadline; KubeRay keeps that of the RayJob",
                   report);
  }
  if (spec.submitter_config().has_backoff_limit()) {
    NotCarriedOver(path + ".submitterConfig.backoffLimit",
                   "the retries of the submitter are those of its Job", report);
  }
}

}  // namespace

void ImportRayJob(const v1::NativePolicy& native, const std::string& path,
                  Import& into, IssueReporter& report) {
  const kubernetes::ray::v1::RayJobSpec& spec = native.ray_job();
  const std::string limit_path = path + ".backoffLimit";
  FieldErrors refusals;
  CheckNonNegative(limit_path, spec.backoff_limit(), refusals);
  ReportRefusals(refusals, report);
  WarnOfTheRest(spec, path, report);
  v1::Rule rule;
  rule.set_name("never-retried");
  for (const std::string_view reason : kNeverRetried) {
    rule.mutable_when()->add_reasons(std::string(reason));
  }
  *rule.mutable_then() = FailOutcome(v1::WORKLOAD);
  into.rules.push_back({std::move(rule), path});
  AddImportedBudget(kBackoffLimit, spec.backoff_limit(), v1::WORKLOAD,
                    limit_path, into, report);
  // Despite its name there is no delay.
  into.fallback = RetryOutcome(v1::CLUSTER, kBackoffLimit);
  into.fallback_path = limit_path;
}

}  // namespace mulligan
