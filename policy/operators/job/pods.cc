#include "policy/operators/job/pods.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/go_text.h"

namespace mulligan::job {
namespace {

constexpr char kIndexKey[] = "batch.kubernetes.io/job-completion-index";
constexpr char kFailuresKey[] = "batch.kubernetes.io/job-index-failure-count";
constexpr char kIgnoredFailuresKey[] =
    "batch.kubernetes.io/job-index-ignored-failure-count";

bool HasEnded(const Pod& pod) {
  return HasPhase(pod, "Succeeded") || HasPhase(pod, "Failed");
}

std::optional<std::int64_t> NumberAt(const Pod& pod, const char* annotation) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find(annotation);
  return found == annotations.end() ? std::nullopt : GoInteger(found->second);
}

std::int64_t CountAt(const Pod& pod, const char* annotation) {
  const std::int64_t count = NumberAt(pod, annotation).value_or(0);
  const bool fits =
      count >= 0 && count <= std::numeric_limits<std::int32_t>::max();
  return fits ? count : 0;
}

// Takes the later of `latest` and the container's finish; false: it has none.
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

// `latest` or a later finish of a sidecar; nothing when one still runs.
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
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() != "Ready") continue;
    if (condition.status() != "False" ||
        IsZeroTime(condition.last_transition_time())) {
      return std::nullopt;
    }
    return ToTime(condition.last_transition_time());
  }
  return std::nullopt;
}

}  // namespace

bool HasPhase(const Pod& pod, std::string_view phase) {
  return pod.status().phase() == phase;
}

bool HasTrackingFinalizer(const Pod& pod) {
  const auto& finalizers = pod.metadata().finalizers();
  return std::find(finalizers.begin(), finalizers.end(),
                   kJobTrackingFinalizer) != finalizers.end();
}

bool IsActive(const Pod& pod) {
  return !HasEnded(pod) && !pod.metadata().has_deletion_timestamp();
}

bool IsTerminating(const Pod& pod) {
  return !HasEnded(pod) && pod.metadata().has_deletion_timestamp();
}

std::optional<std::int64_t> CompletionIndex(const Pod& pod,
                                            std::int64_t completions) {
  const std::int64_t index = NumberAt(pod, kIndexKey).value_or(-1);
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
  return IsZeroTime(meta.creation_timestamp())
             ? ZeroTime()
             : ToTime(meta.creation_timestamp());
}

}  // namespace mulligan::job
