#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/words/sentences.h"

namespace mulligan::words {
namespace {

// The parts of a summary: "Pod a, container b: the program crashed (exit code
// 139); 2 other members died because of it".
struct Parts {
  // "Pod a, container b"; empty if the summary has no colon.
  std::string subject;
  // The meaning of the evidence.
  std::string what;
  std::string rest;
};

Parts PartsOf(const Answered& answered, std::string_view summary) {
  Parts parts;
  if (const std::size_t end = summary.find(": "); end != summary.npos) {
    parts.subject = summary.substr(0, end);
    summary.remove_prefix(end + 2);
  }
  // Meanings may contain brackets and semicolons.
  const std::string_view meaning =
      answered.diagnosis.evidence_size() > 0
          ? std::string_view(answered.diagnosis.evidence(0).meaning())
          : std::string_view();
  const std::size_t end =
      !meaning.empty() && summary.starts_with(meaning)
          ? meaning.size()
          : std::min({summary.find("; "), summary.find(" (exit code"),
                      summary.size()});
  parts.what = summary.substr(0, end);
  parts.rest = summary.substr(end);
  return parts;
}

std::string Joined(const Parts& parts) {
  return absl::StrCat(parts.subject, parts.subject.empty() ? "" : ": ",
                      parts.what, parts.rest);
}

// Puts the program's error line first and the meaning in brackets: "Pod a:
// KeyError: 'x' (an uncaught Python exception, exit code 1); 2 other members
// ...".
Parts WithErrorLine(Parts parts, const std::string& line) {
  if (line.empty() || parts.subject.empty() ||
      absl::StrContains(Joined(parts), line)) {
    return parts;
  }
  const bool has_more = parts.rest.starts_with(" (");
  parts.rest = has_more ? absl::StrCat(", ", parts.rest.substr(2))
                        : absl::StrCat(")", parts.rest);
  parts.what = absl::StrCat(line, " (", parts.what);
  return parts;
}

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

// Inserts the limit's amount after its name, or at the end.
Parts WithLimit(Parts parts, v1::Cause cause, const std::string& limit) {
  const Growable* growth = GrowableOf(cause);
  if (growth == nullptr || limit.empty()) return parts;
  for (const std::string_view name :
       {growth->limit, std::string_view("limit")}) {
    const std::size_t at = parts.what.find(name);
    if (at == parts.what.npos) continue;
    parts.what.insert(at + name.size(), " of " + limit);
    return parts;
  }
  absl::StrAppend(&parts.rest, " (", std::string(growth->limit), " ", limit,
                  ")");
  return parts;
}

}  // namespace

std::string Headline(const Answered& answered, const Particulars& found,
                     const Remedy& remedy) {
  std::string summary = answered.diagnosis.summary().empty()
                            ? answered.decision.sentence()
                            : answered.diagnosis.summary();
  while (!summary.empty() && summary.back() == '.') summary.pop_back();
  Parts parts = PartsOf(answered, summary);
  const bool alive = answered.failure.situation == v1::Diagnosis::ALIVE;
  if (!alive && !remedy.problem.empty()) {
    return WithRemarks(Joined({parts.subject, remedy.problem, ""}), found);
  }
  const bool broken = answered.failure.situation == v1::Diagnosis::BROKEN;
  if (broken && found.deadline_seconds > 0) {
    return absl::StrFormat("%s (activeDeadlineSeconds %d)", summary,
                           found.deadline_seconds);
  }
  parts = WithLimit(std::move(parts), answered.failure.cause, found.limit);
  // Failures that others retry also have an error line.
  const bool failed =
      broken ||
      (alive && answered.failure.outlook != v1::Diagnosis::OUTLOOK_UNSPECIFIED);
  if (!failed) return Joined(parts);
  return WithRemarks(Joined(WithErrorLine(std::move(parts), found.error_line)),
                     found);
}

}  // namespace mulligan::words
