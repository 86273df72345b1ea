#include "tests/stories/pod_signs.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "policy/base/conditions.h"
#include "tests/stories/signs.h"

namespace mulligan::stories {
namespace {

namespace core = kubernetes::core::v1;

// Restarts from which on a loop is trouble (crashLoopFailures of the policy).
constexpr int kLoop = 5;
// Seconds of waiting after which work may be called stuck.
constexpr std::int64_t kSlowStartSeconds = 60;

std::vector<const core::ContainerStatus*> Containers(const core::Pod& pod) {
  std::vector<const core::ContainerStatus*> all;
  for (const auto& one : pod.status().init_container_statuses()) {
    all.push_back(&one);
  }
  for (const auto& one : pod.status().container_statuses()) {
    all.push_back(&one);
  }
  return all;
}

// A container's own policy overrides its pod's.
bool RestartsOnFailure(const core::Pod& pod, std::string_view container) {
  for (const auto* list :
       {&pod.spec().containers(), &pod.spec().init_containers()}) {
    for (const core::Container& one : *list) {
      if (one.name() != container) continue;
      if (one.restart_policy_rules_size() > 0) return true;
      if (one.has_restart_policy()) return one.restart_policy() != "Never";
    }
  }
  return pod.spec().restart_policy() != "Never";
}

bool IsOver(const core::Pod& pod) {
  return pod.status().phase() == "Failed" ||
         pod.status().phase() == "Succeeded";
}

bool KubeletRestarts(const core::Pod& pod, std::string_view container) {
  return !IsOver(pod) && !pod.metadata().has_deletion_timestamp() &&
         !IsDisrupted(pod) && RestartsOnFailure(pod, container);
}

bool EndedWithError(const core::ContainerStatus& container) {
  return container.state().has_terminated() &&
         container.state().terminated().exit_code() != 0;
}

bool WaitsInTrouble(const core::ContainerStatus& container) {
  const std::string& reason = container.state().waiting().reason();
  if (reason.empty() || reason == "ContainerCreating" ||
      reason == "PodInitializing") {
    return false;
  }
  return reason != "CrashLoopBackOff" || container.restart_count() >= kLoop;
}

bool IsSlowToStart(const core::Pod& pod, std::int64_t now) {
  if (pod.status().phase() == "Unknown") return true;
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "PodScheduled" && condition.status() == "False") {
      return true;
    }
  }
  return pod.status().phase() == "Pending" &&
         now - pod.metadata().creation_timestamp().seconds() >
             kSlowStartSeconds;
}

// When the pod started to fail; its start if nothing shows that.
std::int64_t TroubledSince(const core::Pod& pod) {
  std::vector<std::int64_t> signs;
  for (const auto* container : Containers(pod)) {
    if (EndedWithError(*container)) {
      signs.push_back(container->state().terminated().finished_at().seconds());
    }
  }
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "DisruptionTarget" &&
        condition.status() == "True") {
      signs.push_back(condition.last_transition_time().seconds());
    }
  }
  if (pod.metadata().has_deletion_timestamp()) {
    signs.push_back(pod.metadata().deletion_timestamp().seconds() -
                    pod.metadata().deletion_grace_period_seconds());
  }
  const std::int64_t begun = pod.metadata().creation_timestamp().seconds();
  return signs.empty() ? begun : std::max(begun, std::ranges::min(signs));
}

// The place of a pod: pods of one template and index share it.
const std::string& PlaceOf(const core::Pod& pod) {
  return pod.metadata().generate_name().empty()
             ? pod.metadata().name()
             : pod.metadata().generate_name();
}

bool TakesThePlaceOf(const core::Pod& later, const core::Pod& earlier) {
  const std::int64_t begun = later.metadata().creation_timestamp().seconds();
  return PlaceOf(later) == PlaceOf(earlier) &&
         begun > earlier.metadata().creation_timestamp().seconds() &&
         begun >= TroubledSince(earlier);
}

}  // namespace

PodState StateOf(const core::Pod& pod, std::int64_t now) {
  if (EndedBadly(pod)) return PodState::kEnded;
  if (pod.status().phase() == "Succeeded") return PodState::kFine;
  const auto containers = Containers(pod);
  if (IsDisrupted(pod) || pod.metadata().has_deletion_timestamp() ||
      !pod.status().reason().empty() || IsSlowToStart(pod, now) ||
      std::ranges::any_of(containers, [](const auto* container) {
        return WaitsInTrouble(*container);
      })) {
    return PodState::kTrouble;
  }
  return std::ranges::any_of(containers,
                             [](const auto* container) {
                               return EndedWithError(*container) ||
                                      container->state().has_waiting();
                             })
             ? PodState::kRestarted
             : PodState::kFine;
}

std::vector<const core::Pod*> WithoutReplaced(std::vector<const core::Pod*> bad,
                                              const v1::FailureReport& report) {
  const auto begun = [](const core::Pod* pod) {
    return pod->metadata().creation_timestamp().seconds();
  };
  std::vector<const core::Pod*> free;
  for (const core::Pod& pod : report.pods()) free.push_back(&pod);
  std::ranges::stable_sort(free, {}, begun);
  std::ranges::stable_sort(
      bad, {}, [](const core::Pod* pod) { return TroubledSince(*pod); });
  // Each pod takes the place of only one.
  std::erase_if(bad, [&free](const core::Pod* pod) {
    const auto next = std::ranges::find_if(free, [pod](const core::Pod* one) {
      return TakesThePlaceOf(*one, *pod);
    });
    if (next == free.end()) return false;
    free.erase(next);
    return true;
  });
  return bad;
}

bool EndedBadly(const core::Pod& pod) {
  if (IsOver(pod)) return pod.status().phase() == "Failed";
  if (IsDisrupted(pod) && pod.metadata().has_deletion_timestamp()) return true;
  return std::ranges::any_of(Containers(pod), [&pod](const auto* container) {
    return EndedWithError(*container) &&
           !KubeletRestarts(pod, container->name());
  });
}

bool DeletedOnPurpose(const core::Pod& pod) {
  return pod.metadata().has_deletion_timestamp() && !IsDisrupted(pod);
}

bool IsDisrupted(const core::Pod& pod) {
  return IsTrue(pod.status().conditions(), "DisruptionTarget");
}

bool HasRunningContainer(const core::Pod& pod) {
  return !IsOver(pod) &&
         std::ranges::any_of(Containers(pod), [](const auto* container) {
           return container->state().has_running();
         });
}

}  // namespace mulligan::stories
