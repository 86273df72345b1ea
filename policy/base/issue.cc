#include "policy/base/issue.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/base/visible.h"

namespace mulligan {

bool HasErrors(const Issues& issues) {
  return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
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
  absl::StrAppend(
      &text,
      issue.severity == Issue::Severity::kError ? "error: " : "warning: ",
      issue.message);
  return Visible(text);
}

}  // namespace mulligan
