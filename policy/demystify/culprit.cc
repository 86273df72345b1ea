#include "policy/demystify/culprit.h"

#include <string_view>

#include "policy/base/utf8.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/pod_life.h"

namespace mulligan::demystify {
namespace {

void SetPod(const v1::FailureReport& report, int index, Culprit& culprit) {
  const auto& pod = report.pods(index);
  culprit.index = index;
  culprit.pod = Excerpt(pod.metadata().name());
  culprit.node = Excerpt(pod.spec().node_name());
}

// Sets a pod named by a message or event, which may be in the report.
void SetPodNamed(const v1::FailureReport& report, std::string_view name,
                 Culprit& culprit) {
  culprit.pod = Excerpt(name);
  for (int i = 0; i < report.pods_size() && culprit.index < 0; ++i) {
    if (report.pods(i).metadata().name() == name) culprit.index = i;
  }
}

void SetObject(const v1::FailureReport& report, const ObjectName& object,
               Culprit& culprit) {
  if (object.kind == "Pod") {
    if (culprit.pod.empty()) SetPodNamed(report, object.name, culprit);
  } else if (object.kind == "Node") {
    if (culprit.node.empty()) culprit.node = Excerpt(object.name);
  } else if (!object.name.empty()) {
    culprit.kind = Excerpt(object.kind);
    culprit.name = Excerpt(object.name);
  }
}

}  // namespace

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

Culprit CulpritOf(const v1::FailureReport& report,
                  const Conclusion& conclusion) {
  Culprit culprit;
  const Gang& gang = conclusion.gang;
  if (gang.named >= 0) {
    SetPod(report, gang.named, culprit);
  } else if (gang.subject() >= 0) {
    if (!gang.no_culprit) SetPod(report, gang.subject(), culprit);
    if (const auto* container = CulpritContainer(report, conclusion)) {
      culprit.container = Excerpt(container->name());
    }
  } else if (!conclusion.named_pod.empty()) {
    SetPodNamed(report, conclusion.named_pod, culprit);
    culprit.container = Excerpt(conclusion.named_container);
  }
  const Candidate* winner = conclusion.decisive();
  if (winner != nullptr && winner->place.root != Root::kPods) {
    SetObject(report, ObjectOf(report, winner->place), culprit);
  }
  return culprit;
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
