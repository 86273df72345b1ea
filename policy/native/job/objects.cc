#include "policy/native/job/objects.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

#include "policy/base/labels.h"
#include "policy/base/times.h"

namespace mulligan::job {
namespace {

constexpr std::array<SwitchRow<Gates>, 7> kSwitches = {{
    {"JobPodFailurePolicy", &Gates::pod_failure_policy, 26},
    {"SidecarContainers", &Gates::sidecar_containers, 29},
    {"JobBackoffLimitPerIndex", &Gates::backoff_limit_per_index, 29},
    {"JobPodReplacementPolicy", &Gates::pod_replacement_policy, 29},
    {"JobSuccessPolicy", &Gates::success_policy, 31},
    {"JobManagedBy", &Gates::managed_by, 32},
    {"", &Gates::interim_conditions, 31},
}};

constexpr std::int32_t kBackoffLimit = 6;
// Disables the common limit if there are limits per index.
constexpr std::int32_t kBackoffLimitWithPerIndex =
    std::numeric_limits<std::int32_t>::max();

constexpr char kFailuresKey[] = "batch.kubernetes.io/job-index-failure-count";
constexpr char kIgnoredFailuresKey[] =
    "batch.kubernetes.io/job-index-ignored-failure-count";

std::optional<std::int64_t> NumberAt(const Pod& pod, const char* annotation) {
  return GoInteger(ValueAt(pod.metadata().annotations(), annotation));
}

std::int64_t CountAt(const Pod& pod, const char* annotation) {
  const std::int64_t count = NumberAt(pod, annotation).value_or(0);
  const bool fits =
      count >= 0 && count <= std::numeric_limits<std::int32_t>::max();
  return fits ? count : 0;
}

// Raises `latest` to the container's finish. Returns false if it has none.
bool AddFinish(const ContainerStatus& container,
               std::optional<absl::Time>& latest) {
  const auto& finished_at = container.state().terminated().finished_at();
  if (!container.state().has_terminated() || IsZeroTime(finished_at))
    return false;
  const absl::Time finished = ToTime(finished_at);
  latest = std::max(latest.value_or(finished), finished);
  return true;
}

std::optional<absl::Time> MainContainersFinish(const Pod& pod) {
  std::optional<absl::Time> latest;
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    if (!AddFinish(container, latest)) return std::nullopt;
  }
  return latest;
}

// Returns the latest finish, including sidecars; empty if a sidecar still runs.
std::optional<absl::Time> WithSidecars(const Pod& pod,
                                       std::optional<absl::Time> latest) {
  std::set<std::string> sidecars;
  for (const auto& container : pod.spec().init_containers()) {
    if (container.restart_policy() == "Always") {
      sidecars.insert(container.name());
    }
  }
  for (const auto& container : pod.status().init_container_statuses()) {
    if (sidecars.count(container.name()) != 0 &&
        !AddFinish(container, latest)) {
      return std::nullopt;
    }
  }
  return latest;
}

std::optional<absl::Time> LastReady(const Pod& pod) {
  const auto* const ready = FindCondition(pod.status().conditions(), "Ready");
  if (ready == nullptr || ready->status() != "False") return std::nullopt;
  return TimeIfSet(ready->last_transition_time());
}

}  // namespace

Setup<Gates> GatesFor(const v1::NativeSemantics& semantics) {
  return SetUpBy(semantics, {"kubernetes", 1, 34, 34}, kSwitches);
}

bool IsIndexed(const JobSpec& spec) {
  return spec.completion_mode() == "Indexed";
}

bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates) {
  return gates.backoff_limit_per_index && spec.has_backoff_limit_per_index();
}

void SetJobDefaults(const Gates& gates, JobSpec& spec) {
  if (!spec.has_completions() && !spec.has_parallelism()) {
    spec.set_completions(1);
  }
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit()) {
    spec.set_backoff_limit(HasBackoffLimitPerIndex(spec, gates)
                               ? kBackoffLimitWithPerIndex
                               : kBackoffLimit);
  }
  if (!spec.has_completion_mode()) spec.set_completion_mode("NonIndexed");
  if (!spec.has_pod_replacement_policy() && gates.pod_replacement_policy) {
    spec.set_pod_replacement_policy(
        spec.has_pod_failure_policy() ? "Failed" : "TerminatingOrFailed");
  }
  if (!spec.has_pod_failure_policy()) return;
  for (auto& rule : *spec.mutable_pod_failure_policy()->mutable_rules()) {
    for (auto& pattern : *rule.mutable_on_pod_conditions()) {
      if (pattern.status().empty()) pattern.set_status("True");
    }
  }
}

bool HasTrackingFinalizer(const Pod& pod) {
  return HasText(pod.metadata().finalizers(), kJobTrackingFinalizer);
}

std::optional<std::int64_t> CompletionIndex(const Pod& pod,
                                            std::int64_t completions) {
  const std::int64_t index = NumberAt(pod, kCompletionIndexLabel).value_or(-1);
  if (index < 0 || index >= completions) return std::nullopt;
  return index;
}

std::int64_t IndexFailureCount(const Pod& pod) {
  return CountAt(pod, kFailuresKey);
}

std::int64_t IndexAbsoluteFailureCount(const Pod& pod) {
  return IndexFailureCount(pod) + CountAt(pod, kIgnoredFailuresKey);
}

absl::Time FinishTime(const Pod& pod, const Gates& gates) {
  std::optional<absl::Time> finish = MainContainersFinish(pod);
  if (gates.sidecar_containers) finish = WithSidecars(pod, finish);
  if (finish.has_value()) return *finish;
  if (const auto last_ready = LastReady(pod)) return *last_ready;
  const auto& meta = pod.metadata();
  if (meta.has_deletion_timestamp()) {
    return ToTime(meta.deletion_timestamp()) -
           absl::Seconds(meta.deletion_grace_period_seconds());
  }
  return TimeIfSet(meta.creation_timestamp()).value_or(ZeroTime());
}

}  // namespace mulligan::job
