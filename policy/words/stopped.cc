// Work that mulligan-controller stopped: by whom, why, and how to resume it.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "policy/base/labels.h"
#include "policy/base/shell.h"
#include "policy/request/kind_names.h"
#include "policy/request/kinds.h"
#include "policy/words/remedies.h"

namespace mulligan::words {
namespace {

// mulligan-controller writes both or neither (records/annotations.go).
constexpr char kStopped[] = "mulligan.dev/stopped";
constexpr char kFirstStep[] = "mulligan.dev/first-step";
// Precedes the command at the end of the step.
constexpr std::string_view kThenResume = "then let it go on: ";

Remedy InAnnotations(const WorkloadView& view) {
  if (view.suspend_leaf == nullptr && view.phase != WorkloadPhase::kHeld) {
    return {};
  }
  const auto& annotations = view.meta->annotations();
  const std::string_view step = LabelOf(annotations, kFirstStep);
  const std::size_t at = step.rfind(kThenResume);
  const bool has_command = at != std::string_view::npos;
  return {.problem = std::string(LabelOf(annotations, kStopped)),
          .step = std::string(step),
          .actor = v1::FirstStep::USER,
          .command = has_command
                         ? std::string(step.substr(at + kThenResume.size()))
                         : std::string()};
}

std::string Patch(const std::string& kind, const std::string& name,
                  std::string_view space, std::string_view patch) {
  return absl::StrCat("kubectl patch ", absl::AsciiStrToLower(kind), " ",
                      NameWord("object", name), InNamespace(space),
                      " --type=merge -p ", Quoted(patch));
}

}  // namespace

std::string StopCommand(const Answered& answered) {
  const v1::Decision::Action action = answered.decision.action();
  const bool stops = action == v1::Decision::FAIL ||
                     action == v1::Decision::WAIT_FOR_SPEC_UPDATE ||
                     answered.decision.requires_recreate();
  if (!stops || answered.failure.situation != v1::Diagnosis::ALIVE) return {};
  // Kubernetes cannot stop one index of a Job.
  if (answered.decision.scope() == v1::Decision::INDEX) return {};
  // The queue would resume admitted work.
  if (answered.report().has_kueue_workload()) {
    const auto& queued = answered.report().kueue_workload().metadata();
    return Patch("workload", queued.name(), queued.namespace_(),
                 R"({"spec":{"active":false}})");
  }
  const v1::WorkloadReference& work = answered.workload;
  if (work.name().empty()) return {};
  const bool refuses = std::ranges::any_of(
      answered.owners.views, [&work](const WorkloadView& view) {
        return view.kind_name == work.kind() && view.refuses_suspension;
      });
  if (work.kind() == "Pod" || refuses) {
    return absl::StrCat("kubectl delete ", absl::AsciiStrToLower(work.kind()),
                        " ", NameWord("object", work.name()),
                        InNamespace(work.namespace_()));
  }
  const Kind* const kind = FindKind(work.kind());
  return kind == nullptr || kind->suspend.empty()
             ? std::string()
             : Patch(work.kind(), work.name(), work.namespace_(),
                     kind->suspend);
}

Remedy RemedyOfStop(const Answered& answered) {
  // A queue leaves the pods, so they may still show the failure.
  if (answered.failure.situation != v1::Diagnosis::HELD &&
      answered.failure.situation != v1::Diagnosis::BROKEN) {
    return {};
  }
  for (const WorkloadView& view : answered.owners.views) {
    Remedy found = InAnnotations(view);
    if (!found.problem.empty()) return found;
  }
  for (const auto& job : answered.report().jobs()) {
    Remedy found = InAnnotations(ViewOf(job));
    if (!found.problem.empty()) return found;
  }
  return {};
}

}  // namespace mulligan::words
