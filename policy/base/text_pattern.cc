#include "policy/base/text_pattern.h"

#include <re2/re2.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

// A pattern such as `exit code 1` also finds "exit code 137".
bool EndsInOpenNumber(const std::string& pattern) {
  if (pattern.empty() || !IsDigit(pattern.back())) return false;
  std::size_t digits = pattern.size();
  while (digits > 0 && IsDigit(pattern[digits - 1])) --digits;
  // `\1` and `{2` are not numbers in the text.
  return digits == 0 ||
         (pattern[digits - 1] != '\\' && pattern[digits - 1] != '{');
}

void LintPattern(const RE2& pattern, const std::string& path,
                 IssueReporter& report) {
  if (RE2::PartialMatch("", pattern)) {
    report.Warn(path, absl::StrFormat("pattern \"%s\" matches every message",
                                      pattern.pattern()));
  } else if (EndsInOpenNumber(pattern.pattern())) {
    report.Warn(path,
                absl::StrFormat("pattern \"%s\" also matches longer numbers; "
                                "end it with \\b",
                                pattern.pattern()));
  }
}

}  // namespace

std::unique_ptr<const RE2> MakePattern(const std::string& pattern,
                                       std::string& error,
                                       const PatternBounds& bounds) {
  if (pattern.size() > kMaxPatternBytes) {
    error = absl::StrFormat("has %d bytes, expected at most %d", pattern.size(),
                            kMaxPatternBytes);
    return nullptr;
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(bounds.memory);
  auto compiled = std::make_unique<const RE2>(pattern, options);
  if (!compiled->ok()) {
    error = "is not an RE2 expression: " + compiled->error();
    return nullptr;
  }
  if (compiled->ProgramSize() > bounds.program) {
    error =
        absl::StrFormat("is too complex (%d instructions, expected at most %d)",
                        compiled->ProgramSize(), bounds.program);
    return nullptr;
  }
  return compiled;
}

bool IsTooLarge(std::string_view error) {
  return absl::StrContains(std::string(error), "is too complex") ||
         absl::StrContains(std::string(error), "pattern too large");
}

std::unique_ptr<const RE2> CompilePattern(const std::string& pattern,
                                          const std::string& path,
                                          IssueReporter& report) {
  std::string error;
  std::unique_ptr<const RE2> compiled = MakePattern(pattern, error);
  if (compiled == nullptr) {
    report.Error(path,
                 absl::StrFormat("pattern \"%s\" %s",
                                 pattern.substr(0, kMaxPatternBytes), error));
    return nullptr;
  }
  LintPattern(*compiled, path, report);
  return compiled;
}

bool PatternAllowance::Find(const RE2& pattern, std::string_view text) {
  const std::int64_t steps = static_cast<std::int64_t>(pattern.ProgramSize()) *
                             static_cast<std::int64_t>(text.size() + 1);
  if (used_up_ || steps > steps_left_) {
    used_up_ = true;
    return false;
  }
  steps_left_ -= steps;
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

}  // namespace mulligan
