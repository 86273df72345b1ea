#include "policy/operators/rayjob/validation.h"

#include <re2/re2.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/operators/objects.h"

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
constexpr std::array<std::string_view, 2> kManagers = {
    kOwnManager, "kueue.x-k8s.io/multikueue"};

// Whether a text can be a YAML mapping, judged by its first line with content.
// Finds texts that are no mapping at all; a mistake inside a mapping passes.
bool CanBeYamlMapping(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const std::string& line : lines) {
    const std::string content(absl::StripAsciiWhitespace(line));
    if (content.empty() || content[0] == '#' || content == "---") continue;
    return content[0] == '{' || content.back() == ':' ||
           content.find(": ") != std::string::npos ||
           content.find(":\t") != std::string::npos;
  }
  return true;
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
  refusals.AddInvalid(settings.checks_groups && retries, "backoffLimit",
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
    errors.push_back(InvalidError("metadata.name", QuotedValue(name),
                                  "The RayJob metadata is invalid: " + detail));
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

void Refusals::Add(bool broken, std::string_view field,
                   std::string_view detail) {
  if (!broken) return;
  errors.push_back(
      InvalidError(ChildField("spec", field), "", std::string(detail)));
}

void Refusals::AddInvalid(bool broken, std::string_view field,
                          std::string_view detail) {
  if (!broken) return;
  Add(true, field,
      absl::StrCat("The RayJob spec is invalid: ", std::string(detail)));
}

FieldErrors ValidateRayJob(const RayJob& job, const Settings& settings) {
  const RayJobSpec& spec = job.spec();
  FieldErrors errors;
  CheckName(job.metadata().name(), errors);
  for (FieldError& error : ValidateRayJobSpec(spec, settings)) {
    errors.push_back(std::move(error));
  }
  if (job.status().job_deployment_status() == kWaiting &&
      SubmissionModeOf(spec) != kInteractiveMode) {
    errors.push_back(InvalidError(
        "status.jobDeploymentStatus", QuotedValue(kWaiting),
        "The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` "
        "when SubmissionMode is not InteractiveMode"));
  }
  if (spec.has_managed_by() && !HasText(kManagers, spec.managed_by())) {
    errors.push_back(InvalidError(
        "spec.managedBy", QuotedValue(spec.managed_by()),
        "the managedBy field value must be either 'ray.io/kuberay-operator' or "
        "'kueue.x-k8s.io/multikueue'"));
  }
  return errors;
}

FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings) {
  const bool retries = settings.backoff_limit && spec.backoff_limit() > 0;
  Refusals refusals;
  refusals.AddInvalid(
      spec.suspend() && !spec.shutdown_after_job_finishes(), "suspend",
      "a RayJob with shutdownAfterJobFinishes set to false is not allowed to "
      "be suspended");
  refusals.AddInvalid(spec.ttl_seconds_after_finished() < 0,
                      "ttlSecondsAfterFinished",
                      "TTLSecondsAfterFinished must be a non-negative integer");
  CheckDeletion(spec, settings, refusals);
  CheckWhereItRuns(spec, retries, settings, refusals);
  CheckModes(spec, retries, refusals);
  if (spec.has_ray_cluster_spec()) {
    CheckCluster(spec.ray_cluster_spec(), settings, refusals);
  }
  refusals.Add(!CanBeYamlMapping(spec.runtime_env_yaml()), "runtimeEnvYAML",
               absl::StrCat("failed to unmarshal RuntimeEnvYAML: ",
                            spec.runtime_env_yaml()));
  CheckNumbers(spec, settings, refusals);
  return std::move(refusals.errors);
}

std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec) {
  if (HasText(kModes, SubmissionModeOf(spec))) return {};
  return {absl::StrFormat(
      "spec.submissionMode: '%s' is no mode of KubeRay 1.7; only Ray's own "
      "status is looked at",
      spec.submission_mode())};
}

}  // namespace mulligan::rayjob
