#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/remedy/sentences.h"

namespace mulligan::remedy {
namespace {

// "Pod a, container b" of "Pod a, container b: it ended.".
std::string_view SubjectOf(std::string_view summary) {
  const std::size_t end = summary.find(": ");
  return end == summary.npos ? std::string_view() : summary.substr(0, end);
}

// The program's own words in the place of what the table calls them, which
// follows in brackets with the exit code: "Pod a: KeyError: 'x' (an uncaught
// Python exception, exit code 1); 2 other members ...".
std::string WithErrorLine(const std::string& summary, const std::string& line) {
  const std::string_view subject = SubjectOf(summary);
  if (line.empty() || subject.empty() ||
      summary.find(line) != std::string::npos) {
    return summary;
  }
  std::string_view rest = summary;
  rest.remove_prefix(subject.size() + 2);
  const std::size_t end = std::min(
      rest.find("; "), std::min(rest.find(" (exit code"), rest.size()));
  std::string text = absl::StrCat(std::string(subject), ": ", line, " (",
                                  std::string(rest.substr(0, end)));
  rest.remove_prefix(end);
  if (rest.starts_with(" (")) {
    absl::StrAppend(&text, ", ", std::string(rest.substr(2)));
  } else {
    absl::StrAppend(&text, ")", std::string(rest));
  }
  return text;
}

// What else there is to say, behind the headline.
std::string WithRemarks(std::string headline, const Particulars& found) {
  if (!found.failed_indexes.empty()) {
    absl::StrAppend(&headline, "; failed indexes: ", found.failed_indexes);
  }
  if (found.deadline_passed) {
    absl::StrAppend(&headline, ", so the Job's deadline passed");
  }
  if (!found.tries.empty()) absl::StrAppend(&headline, "; ", found.tries);
  if (!found.queue_remark.empty()) {
    absl::StrAppend(&headline, "; Kueue evicted it: ", found.queue_remark);
  }
  return headline;
}

// The limit in numbers behind its name, or at the end.
std::string WithLimit(std::string summary, v1::Cause cause,
                      const std::string& limit) {
  const Growable* growth = GrowableOf(cause);
  if (growth == nullptr || limit.empty()) return summary;
  for (const std::string_view name :
       {growth->limit, std::string_view("limit")}) {
    const std::size_t at = summary.find(name);
    if (at == summary.npos) continue;
    summary.insert(at + name.size(), " of " + limit);
    return summary;
  }
  return absl::StrFormat("%s (%s %s)", summary, growth->limit, limit);
}

}  // namespace

std::string Headline(const Answered& answered, const v1::Diagnosis& diagnosis,
                     const Particulars& found, const Remedy& remedy) {
  std::string summary = diagnosis.summary().empty()
                            ? answered.decision.sentence()
                            : diagnosis.summary();
  while (!summary.empty() && summary.back() == '.') summary.pop_back();
  const bool alive = diagnosis.situation() == v1::Diagnosis::ALIVE;
  if (!alive && !remedy.problem.empty()) {
    const std::string_view subject = SubjectOf(summary);
    return WithRemarks(subject.empty() ? remedy.problem
                                       : absl::StrCat(std::string(subject),
                                                      ": ", remedy.problem),
                       found);
  }
  if (diagnosis.situation() != v1::Diagnosis::BROKEN) {
    return WithLimit(std::move(summary), diagnosis.cause(), found.limit);
  }
  if (found.deadline_seconds > 0) {
    return absl::StrFormat("%s (activeDeadlineSeconds %d)", summary,
                           found.deadline_seconds);
  }
  return WithRemarks(WithLimit(WithErrorLine(summary, found.error_line),
                               diagnosis.cause(), found.limit),
                     found);
}

}  // namespace mulligan::remedy
