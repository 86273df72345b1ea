#include "policy/operators/job/finish_time.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "policy/base/times.h"

namespace mulligan::job {
namespace {

std::optional<absl::Time> FinishedAt(const ContainerStatus& container) {
  const auto& terminated = container.state().terminated();
  if (!container.state().has_terminated() ||
      IsZeroTime(terminated.finished_at())) {
    return std::nullopt;
  }
  return ToTime(terminated.finished_at());
}

std::optional<absl::Time> Later(std::optional<absl::Time> a, absl::Time b) {
  return a.has_value() ? std::max(*a, b) : b;
}

std::optional<absl::Time> MainContainersFinish(const Pod& pod) {
  std::optional<absl::Time> latest;
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    const auto finished = FinishedAt(container);
    if (!finished.has_value()) return std::nullopt;
    latest = Later(latest, *finished);
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
  for (const ContainerStatus& container :
       pod.status().init_container_statuses()) {
    if (sidecars.count(container.name()) == 0) continue;
    const auto finished = FinishedAt(container);
    if (!finished.has_value()) return std::nullopt;
    latest = Later(latest, *finished);
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
