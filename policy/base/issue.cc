#include "policy/base/issue.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/characters.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"

namespace mulligan {
namespace {

bool IsLowerOrDigit(char c) { return IsLower(c) || IsDigit(c); }

}  // namespace

const char* SeverityName(Issue::Severity severity) {
  switch (severity) {
    case Issue::Severity::kError:
      return "error";
    case Issue::Severity::kWarning:
      return "warning";
    default:
      return "note";
  }
}

bool HasErrors(const Issues& issues) {
  return std::ranges::any_of(issues, [](const Issue& issue) {
    return issue.severity == Issue::Severity::kError;
  });
}

std::string FormatIssue(const Issue& issue) {
  std::string text = issue.file;
  if (issue.position.line > 0) {
    absl::StrAppend(&text, ":", issue.position.line);
    if (issue.position.column > 0) {
      absl::StrAppend(&text, ":", issue.position.column);
    }
  }
  if (!text.empty()) absl::StrAppend(&text, ": ");
  absl::StrAppend(&text, SeverityName(issue.severity), ": ", issue.message);
  return Visible(text);
}

Position SourceMap::Find(std::string_view path) const {
  while (!path.empty()) {
    if (const auto found = positions_.find(path); found != positions_.end()) {
      return found->second;
    }
    const std::size_t end = path.find_last_of(".[");
    if (end == std::string_view::npos) break;
    path = path.substr(0, end);
  }
  const auto root = positions_.find(std::string_view());
  return root == positions_.end() ? Position{} : root->second;
}

bool IsDnsLabel(const std::string& text) {
  return !text.empty() && text.size() <= 63 && IsLowerOrDigit(text.front()) &&
         IsLowerOrDigit(text.back()) && std::ranges::all_of(text, [](char c) {
           return IsLowerOrDigit(c) || c == '-';
         });
}

absl::Duration CheckDuration(const google::protobuf::Duration& duration,
                             const std::string& path, IssueReporter& report) {
  const absl::Duration value = ToDuration(duration);
  if (!IsValidDuration(duration) || duration.seconds() > kMaxPolicySeconds ||
      value <= absl::ZeroDuration()) {
    report.Error(path, absl::StrFormat(
                           "%d s is out of range, expected a duration greater "
                           "than 0 and at most 10 years (87600h)",
                           duration.seconds()));
    return absl::Seconds(1);
  }
  return value;
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
