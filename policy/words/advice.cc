#include "policy/words/advice.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "policy/base/utf8.h"
#include "policy/request/workload.h"
#include "policy/wording.h"
#include "policy/words/container_specs.h"
#include "policy/words/particulars.h"
#include "policy/words/sentences.h"

namespace mulligan::words {
namespace {

// Overrides the members of `remedy` that `more` has.
void Refine(Remedy more, Remedy& remedy) {
  if (!more.problem.empty()) {
    remedy.problem = std::move(more.problem);
    remedy.source = std::move(more.source);
  }
  if (more.step.empty()) return;
  remedy.step = std::move(more.step);
  remedy.actor = more.actor;
  remedy.command = std::move(more.command);
}

// General advice comes first; more specific advice refines it.
Remedy FindRemedy(const Answered& answered, const Particulars& found,
                  const ContainerSpecs& specs) {
  const v1::Cause cause = answered.failure.cause;
  Remedy remedy = RemedyInTexts(cause, answered.failure.signature, found);
  if (cause == v1::STORAGE_EXHAUSTED) {
    Refine(RemedyOfStorage(found, specs), remedy);
  }
  const auto* pod = CulpritPod(answered);
  if (cause == v1::UNSCHEDULABLE && pod != nullptr) {
    Refine(RemedyOfSelector(*pod, found), remedy);
  }
  if (cause == v1::NODE_PRESSURE_EVICTED) {
    Refine(RemedyOfPressure(found), remedy);
  }
  Refine(RemedyOfQueue(answered, found), remedy);
  Refine(RemedyOfGang(answered), remedy);
  if (answered.failure.outlook == v1::Diagnosis::MAY_BE_DONE) {
    Refine({.problem = "the program crashed after its work, while it ended",
            .step = "check its output or last checkpoint, which may be "
                    "complete, before it is run again; end the process with "
                    "os._exit or without its threads",
            .actor = v1::FirstStep::USER},
           remedy);
  }
  if (cause == v1::CONTAINER_OOM) {
    Refine({.step = found.memory_remedy, .actor = v1::FirstStep::USER}, remedy);
  }
  return remedy;
}

// Bounds text and makes it visible. Escapes are shown, not removed: an escape
// in one name could swallow the next.
std::string Shown(std::string text) {
  constexpr std::size_t kMaxBytes = 2048;
  if (text.size() <= kMaxBytes && IsPrintableAscii(text)) return text;
  absl::RemoveExtraAsciiWhitespace(&text);
  std::string shown = Visible(absl::StrReplaceAll(text, {{"\n", " "}}));
  if (shown.size() <= kMaxBytes) return shown;
  shown.resize(Utf8Boundary(shown, kMaxBytes));
  return shown + " ...";
}

}  // namespace

Advice Advise(const Answered& answered) {
  const ContainerSpecs specs(answered.report(), answered.owners.any());
  const Particulars found = ParticularsOf(answered, specs);
  const Remedy remedy = FindRemedy(answered, found, specs);
  Advice advice;
  advice.problem = Headline(answered, found, remedy);
  advice.quote = FindQuote(answered, advice.problem, found, remedy);
  v1::FirstStep& first = advice.first_step;
  first = FirstStepOf(answered, found, remedy, specs);
  const DifferentCauses others = FindDifferentCauses(answered);
  if (!others.remark.empty()) {
    absl::StrAppend(&advice.problem, "; ", others.remark);
  }
  if (!others.step.empty()) {
    first.Clear();
    first.set_text(others.step);
    first.set_actor(v1::FirstStep::USER);
  }
  const Remedy stopped = RemedyOfStop(answered);
  if (!stopped.problem.empty()) {
    absl::StrAppend(&advice.problem, "; ", stopped.problem);
    first.set_text(stopped.step);
    first.set_command(stopped.command);
    first.set_actor(stopped.actor);
  }
  advice.problem = Shown(std::move(advice.problem));
  first.set_text(Shown(first.text()));
  first.set_command(Shown(first.command()));
  return advice;
}

}  // namespace mulligan::words

namespace mulligan {

bool HasBase(const v1::ResourceChange& change, const v1::FailureReport& report,
             const v1::Culprit& culprit) {
  const ContainerSpecs specs(report);
  const std::string& container =
      change.container().empty() ? culprit.container() : change.container();
  if (!specs.Knows(container)) return true;
  const std::string workload = WorkloadOf(report).name();
  for (const Amounts amounts : {Amounts::kLimits, Amounts::kRequests}) {
    if (specs.OfPod(culprit.pod(), container, change.resource(), amounts) ||
        specs.OfTemplates(workload, container, change.resource(), amounts)) {
      return true;
    }
  }
  return false;
}

}  // namespace mulligan
