#include "policy/base/checks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/characters.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

bool IsLowerOrDigit(char c) { return IsLower(c) || IsDigit(c); }

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

}  // namespace mulligan
