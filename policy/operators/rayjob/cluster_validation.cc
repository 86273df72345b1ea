// What KubeRay refuses about the cluster of a RayJob, and about its deletion
// after the end.
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/operators/rayjob/validation.h"

namespace mulligan::rayjob {
namespace {

using WorkerGroupSpec = kubernetes::ray::v1::WorkerGroupSpec;

// A version as Kubernetes reads generic ones: two or three numbers, then
// anything.
using Version = std::array<std::int64_t, 3>;

constexpr Version kTokenAuthSince = {2, 52, 0};

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

void CheckGroupLimits(const WorkerGroupSpec& group, const std::string& path,
                      bool autoscales, Refusals& refusals) {
  const auto refuse = [&](bool broken, std::string_view field,
                          std::string_view what) {
    if (!broken) return;
    refusals.AddInvalid(
        true, absl::StrCat(path, std::string(field)),
        absl::StrFormat("worker group %s %s", group.group_name(), what));
  };
  refuse(
      !autoscales && (!group.has_min_replicas() || !group.has_max_replicas()),
      "",
      "must set both minReplicas and maxReplicas when autoscaling is "
      "disabled");
  refuse(group.min_replicas() < 0, ".minReplicas",
         absl::StrCat("has negative minReplicas ", group.min_replicas()));
  refuse(group.max_replicas() < 0, ".maxReplicas",
         absl::StrCat("has negative maxReplicas ", group.max_replicas()));
  refuse(group.has_min_replicas() && group.has_max_replicas() &&
             group.min_replicas() > group.max_replicas(),
         ".minReplicas",
         absl::StrFormat("has minReplicas %d greater than maxReplicas %d",
                         group.min_replicas(), group.max_replicas()));
}

void CheckGroup(const WorkerGroupSpec& group, const std::string& path,
                bool autoscales, const Settings& settings, Refusals& refusals) {
  refusals.AddInvalid(group.template_().spec().containers().empty(),
                      path + ".template.spec.containers",
                      "workerGroupSpec should have at least one container");
  if (settings.checks_groups) {
    CheckGroupLimits(group, path, autoscales, refusals);
  }
  refusals.AddInvalid(
      group.suspend() && !settings.deletion_policy, path + ".suspend",
      absl::StrFormat("worker group %s can be suspended only when the "
                      "RayJobDeletionPolicy feature gate is enabled",
                      group.group_name()));
  refusals.AddInvalid(
      group.suspend() && autoscales, path + ".suspend",
      absl::StrFormat("worker group %s cannot be suspended with "
                      "Autoscaler enabled",
                      group.group_name()));
}

std::string GroupPath(int index) {
  return absl::StrFormat("rayClusterSpec.workerGroupSpecs[%d]", index);
}

void CheckAutoscalerV2(const RayClusterSpec& spec, Refusals& refusals) {
  if (!spec.enable_in_tree_autoscaling() ||
      spec.autoscaler_options().version() != "v2") {
    return;
  }
  refusals.AddInvalid(
      Restarts(spec.head_group_spec().template_()),
      "rayClusterSpec.headGroupSpec.template.spec.restartPolicy",
      "restartPolicy for head Pod should be Never or unset when using "
      "autoscaler V2");
  for (int i = 0; i < spec.worker_group_specs_size(); ++i) {
    const WorkerGroupSpec& group = spec.worker_group_specs(i);
    refusals.AddInvalid(
        Restarts(group.template_()),
        GroupPath(i) + ".template.spec.restartPolicy",
        absl::StrFormat("restartPolicy for worker group %s should be Never or "
                        "unset when using autoscaler V2",
                        group.group_name()));
  }
}

void CheckAuthentication(const RayClusterSpec& spec, Refusals& refusals) {
  if (spec.auth_options().mode() != "token") return;
  const std::string& ray = spec.ray_version();
  const std::optional<Version> version = ParseVersion(ray);
  if (version.has_value() && *version >= kTokenAuthSince) return;
  refusals.AddInvalid(
      true, "rayClusterSpec.authOptions.mode",
      absl::StrCat(
          "authOptions.mode is 'token' but ",
          ray.empty() ? "RayVersion was not specified. Ray version "
                        "2.52.0 or later is required"
          : version.has_value()
              ? absl::StrCat("minimum Ray version is 2.52.0, got ", ray)
              : absl::StrCat("RayVersion format is invalid: ", ray)));
}

constexpr std::string_view kDeleteWorkers = "DeleteWorkers";
constexpr std::string_view kDeleteCluster = "DeleteCluster";
constexpr std::string_view kDeleteNone = "DeleteNone";
// What is deleted earlier must be less.
constexpr std::array<std::string_view, 3> kDeletionOrder = {
    kDeleteWorkers, kDeleteCluster, "DeleteSelf"};

constexpr std::string_view kStrategy = "deletionStrategy";

// A selected cluster is not the RayJob's to delete.
bool DeletesSelected(const RayJobSpec& spec, std::string_view policy) {
  return !spec.cluster_selector().empty() &&
         (policy == kDeleteCluster || policy == kDeleteWorkers);
}

bool Autoscales(const RayJobSpec& spec) {
  return spec.ray_cluster_spec().enable_in_tree_autoscaling();
}

void CheckBranches(const RayJobSpec& spec, Refusals& refusals) {
  const DeletionStrategy& strategy = spec.deletion_strategy();
  if (!strategy.has_on_success() || !strategy.has_on_failure()) {
    return refusals.Add(
        true, kStrategy,
        "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must "
        "be set when using the legacy deletion policy fields of "
        "DeletionStrategy");
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
  refusals.Add(Autoscales(spec) && (on_success == kDeleteWorkers ||
                                    on_failure == kDeleteWorkers),
               kStrategy,
               "DeletionStrategy=DeleteWorkers currently does not support "
               "RayCluster with autoscaling enabled");
  refusals.AddInvalid(
      spec.shutdown_after_job_finishes() &&
          (on_success == kDeleteNone || on_failure == kDeleteNone),
      kStrategy,
      "shutdownAfterJobFinshes is set to 'true' while deletion policy is "
      "'DeleteNone'");
}

using TtlByPolicy = std::map<std::string, std::int32_t, std::less<>>;
// By state: "JobStatus 'FAILED'".
using TtlByState = std::map<std::string, TtlByPolicy>;

// What is wrong with one rule; nothing: its TTL is added to `ttls`.
std::string FaultOf(const DeletionRule& rule, const RayJobSpec& spec,
                    TtlByState& ttls) {
  const auto& when = rule.condition();
  const std::string& policy = rule.policy();
  if (when.has_job_status() && when.has_job_deployment_status()) {
    return "cannot set both JobStatus and JobDeploymentStatus at the same time";
  }
  if (!when.has_job_status() && !when.has_job_deployment_status()) {
    return "exactly one of JobStatus and JobDeploymentStatus must be set";
  }
  if (when.ttl_seconds() < 0) return "TTLSeconds must be non-negative";
  if (DeletesSelected(spec, policy)) {
    return absl::StrFormat(
        "DeletionPolicyType '%s' not supported when ClusterSelector is set",
        policy);
  }
  if (Autoscales(spec) && policy == kDeleteWorkers) {
    return "DeletionPolicyType 'DeleteWorkers' not supported with autoscaling "
           "enabled";
  }
  const std::string state =
      when.has_job_status()
          ? absl::StrFormat("JobStatus '%s'", when.job_status())
          : absl::StrFormat("JobDeploymentStatus '%s'",
                            when.job_deployment_status());
  if (ttls[state].emplace(policy, when.ttl_seconds()).second) return "";
  return absl::StrFormat("duplicate rule for DeletionPolicyType '%s' and %s",
                         policy, state);
}

void CheckOrder(const std::string& state, const TtlByPolicy& ttls,
                std::vector<std::string>& faults) {
  const TtlByPolicy::value_type* earlier = nullptr;
  for (const std::string_view policy : kDeletionOrder) {
    const auto found = ttls.find(policy);
    if (found == ttls.end()) continue;
    if (earlier != nullptr && found->second < earlier->second) {
      faults.push_back(absl::StrFormat(
          "for %s: %s TTL (%d) must be >= %s TTL (%d)", state, found->first,
          found->second, earlier->first, earlier->second));
    }
    earlier = &*found;
  }
}

// What is wrong with the rules is told as one, a line each.
void CheckRules(const RayJobSpec& spec, Refusals& refusals) {
  TtlByState ttls;
  std::vector<std::string> faults;
  const auto& rules = spec.deletion_strategy().deletion_rules();
  for (int i = 0; i < rules.size(); ++i) {
    const std::string fault = FaultOf(rules[i], spec, ttls);
    if (fault.empty()) continue;
    faults.push_back(absl::StrFormat("deletionRules[%d]: %s", i, fault));
  }
  for (const auto& [state, by_policy] : ttls) {
    CheckOrder(state, by_policy, faults);
  }
  refusals.Add(!faults.empty(), "deletionStrategy.deletionRules",
               absl::StrJoin(faults, "\n"));
}

}  // namespace

void CheckCluster(const RayClusterSpec& spec, const Settings& settings,
                  Refusals& refusals) {
  refusals.AddInvalid(spec.auth_options().enable_k8s_token_auth(),
                      "rayClusterSpec.authOptions.enableK8sTokenAuth",
                      "K8s token auth mode is currently not supported for "
                      "RayJob");
  refusals.AddInvalid(
      spec.head_group_spec().template_().spec().containers().empty(),
      "rayClusterSpec.headGroupSpec.template.spec.containers",
      "headGroupSpec should have at least one container");
  for (int i = 0; i < spec.worker_group_specs_size(); ++i) {
    CheckGroup(spec.worker_group_specs(i), GroupPath(i),
               spec.enable_in_tree_autoscaling(), settings, refusals);
  }
  CheckAutoscalerV2(spec, refusals);
  CheckAuthentication(spec, refusals);
}

void CheckDeletion(const RayJobSpec& spec, const Settings& settings,
                   Refusals& refusals) {
  if (!spec.shutdown_after_job_finishes() &&
      spec.ttl_seconds_after_finished() > 0) {
    refusals.errors.push_back(InvalidError(
        "spec.ttlSecondsAfterFinished", spec.ttl_seconds_after_finished(),
        "The RayJob spec is invalid: a RayJob with shutdownAfterJobFinishes "
        "set to false cannot have TTLSecondsAfterFinished"));
  }
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

}  // namespace mulligan::rayjob
