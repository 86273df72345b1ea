// A text missing from the evidence: the headline's source, or the last output.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "policy/base/utf8.h"
#include "policy/request/workload_view.h"
#include "policy/words/error_line.h"
#include "policy/words/sentences.h"

namespace mulligan::words {
namespace {

namespace core = kubernetes::core::v1;

// Evidence and error lines are cut differently, at kMaxExcerpt.
constexpr std::size_t kCompared = 200;

std::string OneLine(std::string text) {
  absl::RemoveExtraAsciiWhitespace(&text);
  return text;
}

bool Holds(const std::string& text, const std::string& part) {
  return OneLine(text).find(part) != std::string::npos;
}

std::string PathInPod(const core::Pod& pod, const std::string& part) {
  const auto& status = pod.status();
  for (const auto& [list, statuses] :
       {std::pair{"containerStatuses", &status.container_statuses()},
        std::pair{"initContainerStatuses",
                  &status.init_container_statuses()}}) {
    for (int i = 0; i < statuses->size(); ++i) {
      const core::ContainerStatus& container = statuses->Get(i);
      for (const auto& [leaf, text] :
           {std::pair{"state.terminated.message",
                      &container.state().terminated().message()},
            std::pair{"lastState.terminated.message",
                      &container.last_state().terminated().message()},
            std::pair{"state.waiting.message",
                      &container.state().waiting().message()}}) {
        if (Holds(*text, part)) return absl::StrCat(list, "[", i, "].", leaf);
      }
    }
  }
  for (int i = 0; i < status.conditions_size(); ++i) {
    if (Holds(status.conditions(i).message(), part)) {
      return absl::StrCat("conditions[", i, "].message");
    }
  }
  return Holds(status.message(), part) ? "message" : "";
}

// Keeps the end of a long text, where a traceback has its error.
std::string EndOf(std::string_view text) {
  constexpr std::size_t kKept = kMaxExcerpt - 8;
  if (text.size() <= kMaxExcerpt) return Excerpt(text);
  const std::size_t start = text.size() - kKept;
  const std::size_t space = text.find(' ', start);
  // A single long word is cut at the limit.
  const bool in_word = space == text.npos || space > start + kKept / 2;
  return ExcerptFrom(text, in_word ? Utf8Boundary(text, start) : space + 1);
}

// Returns the path of the text: in the culprit's pod, the deciding pod or an
// object above. Empty if it is elsewhere.
std::string PathIn(const Answered& answered, const std::string& part) {
  const v1::FailureReport& report = answered.report();
  const demystify::Candidate* naming = answered.naming();
  const bool of_pod =
      naming != nullptr && naming->place.root == demystify::Root::kPods;
  for (const int pod :
       {answered.failure.culprit.index, of_pod ? naming->place.index : -1}) {
    if (pod < 0) continue;
    const std::string path = PathInPod(report.pods(pod), part);
    if (!path.empty()) return absl::StrCat("pods[", pod, "].status.", path);
  }
  for (int i = 0; i < report.events_size(); ++i) {
    if (Holds(report.events(i).message(), part)) {
      return absl::StrCat("events[", i, "].message");
    }
  }
  for (const WorkloadView& view : answered.owners.views) {
    if (Holds(std::string(view.message), part)) return view.message_path;
  }
  return "";
}

// As in evidence.
std::string Shown(std::string_view text) {
  return OneLine(Visible(WithoutEscapes(text)));
}

// Returns whether `excerpt` is from the end of `text`, not from its start.
bool IsFromEnd(const std::string& excerpt, std::string_view text) {
  if (!excerpt.starts_with(kLeftOutBefore)) return false;
  const std::string part(
      absl::StripSuffix(excerpt.substr(kLeftOutBefore.size()), " ..."));
  // An excerpt is at most this long, and one more may follow it.
  constexpr std::size_t kEnd = 2 * kMaxExcerpt;
  const std::size_t begin = text.size() - std::min(text.size(), kEnd);
  return Shown(text.substr(begin)).find(part) != std::string::npos;
}

// Returns whether evidence shows `part`, the start of `text`, or its end.
bool HasEvidence(const Answered& answered, std::string_view part,
                 std::string_view text) {
  const std::string shown = Shown(part);
  return std::ranges::any_of(
      answered.diagnosis.evidence(), [&](const v1::Evidence& one) {
        return Holds(one.value(), shown) || IsFromEnd(one.value(), text);
      });
}

// Returns the line in `headline` that no evidence has.
v1::Evidence QuoteOfHeadline(const Answered& answered,
                             const std::string& headline,
                             const Particulars& found, const Remedy& remedy) {
  v1::Evidence quote;
  const bool has_problem = !remedy.problem.empty();
  const std::string& shown = has_problem ? remedy.problem : found.error_line;
  const std::string text =
      OneLine(has_problem ? remedy.source : found.error_line);
  const std::string part(absl::StripSuffix(text, " ...").substr(0, kCompared));
  if (part.empty() || headline.find(shown) == std::string::npos ||
      HasEvidence(answered, part, text)) {
    return quote;
  }
  quote.set_value(EndOf(text));
  quote.set_path(PathIn(answered, part));
  quote.set_meaning("the source of the headline");
  return quote;
}

// Even an unknown message is what a reader looks for first.
v1::Evidence LastOutput(const Answered& answered, const std::string& headline) {
  v1::Evidence quote;
  const std::string_view log =
      LogOf(answered.report(), answered.failure.culprit);
  const std::string error = LastErrorLine(log);
  const std::string line = OneLine(error.empty() ? LastLine(log) : error);
  const std::string part(absl::StripSuffix(line, " ...").substr(0, kCompared));
  if (part.empty() || headline.find(part) != std::string::npos ||
      HasEvidence(answered, part, log)) {
    return quote;
  }
  quote.set_value(EndOf(OneLine(std::string(log))));
  quote.set_path(PathIn(answered, part));
  quote.set_meaning("its last output");
  return quote;
}

}  // namespace

v1::Evidence FindQuote(const Answered& answered, const std::string& headline,
                       const Particulars& found, const Remedy& remedy) {
  v1::Evidence quote = QuoteOfHeadline(answered, headline, found, remedy);
  return quote.value().empty() ? LastOutput(answered, headline) : quote;
}

}  // namespace mulligan::words
