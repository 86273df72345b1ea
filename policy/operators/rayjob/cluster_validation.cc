#include "policy/operators/rayjob/cluster_validation.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan::rayjob {
namespace {

using WorkerGroupSpec = kubernetes::ray::v1::WorkerGroupSpec;

constexpr std::string_view kCluster = "spec.rayClusterSpec";
constexpr std::string_view kMode = "spec.rayClusterSpec.authOptions.mode";

// A version as Kubernetes reads generic ones: two or three numbers, then
// anything.
using Version = std::array<std::int64_t, 3>;

std::optional<Version> ParseVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  Version version = {};
  std::size_t parts = 0;
  const char* at = text.data();
  const char* const last = at + text.size();
  for (; parts < version.size(); ++parts) {
    const auto [end, error] = std::from_chars(at, last, version.at(parts));
    if (error != std::errc()) break;
    at = end;
    if (at == last || *at != '.') {
      ++parts;
      break;
    }
    ++at;
  }
  return parts < 2 ? std::nullopt : std::optional<Version>(version);
}

constexpr Version kTokenAuthSince = {2, 52, 0};

class ClusterCheck {
 public:
  ClusterCheck(const RayClusterSpec& spec, const Settings& settings)
      : spec_(spec),
        settings_(settings),
        autoscales_(spec.enable_in_tree_autoscaling()) {}

  FieldErrors Run() && {
    if (spec_.auth_options().enable_k8s_token_auth()) {
      Refuse("spec.rayClusterSpec.authOptions.enableK8sTokenAuth",
             "K8s token auth mode is currently not supported for RayJob");
    }
    if (spec_.head_group_spec().template_().spec().containers().empty()) {
      Refuse(ChildField(kCluster, "headGroupSpec.template.spec.containers"),
             "headGroupSpec should have at least one container");
    }
    for (int i = 0; i < spec_.worker_group_specs_size(); ++i) {
      CheckGroup(spec_.worker_group_specs(i),
                 IndexField(ChildField(kCluster, "workerGroupSpecs"), i));
    }
    CheckAutoscalerV2();
    CheckAuthentication();
    return std::move(errors_);
  }

 private:
  void Refuse(std::string field, const std::string& detail) {
    errors_.push_back(InvalidError(std::move(field), "",
                                   "The RayJob spec is invalid: " + detail));
  }

  void CheckGroup(const WorkerGroupSpec& group, const std::string& path) {
    const std::string& name = group.group_name();
    if (group.template_().spec().containers().empty()) {
      Refuse(ChildField(path, "template.spec.containers"),
             "workerGroupSpec should have at least one container");
    }
    if (settings_.checks_groups) CheckGroupLimits(group, path);
    if (!group.suspend()) return;
    if (!settings_.deletion_policy) {
      Refuse(ChildField(path, "suspend"),
             absl::StrFormat("worker group %s can be suspended only when the "
                             "RayJobDeletionPolicy feature gate is enabled",
                             name));
    }
    if (autoscales_) {
      Refuse(ChildField(path, "suspend"),
             absl::StrFormat("worker group %s cannot be suspended with "
                             "Autoscaler enabled",
                             name));
    }
  }

  void CheckGroupLimits(const WorkerGroupSpec& group, const std::string& path) {
    const std::string& name = group.group_name();
    if (!autoscales_ &&
        (!group.has_min_replicas() || !group.has_max_replicas())) {
      Refuse(path, absl::StrFormat("worker group %s must set both minReplicas "
                                   "and maxReplicas when autoscaling is "
                                   "disabled",
                                   name));
    }
    if (group.min_replicas() < 0) {
      Refuse(ChildField(path, "minReplicas"),
             absl::StrFormat("worker group %s has negative minReplicas %d",
                             name, group.min_replicas()));
    }
    if (group.has_max_replicas() && group.max_replicas() < 0) {
      Refuse(ChildField(path, "maxReplicas"),
             absl::StrFormat("worker group %s has negative maxReplicas %d",
                             name, group.max_replicas()));
    }
    if (group.has_min_replicas() && group.has_max_replicas() &&
        group.min_replicas() > group.max_replicas()) {
      Refuse(ChildField(path, "minReplicas"),
             absl::StrFormat("worker group %s has minReplicas %d greater than "
                             "maxReplicas %d",
                             name, group.min_replicas(), group.max_replicas()));
    }
  }

  void CheckAutoscalerV2() {
    if (!autoscales_ || spec_.autoscaler_options().version() != "v2") return;
    const auto restarts = [](const auto& group) {
      const std::string& policy = group.template_().spec().restart_policy();
      return !policy.empty() && policy != "Never";
    };
    if (restarts(spec_.head_group_spec())) {
      Refuse(ChildField(kCluster, "headGroupSpec.template.spec.restartPolicy"),
             "restartPolicy for head Pod should be Never or unset when using "
             "autoscaler V2");
    }
    for (int i = 0; i < spec_.worker_group_specs_size(); ++i) {
      if (!restarts(spec_.worker_group_specs(i))) continue;
      Refuse(ChildField(IndexField(ChildField(kCluster, "workerGroupSpecs"), i),
                        "template.spec.restartPolicy"),
             absl::StrFormat("restartPolicy for worker group %s should be "
                             "Never or unset when using autoscaler V2",
                             spec_.worker_group_specs(i).group_name()));
    }
  }

  void CheckAuthentication() {
    if (spec_.auth_options().mode() != "token") return;
    const std::string& ray = spec_.ray_version();
    if (ray.empty()) {
      return Refuse(std::string(kMode),
                    "authOptions.mode is 'token' but RayVersion was not "
                    "specified. Ray version 2.52.0 or later is required");
    }
    const std::optional<Version> version = ParseVersion(ray);
    if (!version.has_value()) {
      return Refuse(std::string(kMode),
                    absl::StrFormat("authOptions.mode is 'token' but "
                                    "RayVersion format is invalid: %s",
                                    ray));
    }
    if (*version < kTokenAuthSince) {
      Refuse(std::string(kMode),
             absl::StrFormat("authOptions.mode is 'token' but minimum Ray "
                             "version is 2.52.0, got %s",
                             ray));
    }
  }

  const RayClusterSpec& spec_;
  const Settings& settings_;
  const bool autoscales_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors ValidateRayJobClusterSpec(const RayClusterSpec& spec,
                                      const Settings& settings) {
  return ClusterCheck(spec, settings).Run();
}

}  // namespace mulligan::rayjob
