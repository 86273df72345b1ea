#include "policy/native/rayjob/validation.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/native/objects.h"

namespace mulligan::rayjob {
namespace {

constexpr std::size_t kMaxNameLength = 47;
constexpr std::string_view kDns1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

constexpr std::array<std::string_view, 4> kModes = {
    kK8sJobMode, kHttpMode, kSidecarMode, kInteractiveMode};

// Collects refusals in KubeRay's order.
struct Refusals {
  void Add(bool broken, std::string_view field, std::string_view detail) {
    if (!broken) return;
    errors.Invalid(ChildField("spec", field), "", std::string(detail));
  }
  // Adds the prefix of most of KubeRay's refusals.
  void AddInvalid(bool broken, std::string_view field,
                  std::string_view detail) {
    if (!broken) return;
    Add(true, field,
        absl::StrCat("The RayJob spec is invalid: ", std::string(detail)));
  }

  FieldErrors errors;
};

constexpr std::string_view kStrategy = "deletionStrategy";
constexpr std::string_view kDeleteNone = "DeleteNone";

// A selected cluster is not the RayJob's to delete.
bool DeletesSelected(const RayJobSpec& spec, std::string_view policy) {
  return !spec.cluster_selector().empty() &&
         (policy == "DeleteCluster" || policy == "DeleteWorkers");
}

// Checks spec.deletionStrategy: both of the older branches, or rules.
void CheckBranches(const RayJobSpec& spec, Refusals& refusals) {
  const DeletionStrategy& strategy = spec.deletion_strategy();
  if (!strategy.has_on_success() || !strategy.has_on_failure()) {
    return refusals.Add(true, kStrategy,
                        "both DeletionStrategy.OnSuccess and "
                        "DeletionStrategy.OnFailure must be set when using the "
                        "legacy deletion policy fields of DeletionStrategy");
  }
  const std::string& on_success = strategy.on_success().policy();
  const std::string& on_failure = strategy.on_failure().policy();
  if (on_success.empty() || on_failure.empty()) {
    return refusals.Add(
        true, kStrategy,
        absl::StrFormat("the DeletionPolicyType field of DeletionStrategy.%s "
                        "cannot be unset when DeletionStrategy is enabled",
                        on_success.empty() ? "OnSuccess" : "OnFailure"));
  }
  for (const auto& [policy, end] :
       {std::pair(on_success, "success"), std::pair(on_failure, "failure")}) {
    refusals.Add(DeletesSelected(spec, policy), kStrategy,
                 absl::StrFormat("the ClusterSelector mode doesn't support "
                                 "DeletionStrategy=%s on %s",
                                 policy, end));
  }
  refusals.AddInvalid(
      spec.shutdown_after_job_finishes() &&
          (on_success == kDeleteNone || on_failure == kDeleteNone),
      kStrategy,
      "shutdownAfterJobFinshes is set to 'true' while deletion policy is "
      "'DeleteNone'");
}

// Returns what is wrong with one rule; empty if valid.
std::string FaultOf(const DeletionRule& rule, const RayJobSpec& spec) {
  const auto& when = rule.condition();
  if (when.has_job_status() && when.has_job_deployment_status()) {
    return "cannot set both JobStatus and JobDeploymentStatus at the same time";
  }
  if (!when.has_job_status() && !when.has_job_deployment_status()) {
    return "exactly one of JobStatus and JobDeploymentStatus must be set";
  }
  if (when.ttl_seconds() < 0) return "TTLSeconds must be non-negative";
  if (!DeletesSelected(spec, rule.policy())) return "";
  return absl::StrFormat(
      "DeletionPolicyType '%s' not supported when ClusterSelector is set",
      rule.policy());
}

// Reports all faults of the rules as one, a line each.
void CheckRules(const RayJobSpec& spec, Refusals& refusals) {
  std::vector<std::string> faults;
  const auto& rules = spec.deletion_strategy().deletion_rules();
  for (int i = 0; i < rules.size(); ++i) {
    const std::string fault = FaultOf(rules[i], spec);
    if (fault.empty()) continue;
    faults.push_back(absl::StrFormat("deletionRules[%d]: %s", i, fault));
  }
  refusals.Add(!faults.empty(), "deletionStrategy.deletionRules",
               absl::StrJoin(faults, "\n"));
}

void CheckDeletion(const RayJobSpec& spec, const Settings& settings,
                   Refusals& refusals) {
  refusals.AddInvalid(!spec.shutdown_after_job_finishes() &&
                          spec.ttl_seconds_after_finished() > 0,
                      "ttlSecondsAfterFinished",
                      "a RayJob with shutdownAfterJobFinishes set to false "
                      "cannot have TTLSecondsAfterFinished");
  if (!spec.has_deletion_strategy()) return;
  if (!settings.deletion_policy) {
    return refusals.Add(true, kStrategy,
                        "RayJobDeletionPolicy feature gate must be enabled to "
                        "use DeletionStrategy");
  }
  const DeletionStrategy& strategy = spec.deletion_strategy();
  const bool rules = !strategy.deletion_rules().empty();
  const bool branches = strategy.has_on_success() || strategy.has_on_failure();
  refusals.AddInvalid(
      rules && spec.shutdown_after_job_finishes(), kStrategy,
      "spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules "
      "are mutually exclusive");
  refusals.AddInvalid(rules && branches, kStrategy,
                      "Cannot use both legacy onSuccess/onFailure fields and "
                      "deletionRules simultaneously");
  if (branches) return CheckBranches(spec, refusals);
  if (rules) return CheckRules(spec, refusals);
  refusals.AddInvalid(
      true, kStrategy,
      "DeletionStrategy requires either BOTH onSuccess and onFailure, OR the "
      "deletionRules field (cannot be empty)");
}

void CheckWhereItRuns(const RayJobSpec& spec, bool retries,
                      const Settings& settings, Refusals& refusals) {
  const auto& selector = spec.cluster_selector();
  const bool selects = !selector.empty();
  refusals.AddInvalid(
      spec.suspend() && selects, "suspend",
      "the ClusterSelector mode doesn't support the suspend operation");
  refusals.AddInvalid(!spec.has_ray_cluster_spec() && !selects,
                      "rayClusterSpec",
                      "one of RayClusterSpec or ClusterSelector must be set");
  if (!selects) return;
  refusals.Add(ValueAt(selector, kClusterSelectorKey).empty(),
               "clusterSelector",
               "cluster name in ClusterSelector should not be empty");
  refusals.Add(spec.submission_mode() == kSidecarMode, "clusterSelector",
               "ClusterSelector is not supported in SidecarMode");
  refusals.AddInvalid(settings.selected_never_retry && retries, "backoffLimit",
                      "BackoffLimit is incompatible with ClusterSelector mode");
}

void CheckModes(const RayJobSpec& spec, bool retries, Refusals& refusals) {
  refusals.AddInvalid(spec.submission_mode() == kInteractiveMode && retries,
                      "backoffLimit",
                      "BackoffLimit is incompatible with InteractiveMode");
  if (spec.submission_mode() != kSidecarMode) return;
  refusals.Add(spec.has_submitter_pod_template(), "submitterPodTemplate",
               "Currently, SidecarMode doesn't support SubmitterPodTemplate");
  refusals.Add(spec.has_submitter_config(), "submitterConfig",
               "Currently, SidecarMode doesn't support SubmitterConfig");
  refusals.Add(Restarts(spec.ray_cluster_spec().head_group_spec().template_()),
               "rayClusterSpec.headGroupSpec.template.spec.restartPolicy",
               "restartPolicy for head Pod should be Never or unset when using "
               "SidecarMode");
}

void CheckNumbers(const RayJobSpec& spec, const Settings& settings,
                  Refusals& refusals) {
  refusals.AddInvalid(
      spec.has_active_deadline_seconds() && spec.active_deadline_seconds() <= 0,
      "activeDeadlineSeconds",
      "activeDeadlineSeconds must be a positive integer");
  refusals.AddInvalid(settings.pre_running_deadline &&
                          spec.has_pre_running_deadline_seconds() &&
                          spec.pre_running_deadline_seconds() <= 0,
                      "preRunningDeadlineSeconds",
                      "preRunningDeadlineSeconds must be a positive integer");
  refusals.AddInvalid(settings.backoff_limit && spec.backoff_limit() < 0,
                      "backoffLimit",
                      "backoffLimit must be a positive integer");
}

void CheckName(const std::string& name, FieldErrors& errors) {
  static const RE2& dns1035 = *new RE2("[a-z]([-a-z0-9]*[a-z0-9])?");
  const auto refuse = [&](const std::string& detail) {
    errors.Invalid("metadata.name", QuotedValue(name),
                   "The RayJob metadata is invalid: " + detail);
  };
  if (name.size() > kMaxNameLength) {
    refuse(absl::StrFormat("RayJob name should be no more than %d characters",
                           kMaxNameLength));
  }
  if (!RE2::FullMatch(name, dns1035)) {
    refuse(absl::StrFormat("RayJob name should be a valid DNS1035 label: [%s]",
                           kDns1035Rule));
  }
}

}  // namespace

FieldErrors ValidateRayJob(const RayJob& job, const Settings& settings) {
  const RayJobSpec& spec = job.spec();
  FieldErrors errors;
  CheckName(job.metadata().name(), errors);
  for (FieldError& error : ValidateRayJobSpec(spec, settings)) {
    errors.push_back(std::move(error));
  }
  if (job.status().job_deployment_status() == kWaiting &&
      SubmissionModeOf(spec) != kInteractiveMode) {
    errors.Invalid("status.jobDeploymentStatus", QuotedValue(kWaiting),
                   "The RayJob status is invalid: JobDeploymentStatus cannot "
                   "be `Waiting` when SubmissionMode is not InteractiveMode");
  }
  return errors;
}

FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings) {
  const bool retries = settings.backoff_limit && spec.backoff_limit() > 0;
  Refusals refusals;
  refusals.AddInvalid(spec.suspend() && !spec.shutdown_after_job_finishes(),
                      "suspend",
                      "a RayJob with shutdownAfterJobFinishes set to false is "
                      "not allowed to be suspended");
  refusals.AddInvalid(spec.ttl_seconds_after_finished() < 0,
                      "ttlSecondsAfterFinished",
                      "TTLSecondsAfterFinished must be a non-negative integer");
  CheckDeletion(spec, settings, refusals);
  CheckWhereItRuns(spec, retries, settings, refusals);
  CheckModes(spec, retries, refusals);
  CheckNumbers(spec, settings, refusals);
  return std::move(refusals.errors);
}

std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec) {
  if (HasText(kModes, SubmissionModeOf(spec))) return {};
  return {
      absl::StrFormat("spec.submissionMode: '%s' is no mode of KubeRay 1.7; "
                      "only Ray's own status is looked at",
                      spec.submission_mode())};
}

}  // namespace mulligan::rayjob
