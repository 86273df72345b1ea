#include "policy/demystify/logs/line_head.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "re2/re2.h"

namespace mulligan::demystify {
namespace {

// Matches one part of a prefix.
const RE2& OnePart() {
  // A date, a time of day, or both: "2026-08-22T11:58:00.123Z", "26/08/22",
  // "11:58:00,123".
  constexpr char kTime[] =
      R"((?:\d{4}-\d\d-|\d{4}/\d\d/|\d\d/\d\d/|\d\d:\d\d:)\d\d[-\d:.,+TZ]*)";
  static const RE2 part(absl::StrCat(
      // Container runtimes' files: "... stderr F".
      "(?:", kTime, R"((?: std(?:out|err) [FP])?)",  //
      R"(|\[)", kTime, "(?: ", kTime, R"()?\])",
      R"(|\[ *\d+\.\d{6}\])",        // The kernel: "[   12.345678]".
      R"(|\([^()]*\bpid=[^()]*\))",  // Ray: "(train pid=81)".
      R"(|\[pod/[^\]/]+/[^\]]+\])",  // kubectl logs --prefix
      R"(|[\w.-]+[-_]\d+ +\|)",      // Docker Compose: "train-1  |".
      R"(|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:\[]+(?:\[\d+\])?:)",
      // syslog: "Aug 22 11:58:00 node-7 train[42]:".
      R"()(?:[ \t]|$))"));
  return part;
}

}  // namespace

std::size_t HeadOf(std::string_view line) {
  constexpr std::size_t kShortest = 5;  // "a-1 |"
  if (line.size() < kShortest) return 0;
  re2::StringPiece rest(line.data(), line.size());
  while (!rest.empty() && RE2::Consume(&rest, OnePart())) {
  }
  return line.size() - rest.size();
}

}  // namespace mulligan::demystify
