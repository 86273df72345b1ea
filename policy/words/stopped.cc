// Work that mulligan-controller has stopped: by whom, why, and how it goes on.
#include <string>
#include <string_view>

#include "policy/base/labels.h"
#include "policy/words/remedies.h"

namespace mulligan::words {
namespace {

// mulligan-controller writes both, or neither (records/annotations.go).
constexpr char kStopped[] = "mulligan.dev/stopped";
constexpr char kFirstStep[] = "mulligan.dev/first-step";
// The step ends with the command that this stands before.
constexpr std::string_view kGoOn = "then let it go on: ";

Remedy InAnnotations(const WorkloadView& view) {
  if (view.suspend_leaf == nullptr) return {};
  const auto& annotations = view.meta->annotations();
  const std::string_view step = LabelOf(annotations, kFirstStep);
  const std::size_t at = step.rfind(kGoOn);
  const bool has_command = at != std::string_view::npos;
  return {.problem = std::string(LabelOf(annotations, kStopped)),
          .step = std::string(step),
          .actor = v1::FirstStep::USER,
          .command = has_command ? std::string(step.substr(at + kGoOn.size()))
                                 : std::string()};
}

}  // namespace

Remedy RemedyOfStop(const Answered& answered) {
  // Pods may tell still how it failed: a queue leaves them.
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
