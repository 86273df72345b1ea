#include "policy/operators/rayjob/deletion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::rayjob {
namespace {

using ::google::protobuf::Timestamp;
using job::TimeOf;
using job::TimestampOf;

constexpr std::string_view kDeleteNone = "DeleteNone";

// From the least destructive; a policy of a newer release ranks below all.
constexpr std::array<std::string_view, 4> kByImpact = {
    kDeleteNone, "DeleteWorkers", "DeleteCluster", "DeleteSelf"};

int ImpactOf(std::string_view policy) {
  const auto* const found =
      std::find(kByImpact.begin(), kByImpact.end(), policy);
  return found == kByImpact.end() ? -1
                                  : static_cast<int>(found - kByImpact.begin());
}

bool IsDone(std::string_view policy, const Leftovers& left) {
  if (policy == "DeleteWorkers") return !left.cluster || left.workers_suspended;
  if (policy == "DeleteCluster") return !left.cluster;
  return policy == kDeleteNone;
}

// Applies one policy `ttl` seconds after the end.
class Schedule {
 public:
  Schedule(const RayJobStatus& status, const Leftovers& left,
           const Timestamp& now)
      : end_(TimeOf(status.has_end_time() ? status.end_time() : now)),
        left_(left),
        now_(TimeOf(now)) {}

  void Add(const std::string& policy, std::int64_t ttl) {
    const absl::Time due = end_ + absl::Seconds(ttl);
    if (due > now_) {
      if (!next_.has_value() || due < *next_) next_ = due;
      return;
    }
    if (IsDone(policy, left_)) return;
    if (policy_.empty() || ImpactOf(policy) > ImpactOf(policy_)) {
      policy_ = policy;
    }
  }

  [[nodiscard]] CleanUp Result() const {
    CleanUp result;
    result.policy = policy_;
    if (next_.has_value()) result.next = TimestampOf(*next_);
    return result;
  }

 private:
  const absl::Time end_;
  const Leftovers& left_;
  const absl::Time now_;
  std::string policy_;
  std::optional<absl::Time> next_;
};

bool Matches(const DeletionRule& rule, const RayJobStatus& status) {
  return rule.condition().has_job_status()
             ? rule.condition().job_status() == status.job_status()
             : rule.condition().job_deployment_status() ==
                   status.job_deployment_status();
}

// The policy of the branch that jobStatus chooses; empty: none.
std::string BranchFor(const DeletionStrategy& strategy,
                      const RayJobStatus& status) {
  if (status.job_status() == kJobSucceeded) {
    return strategy.on_success().policy();
  }
  if (status.job_status() == kJobFailed) return strategy.on_failure().policy();
  return "";
}

}  // namespace

CleanUp NextCleanUp(const RayJobSpec& spec, const RayJobStatus& status,
                    const Leftovers& left, const Settings& settings,
                    const Timestamp& now) {
  if (!spec.cluster_selector().empty()) return {};
  Schedule schedule(status, left, now);
  const std::int64_t ttl = spec.ttl_seconds_after_finished();
  if (settings.deletion_policy && spec.has_deletion_strategy()) {
    const DeletionStrategy& strategy = spec.deletion_strategy();
    for (const DeletionRule& rule : strategy.deletion_rules()) {
      if (Matches(rule, status)) {
        schedule.Add(rule.policy(), rule.condition().ttl_seconds());
      }
    }
    if (strategy.deletion_rules().empty()) {
      const std::string policy = BranchFor(strategy, status);
      if (!policy.empty() && policy != kDeleteNone) schedule.Add(policy, ttl);
    }
  } else if (spec.shutdown_after_job_finishes()) {
    schedule.Add(
        settings.delete_ray_job_after_finish ? "DeleteSelf" : "DeleteCluster",
        ttl);
  }
  return schedule.Result();
}

}  // namespace mulligan::rayjob
