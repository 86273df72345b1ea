#include "policy/rules/checks.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/limits.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLowerOrDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z'); }

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

bool IsDnsLabel(const std::string& text) {
  return !text.empty() && text.size() <= 63 && IsLowerOrDigit(text.front()) &&
         IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

absl::Duration CheckDuration(const google::protobuf::Duration& duration,
                             const std::string& path, IssueReporter& report) {
  constexpr int kNanosPerSecond = 1'000'000'000;
  const bool valid = duration.seconds() >= 0 && duration.nanos() >= 0 &&
                     duration.nanos() < kNanosPerSecond &&
                     duration.seconds() + duration.nanos() > 0 &&
                     duration.seconds() <= kMaxPolicySeconds;
  if (!valid) {
    report.Error(path, absl::StrFormat(
                           "%d s is out of range, expected a duration greater "
                           "than 0 and at most 10 years (87600h)",
                           duration.seconds()));
    return absl::Seconds(1);
  }
  return absl::Seconds(duration.seconds()) +
         absl::Nanoseconds(duration.nanos());
}

bool CheckRange(std::int64_t value, std::int64_t low, std::int64_t high,
                const std::string& path, IssueReporter& report) {
  if (value >= low && value <= high) return true;
  report.Error(path, absl::StrCat(value, " is out of range, expected ", low,
                                  " to ", high));
  return false;
}

bool CheckFactor(double value, double low, double high, const std::string& path,
                 IssueReporter& report) {
  if (std::isfinite(value) && value > low && value <= high) return true;
  report.Error(path,
               absl::StrCat(value, " is out of range, expected more than ", low,
                            " and at most ", high));
  return false;
}

std::unique_ptr<const RE2> CompilePattern(const std::string& pattern,
                                          const std::string& path,
                                          IssueReporter& report) {
  if (pattern.size() > kMaxPatternBytes) {
    report.Error(path,
                 absl::StrCat("pattern has ", pattern.size(),
                              " bytes, expected at most ", kMaxPatternBytes));
    return nullptr;
  }
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<const RE2>(pattern, options);
  if (!compiled->ok()) {
    report.Error(path, absl::StrFormat("pattern \"%s\" is not an RE2 "
                                       "expression: %s",
                                       pattern, compiled->error()));
    return nullptr;
  }
  if (compiled->ProgramSize() > kMaxPatternProgram) {
    report.Error(path, absl::StrFormat("pattern \"%s\" is too complex (%d "
                                       "instructions, expected at most %d)",
                                       pattern, compiled->ProgramSize(),
                                       kMaxPatternProgram));
    return nullptr;
  }
  LintPattern(*compiled, path, report);
  return compiled;
}

}  // namespace mulligan
