#include "policy/base/text_pattern.h"

#include <re2/re2.h>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "policy/base/characters.h"

namespace mulligan {
namespace {

// Costs in steps of a PatternAllowance.
constexpr std::int64_t kStepsPerByte = 200;
constexpr std::int64_t kStepsPerUnicodeClass = 35'000;
constexpr std::int64_t kStepsPerInstruction = 100;
// Bytes of RE2's memory budget for each instruction.
constexpr std::int64_t kMemoryPerInstruction = 64;
// Bytes of a pattern that an error message shows.
constexpr std::size_t kShownPattern = 200;
constexpr char kTooMuchTogether[] =
    "is beyond what all patterns together may take to compile; expected fewer "
    "or simpler patterns, without classes such as \\PL";

// Returns whether the pattern ends in a number that may continue in the text:
// `exit code 1` also finds "exit code 137".
bool EndsInOpenNumber(const std::string& pattern) {
  if (pattern.empty() || !IsDigit(pattern.back())) return false;
  std::size_t digits = pattern.size();
  while (digits > 0 && IsDigit(pattern[digits - 1])) --digits;
  // `\1` and `{2` are not numbers in the text.
  return digits == 0 ||
         (pattern[digits - 1] != '\\' && pattern[digits - 1] != '{');
}

// A class such as \pL or \P{Greek} has hundreds of ranges, each folded by (?i).
std::int64_t ParsingSteps(std::string_view pattern) {
  std::int64_t steps =
      static_cast<std::int64_t>(pattern.size()) * kStepsPerByte;
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] != '\\') continue;
    ++i;
    if (pattern[i] == 'p' || pattern[i] == 'P') steps += kStepsPerUnicodeClass;
  }
  return steps;
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
                                       PatternAllowance& allowance,
                                       std::string& error,
                                       const PatternBounds& bounds) {
  if (pattern.size() > kMaxPatternBytes) {
    error = absl::StrFormat("has %d bytes, expected at most %d", pattern.size(),
                            kMaxPatternBytes);
    return nullptr;
  }
  // Parsing cannot be stopped, so it is charged in advance.
  if (!allowance.Take(ParsingSteps(pattern))) {
    error = kTooMuchTogether;
    return nullptr;
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(bounds.memory);
  auto compiled = std::make_unique<const RE2>(pattern, options);
  const std::int64_t instructions = compiled->ok()
                                        ? compiled->ProgramSize()
                                        : bounds.memory / kMemoryPerInstruction;
  const bool affordable = allowance.Take(instructions * kStepsPerInstruction);
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
  if (!affordable) {
    error = kTooMuchTogether;
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
                                          PatternAllowance& allowance,
                                          IssueReporter& report) {
  std::string error;
  std::unique_ptr<const RE2> compiled = MakePattern(pattern, allowance, error);
  if (compiled == nullptr) {
    report.Error(path,
                 absl::StrFormat("pattern \"%s\" %s",
                                 pattern.substr(0, kShownPattern), error));
    return nullptr;
  }
  LintPattern(*compiled, path, report);
  return compiled;
}

}  // namespace mulligan
