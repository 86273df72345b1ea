#include "policy/operators/rayjob/deletion_validation.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan::rayjob {
namespace {

constexpr std::string_view kDeleteWorkers = "DeleteWorkers";
constexpr std::string_view kDeleteCluster = "DeleteCluster";
constexpr std::string_view kDeleteNone = "DeleteNone";
// What is deleted earlier must be less.
constexpr std::array<std::string_view, 3> kDeletionOrder = {
    kDeleteWorkers, kDeleteCluster, "DeleteSelf"};

constexpr std::string_view kStrategy = "spec.deletionStrategy";

using TtlByPolicy = std::map<std::string, std::int32_t, std::less<>>;
// State kind ("JobStatus") and state.
using State = std::pair<std::string, std::string>;

class DeletionCheck {
 public:
  explicit DeletionCheck(const RayJobSpec& spec)
      : spec_(spec), strategy_(spec.deletion_strategy()) {}

  FieldErrors Run() && {
    const bool rules = !strategy_.deletion_rules().empty();
    const bool branches =
        strategy_.has_on_success() || strategy_.has_on_failure();
    if (rules && spec_.shutdown_after_job_finishes()) {
      Refuse(kStrategy,
             "The RayJob spec is invalid: spec.shutdownAfterJobFinishes and "
             "spec.deletionStrategy.deletionRules are mutually exclusive");
    }
    if (rules && branches) {
      Refuse(kStrategy,
             "The RayJob spec is invalid: Cannot use both legacy "
             "onSuccess/onFailure fields and deletionRules simultaneously");
    }
    if (branches) {
      CheckBranches();
    } else if (rules) {
      CheckRules();
    } else {
      Refuse(kStrategy,
             "The RayJob spec is invalid: DeletionStrategy requires either "
             "BOTH onSuccess and onFailure, OR the deletionRules field (cannot "
             "be empty)");
    }
    return std::move(errors_);
  }

 private:
  void Refuse(std::string_view field, std::string detail) {
    errors_.push_back(InvalidError(std::string(field), "", std::move(detail)));
  }

  [[nodiscard]] bool Selects() const {
    return !spec_.cluster_selector().empty();
  }
  [[nodiscard]] bool Autoscales() const {
    return spec_.ray_cluster_spec().enable_in_tree_autoscaling();
  }

  void CheckBranches() {
    if (!strategy_.has_on_success() || !strategy_.has_on_failure()) {
      return Refuse(
          kStrategy,
          "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must "
          "be set when using the legacy deletion policy fields of "
          "DeletionStrategy");
    }
    const std::string& on_success = strategy_.on_success().policy();
    const std::string& on_failure = strategy_.on_failure().policy();
    for (const auto& [branch, policy] :
         {std::pair<std::string, const std::string&>("OnSuccess", on_success),
          {"OnFailure", on_failure}}) {
      if (!policy.empty()) continue;
      return Refuse(
          kStrategy,
          absl::StrFormat("the DeletionPolicyType field of DeletionStrategy.%s "
                          "cannot be unset when DeletionStrategy is enabled",
                          branch));
    }
    CheckBranch(on_success, "success");
    CheckBranch(on_failure, "failure");
    if (Autoscales() &&
        (on_success == kDeleteWorkers || on_failure == kDeleteWorkers)) {
      Refuse(kStrategy,
             "DeletionStrategy=DeleteWorkers currently does not support "
             "RayCluster with autoscaling enabled");
    }
    if (spec_.shutdown_after_job_finishes() &&
        (on_success == kDeleteNone || on_failure == kDeleteNone)) {
      Refuse(kStrategy,
             "The RayJob spec is invalid: shutdownAfterJobFinshes is set to "
             "'true' while deletion policy is 'DeleteNone'");
    }
  }

  void CheckBranch(const std::string& policy, const std::string& end) {
    if (!Selects() || (policy != kDeleteCluster && policy != kDeleteWorkers)) {
      return;
    }
    Refuse(kStrategy,
           absl::StrFormat("the ClusterSelector mode doesn't support "
                           "DeletionStrategy=%s on %s",
                           policy, end));
  }

  void CheckRules() {
    for (int i = 0; i < strategy_.deletion_rules_size(); ++i) {
      CheckRule(i, strategy_.deletion_rules(i));
    }
    for (const auto& [state, ttls] : ttls_) CheckOrder(state, ttls);
  }

  void CheckRule(int index, const DeletionRule& rule) {
    const auto refuse = [&](const std::string& detail) {
      Refuse(IndexField(ChildField(kStrategy, "deletionRules"), index),
             absl::StrFormat("deletionRules[%d]: %s", index, detail));
    };
    const auto& when = rule.condition();
    if (when.has_job_status() && when.has_job_deployment_status()) {
      return refuse(
          "cannot set both JobStatus and JobDeploymentStatus at the same time");
    }
    if (!when.has_job_status() && !when.has_job_deployment_status()) {
      return refuse(
          "exactly one of JobStatus and JobDeploymentStatus must be set");
    }
    if (when.ttl_seconds() < 0) {
      return refuse("TTLSeconds must be non-negative");
    }
    const std::string& policy = rule.policy();
    if (Selects() && (policy == kDeleteCluster || policy == kDeleteWorkers)) {
      return refuse(absl::StrFormat(
          "DeletionPolicyType '%s' not supported when ClusterSelector is set",
          policy));
    }
    if (Autoscales() && policy == kDeleteWorkers) {
      return refuse(
          "DeletionPolicyType 'DeleteWorkers' not supported with autoscaling "
          "enabled");
    }
    const State state =
        when.has_job_status()
            ? State("JobStatus", when.job_status())
            : State("JobDeploymentStatus", when.job_deployment_status());
    if (!ttls_[state].emplace(policy, when.ttl_seconds()).second) {
      refuse(absl::StrFormat(
          "duplicate rule for DeletionPolicyType '%s' and %s '%s'", policy,
          state.first, state.second));
    }
  }

  void CheckOrder(const State& state, const TtlByPolicy& ttls) {
    const TtlByPolicy::value_type* earlier = nullptr;
    for (const std::string_view policy : kDeletionOrder) {
      const auto found = ttls.find(policy);
      if (found == ttls.end()) continue;
      if (earlier != nullptr && found->second < earlier->second) {
        Refuse(ChildField(kStrategy, "deletionRules"),
               absl::StrFormat("for %s '%s': %s TTL (%d) must be >= %s TTL "
                               "(%d)",
                               state.first, state.second, found->first,
                               found->second, earlier->first, earlier->second));
      }
      earlier = &*found;
    }
  }

  const RayJobSpec& spec_;
  const DeletionStrategy& strategy_;
  std::map<State, TtlByPolicy> ttls_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors ValidateDeletion(const RayJobSpec& spec, const Settings& settings) {
  FieldErrors errors;
  if (!spec.shutdown_after_job_finishes() &&
      spec.ttl_seconds_after_finished() > 0) {
    errors.push_back(InvalidError(
        "spec.ttlSecondsAfterFinished", spec.ttl_seconds_after_finished(),
        "The RayJob spec is invalid: a RayJob with shutdownAfterJobFinishes "
        "set "
        "to false cannot have TTLSecondsAfterFinished"));
  }
  if (!spec.has_deletion_strategy()) return errors;
  if (!settings.deletion_policy) {
    errors.push_back(
        InvalidError(std::string(kStrategy), "",
                     "RayJobDeletionPolicy feature gate must be enabled to use "
                     "DeletionStrategy"));
    return errors;
  }
  for (FieldError& error : DeletionCheck(spec).Run()) {
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace mulligan::rayjob
