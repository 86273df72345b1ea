#include "policy/words/other_readings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/other_causes.h"
#include "policy/wording.h"

namespace mulligan::words {
namespace {

using demystify::Candidate;
using demystify::Conclusion;
using demystify::Context;
using demystify::OtherCause;
using demystify::Root;

// Returns what evidence would help, with the object to look at for "%".
std::string HelpfulEvidence(const Alternative& reading,
                            const v1::FailureReport& report,
                            const Conclusion& conclusion,
                            const Culprit& culprit) {
  const std::size_t mark = reading.what.find('%');
  if (mark == std::string_view::npos) return std::string(reading.what);
  const demystify::Gang& gang = conclusion.gang;
  const int pod = gang.no_culprit   ? -1
                  : gang.named >= 0 ? gang.named
                                    : gang.subject();
  std::string name = "the workload";
  if (pod >= 0 && !report.pods(pod).metadata().name().empty()) {
    name = "pod " + Excerpt(report.pods(pod).metadata().name());
    const std::string& node = report.pods(pod).spec().node_name();
    if (reading.part == Part::kNodes && !node.empty() &&
        reading.what == "the node of %") {
      return "node/" + Excerpt(node);
    }
  } else if (!culprit.name.empty()) {
    name = absl::StrCat(culprit.kind, " ", culprit.name);
  }
  return absl::StrCat(std::string(reading.what.substr(0, mark)), name,
                      std::string(reading.what.substr(mark + 1)));
}

std::string WhyNot(const Context& context, const Conclusion& conclusion,
                   const Culprit& culprit, const OtherCause& other) {
  const v1::FailureReport& report = context.report;
  if (const Candidate* fact = other.fact) {
    const bool hint = fact->place.root == Root::kHints;
    const char* why = fact->why_not;
    if (hint && fact->decides()) why = "another hint is surer";
    if (why[0] == '\0') why = "the evidence is weaker";
    return absl::StrCat(why, ": ", ValueOf(report, *fact));
  }
  return demystify::Lacks(context, conclusion, other.reading->part)
             ? absl::StrCat(
                   kNotRuledOut, "the report lacks ",
                   HelpfulEvidence(*other.reading, report, conclusion, culprit))
             : std::string(other.reading->why_not);
}

}  // namespace

Readings ReadingsOf(const Context& context, const Conclusion& conclusion,
                    const Culprit& culprit, bool all) {
  Readings found;
  const bool unsure = conclusion.confidence == v1::Diagnosis::LOW;
  for (const OtherCause& other :
       demystify::OtherCausesOf(context.report, conclusion, all || unsure)) {
    found.considered.push_back(
        {other.cause, WhyNot(context, conclusion, culprit, other)});
  }
  if (!unsure) return found;
  for (const Alternative& reading : RowOf(conclusion.cause).alternatives) {
    if (!demystify::Lacks(context, conclusion, reading.part)) continue;
    std::string what =
        HelpfulEvidence(reading, context.report, conclusion, culprit);
    if (std::ranges::find(found.needed, what, &Needed::what) ==
        found.needed.end()) {
      found.needed.push_back({std::move(what), std::string(reading.why)});
    }
  }
  return found;
}

std::string Alone(const v1::FailureReport& report, const Candidate& fact) {
  if (!fact.text.empty()) return "the message alone";
  if (fact.value == "set") {
    const std::string path = PathOf(fact.place);
    return absl::StrCat(path.substr(path.rfind('.') + 1), " alone");
  }
  return absl::StrCat(fact.value.empty() ? "exit code " : "",
                      ValueOf(report, fact), " alone");
}

}  // namespace mulligan::words
