#include "policy/demystify/culprit.h"

#include <string_view>

#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/pod_life.h"

namespace mulligan::demystify {

const kubernetes::core::v1::ContainerStatus* CulpritContainer(
    const v1::FailureReport& report, const Conclusion& conclusion) {
  const Gang& gang = conclusion.gang;
  const int pod = gang.subject();
  if (pod < 0) return nullptr;
  const auto& status = report.pods(pod).status();
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && winner->place.root == Root::kPods &&
      winner->place.index == pod) {
    const std::string_view list = winner->place.list;
    const int item = winner->place.item;
    if (list == kContainerStatuses) return &status.container_statuses(item);
    if (list == kInitContainerStatuses) {
      return &status.init_container_statuses(item);
    }
  }
  return DecidingContainer(report.pods(pod), gang.state);
}

std::optional<std::int32_t> CulpritExitCode(const v1::FailureReport& report,
                                            const Conclusion& conclusion) {
  const Gang& gang = conclusion.gang;
  const auto* culprit = CulpritContainer(report, conclusion);
  if (gang.named >= 0 || culprit == nullptr ||
      culprit == DecidingContainer(report.pods(gang.subject()), gang.state)) {
    return conclusion.exit_code;
  }
  const std::string_view leaf = conclusion.decisive()->place.leaf;
  const EndedContainer ended = leaf.starts_with(".lastState")
                                   ? LastEnd(*culprit)
                                   : EndOfContainer(*culprit);
  if (ended.terminated == nullptr || ended.end == End::kLost) return {};
  return ended.code;
}

}  // namespace mulligan::demystify
