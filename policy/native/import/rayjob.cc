// spec of a RayJob.
#include <algorithm>
#include <string>
#include <string_view>

#include "policy/native/import/import.h"
#include "policy/native/rayjob/decision.h"
#include "policy/native/rayjob/settings.h"
#include "policy/native/rayjob/validation.h"

namespace mulligan {
namespace rayjob {
namespace {

constexpr char kBackoffLimit[] = "backoff-limit";

// Reasons of attempts that a deadline or timeout ended.
constexpr std::string_view kClockReasons[] = {kDeadlineExceeded,
                                              kStatusCheckTimeoutExceeded};

void Refuse(const RayJobSpec& spec, const Settings& settings,
            const std::string& path, IssueReporter& report) {
  FieldErrors errors = ValidateRayJobSpec(spec, settings);
  if (!spec.has_ray_cluster_spec()) {
    // A block may omit the cluster of the attempts.
    const auto needs_cluster = [](const FieldError& error) {
      return error.field.starts_with("spec.rayClusterSpec");
    };
    errors.erase(std::remove_if(errors.begin(), errors.end(), needs_cluster),
                 errors.end());
  }
  ReportObjectIssues(errors, RayJobSpecWarnings(spec), "spec", path, report);
}

void WarnOfUnusedFields(const RayJobSpec& spec, const std::string& path,
                        IssueReporter& report) {
  constexpr std::string_view kDeadline =
      "a policy has no deadline; KubeRay keeps that of the RayJob";
  WarnOfLeftOut({{spec.has_active_deadline_seconds(), ".activeDeadlineSeconds",
                  kDeadline},
                 {spec.has_pre_running_deadline_seconds(),
                  ".preRunningDeadlineSeconds", kDeadline},
                 {spec.submitter_config().has_backoff_limit(),
                  ".submitterConfig.backoffLimit",
                  "the retries of the submitter are those of its Job"}},
                path, report);
}

}  // namespace
}  // namespace rayjob

void ImportRayJob(const Pasted& pasted, const std::string& path, Import& into,
                  IssueReporter& report) {
  using namespace rayjob;  // NOLINT(google-build-using-namespace)
  const RayJobSpec& spec = pasted.blocks.ray_job();
  const Settings settings = SettingsFor(pasted.semantics).settings;
  Refuse(spec, settings, path, report);
  WarnOfUnusedFields(spec, path, report);
  v1::Rule rule;
  rule.set_name("never-retried");
  for (const std::string_view reason : kClockReasons) {
    if (!IsNeverRetried(reason, settings)) continue;
    rule.mutable_when()->add_reasons(std::string(reason));
  }
  *rule.mutable_then() = FailOutcome(v1::Decision::WORKLOAD);
  into.rules.push_back({std::move(rule), path});
  const std::string limit_path = path + ".backoffLimit";
  AddImportedBudget(kBackoffLimit, BackoffLimitOf(spec, settings),
                    v1::Decision::WORKLOAD, limit_path, into, report);
  // Despite its name, there is no delay.
  into.fallback = RetryOutcome(v1::Decision::CLUSTER, kBackoffLimit);
  into.fallback_path = limit_path;
}

}  // namespace mulligan
