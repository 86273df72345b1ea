#include "policy/operators/rayjob/validation.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "policy/operators/rayjob/cluster_validation.h"
#include "policy/operators/rayjob/deletion_validation.h"

namespace mulligan::rayjob {
namespace {

constexpr std::string_view kInvalid = "The RayJob spec is invalid: ";
constexpr std::string_view kDns1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or "
    "'-', start with an alphabetic character, and end with an alphanumeric "
    "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

constexpr std::array<std::string_view, 4> kModes = {
    kK8sJobMode, kHttpMode, kSidecarMode, kInteractiveMode};
constexpr std::array<std::string_view, 2> kManagers = {
    "ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue"};

template <typename List>
bool Has(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

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

// Collects refusals in the order in which KubeRay looks for them.
class SpecCheck {
 public:
  SpecCheck(const RayJobSpec& spec, const Settings& settings)
      : spec_(spec),
        settings_(settings),
        selects_(!spec.cluster_selector().empty()) {}

  FieldErrors Run() && {
    CheckSuspend();
    if (spec_.ttl_seconds_after_finished() < 0) {
      Refuse("ttlSecondsAfterFinished",
             absl::StrFormat("%sTTLSecondsAfterFinished must be a non-negative "
                             "integer",
                             std::string(kInvalid)));
    }
    Append(ValidateDeletion(spec_, settings_));
    CheckWhereItRuns();
    CheckModes();
    if (spec_.has_ray_cluster_spec()) {
      Append(ValidateRayJobClusterSpec(spec_.ray_cluster_spec(), settings_));
    }
    CheckRuntimeEnv();
    CheckNumbers();
    return std::move(errors_);
  }

 private:
  void Refuse(std::string_view field, std::string detail) {
    errors_.push_back(
        InvalidError(ChildField("spec", field), "", std::move(detail)));
  }

  // With the words most of KubeRay's refusals begin with.
  void RefuseSpec(std::string_view field, std::string_view detail) {
    Refuse(field,
           absl::StrFormat("%s%s", std::string(kInvalid), std::string(detail)));
  }

  void Append(FieldErrors errors) {
    for (FieldError& error : errors) errors_.push_back(std::move(error));
  }

  void CheckSuspend() {
    if (spec_.suspend() && !spec_.shutdown_after_job_finishes()) {
      RefuseSpec("suspend",
                 "a RayJob with shutdownAfterJobFinishes set to false is not "
                 "allowed to be suspended");
    }
  }

  void CheckWhereItRuns() {
    if (spec_.suspend() && selects_) {
      RefuseSpec("suspend",
                 "the ClusterSelector mode doesn't support the suspend "
                 "operation");
    }
    if (!spec_.has_ray_cluster_spec() && !selects_) {
      RefuseSpec("rayClusterSpec",
                 "one of RayClusterSpec or ClusterSelector must be set");
    }
    if (!selects_) return;
    const auto name =
        spec_.cluster_selector().find(std::string(kClusterSelectorKey));
    if (name == spec_.cluster_selector().end() || name->second.empty()) {
      Refuse("clusterSelector",
             "cluster name in ClusterSelector should not be empty");
    }
    if (spec_.submission_mode() == kSidecarMode) {
      Refuse("clusterSelector",
             "ClusterSelector is not supported in SidecarMode");
    }
    if (settings_.checks_groups && Retries()) {
      RefuseSpec("backoffLimit",
                 "BackoffLimit is incompatible with ClusterSelector mode");
    }
  }

  void CheckModes() {
    if (spec_.submission_mode() == kInteractiveMode && Retries()) {
      RefuseSpec("backoffLimit",
                 "BackoffLimit is incompatible with InteractiveMode");
    }
    if (spec_.submission_mode() != kSidecarMode) return;
    if (spec_.has_submitter_pod_template()) {
      Refuse("submitterPodTemplate",
             "Currently, SidecarMode doesn't support SubmitterPodTemplate");
    }
    if (spec_.has_submitter_config()) {
      Refuse("submitterConfig",
             "Currently, SidecarMode doesn't support SubmitterConfig");
    }
    const std::string& policy = spec_.ray_cluster_spec()
                                    .head_group_spec()
                                    .template_()
                                    .spec()
                                    .restart_policy();
    if (!policy.empty() && policy != "Never") {
      Refuse("rayClusterSpec.headGroupSpec.template.spec.restartPolicy",
             "restartPolicy for head Pod should be Never or unset when using "
             "SidecarMode");
    }
  }

  void CheckRuntimeEnv() {
    if (CanBeYamlMapping(spec_.runtime_env_yaml())) return;
    Refuse("runtimeEnvYAML",
           absl::StrFormat("failed to unmarshal RuntimeEnvYAML: %s",
                           spec_.runtime_env_yaml()));
  }

  void CheckNumbers() {
    if (spec_.has_active_deadline_seconds() &&
        spec_.active_deadline_seconds() <= 0) {
      RefuseSpec("activeDeadlineSeconds",
                 "activeDeadlineSeconds must be a positive integer");
    }
    if (settings_.pre_running_deadline &&
        spec_.has_pre_running_deadline_seconds() &&
        spec_.pre_running_deadline_seconds() <= 0) {
      RefuseSpec("preRunningDeadlineSeconds",
                 "preRunningDeadlineSeconds must be a positive integer");
    }
    if (settings_.backoff_limit && spec_.backoff_limit() < 0) {
      RefuseSpec("backoffLimit", "backoffLimit must be a positive integer");
    }
  }

  [[nodiscard]] bool Retries() const {
    return settings_.backoff_limit && spec_.backoff_limit() > 0;
  }

  const RayJobSpec& spec_;
  const Settings& settings_;
  const bool selects_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors ValidateRayJobMetadata(const RayJob& job) {
  static const RE2& dns1035 = *new RE2("[a-z]([-a-z0-9]*[a-z0-9])?");
  FieldErrors errors;
  const std::string& name = job.metadata().name();
  const auto refuse = [&](std::string detail) {
    errors.push_back(InvalidError("metadata.name", QuotedValue(name),
                                  "The RayJob metadata is invalid: " + detail));
  };
  if (name.size() > static_cast<std::size_t>(kMaxRayJobNameLength)) {
    refuse(absl::StrFormat("RayJob name should be no more than %d characters",
                           kMaxRayJobNameLength));
  }
  if (!RE2::FullMatch(name, dns1035)) {
    refuse(absl::StrFormat("RayJob name should be a valid DNS1035 label: [%s]",
                           std::string(kDns1035Rule)));
  }
  return errors;
}

FieldErrors ValidateRayJobSpec(const RayJobSpec& spec,
                               const Settings& settings) {
  return SpecCheck(spec, settings).Run();
}

FieldErrors ValidateRayJobStatus(const RayJob& job) {
  if (job.status().job_deployment_status() != kWaiting ||
      SubmissionModeOf(job.spec()) == kInteractiveMode) {
    return {};
  }
  return {InvalidError(
      "status.jobDeploymentStatus", QuotedValue(kWaiting),
      "The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` "
      "when SubmissionMode is not InteractiveMode")};
}

FieldErrors ValidateRayJobSchema(const RayJobSpec& spec) {
  if (!spec.has_managed_by() || Has(kManagers, spec.managed_by())) return {};
  return {InvalidError(
      "spec.managedBy", QuotedValue(spec.managed_by()),
      "the managedBy field value must be either 'ray.io/kuberay-operator' or "
      "'kueue.x-k8s.io/multikueue'")};
}

std::vector<std::string> RayJobSpecWarnings(const RayJobSpec& spec) {
  std::vector<std::string> warnings;
  if (!Has(kModes, SubmissionModeOf(spec))) {
    warnings.push_back(absl::StrFormat(
        "spec.submissionMode: '%s' is no mode of KubeRay 1.7; only Ray's own "
        "status is looked at",
        spec.submission_mode()));
  }
  return warnings;
}

}  // namespace mulligan::rayjob
