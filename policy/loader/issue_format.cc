#include "policy/loader/issue_format.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

constexpr size_t kLongestShown = 120;

struct Style {
  std::string_view error;
  std::string_view warning;
  std::string_view dim;
  std::string_view reset;
};

constexpr Style kPlain = {"", "", "", ""};
constexpr Style kColored = {"\x1b[1;31m", "\x1b[1;33m", "\x1b[2m", "\x1b[0m"};

// Finds line `number` (from 1), without its end. False if there is none.
bool FindLine(std::string_view text, int number, std::string_view& line) {
  for (int i = 1; i < number; ++i) {
    const size_t end = text.find('\n');
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
  }
  line = text.substr(0, text.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

// Makes a line safe to show; a tab becomes one column.
std::string Printable(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return Visible(line);
}

size_t CountCharacters(std::string_view printable) {
  return static_cast<size_t>(std::ranges::count_if(printable, [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

// Returns the line, and a caret under byte `column` (from 1; 0: no caret).
std::string LineExcerpt(std::string_view line, Position position,
                        const Style& style) {
  const size_t column = std::min(
      static_cast<size_t>(std::max(position.column, 1)) - 1, line.size());
  size_t begin = 0;
  if (line.size() > kLongestShown && column > kLongestShown / 2) {
    begin = Utf8Boundary(line, column - kLongestShown / 2);
  }
  const size_t end =
      Utf8Boundary(line, std::min(begin + kLongestShown, line.size()));
  const std::string shown = Printable(line.substr(begin, end - begin));
  std::string out = absl::StrFormat("%s%5d |%s %s\n", style.dim, position.line,
                                    style.reset, shown);
  if (position.column > 0) {
    const std::string before = Printable(line.substr(begin, column - begin));
    out += absl::StrFormat("%s      |%s %s%s^%s\n", style.dim, style.reset,
                           std::string(CountCharacters(before), ' '),
                           style.error, style.reset);
  }
  return out;
}

std::string_view ColorOf(Issue::Severity severity, const Style& style) {
  switch (severity) {
    case Issue::Severity::kError:
      return style.error;
    case Issue::Severity::kWarning:
      return style.warning;
    default:
      return style.dim;
  }
}

std::string Heading(const Issue& issue, const Style& style) {
  std::string heading = FormatIssue(issue);
  const std::string word = absl::StrFormat("%s:", SeverityName(issue.severity));
  const size_t at = heading.find(absl::StrFormat(": %s ", word));
  if (at != heading.npos && !style.reset.empty()) {
    heading.insert(at + 2 + word.size(), style.reset);
    heading.insert(at + 2, ColorOf(issue.severity, style));
  }
  return heading + "\n";
}

v1::PolicyIssue::Severity ToMessage(Issue::Severity severity) {
  switch (severity) {
    case Issue::Severity::kError:
      return v1::PolicyIssue::ERROR;
    case Issue::Severity::kWarning:
      return v1::PolicyIssue::WARNING;
    default:
      return v1::PolicyIssue::NOTE;
  }
}

}  // namespace

std::string FormatIssues(const Issues& issues,
                         const std::vector<PolicyText>& texts, bool color) {
  const Style& style = color ? kColored : kPlain;
  std::string out;
  for (const Issue& issue : issues) {
    out += Heading(issue, style);
    const auto text = std::ranges::find(texts, issue.file, &PolicyText::file);
    std::string_view line;
    if (text != texts.end() && issue.position.line > 0 &&
        FindLine(text->yaml, issue.position.line, line)) {
      out += LineExcerpt(line, issue.position, style);
    }
  }
  return out;
}

v1::PolicyIssue ToPolicyIssue(const Issue& issue) {
  v1::PolicyIssue message;
  message.set_severity(ToMessage(issue.severity));
  message.set_file(SanitizeUtf8(issue.file));
  message.set_line(issue.position.line);
  message.set_column(issue.position.column);
  message.set_message(SanitizeUtf8(issue.message));
  return message;
}

std::string SummarizeIssues(const Issues& issues) {
  std::string summary;
  for (const auto severity :
       {Issue::Severity::kError, Issue::Severity::kWarning,
        Issue::Severity::kNote}) {
    const auto number = std::ranges::count(issues, severity, &Issue::severity);
    if (number == 0) continue;
    if (!summary.empty()) summary += ", ";
    summary += absl::StrFormat("%d %s%s", number, SeverityName(severity),
                               number == 1 ? "" : "s");
  }
  return summary.empty() ? "no problems" : summary;
}

}  // namespace mulligan
