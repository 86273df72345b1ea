#include "client/cli/print/rule_lines.h"

#include <cstddef>

namespace mulligan::cli {
namespace {

constexpr std::size_t kMostLines = 40;

std::size_t IndentOf(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent == line.npos ? line.size() : indent;
}

bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

}  // namespace

RuleLines RuleLinesAt(std::string_view yaml, int line, int column) {
  RuleLines rule;
  rule.first = line;
  // What is indented by less ends the block.
  std::size_t least = 0;
  for (int number = 1; !yaml.empty(); ++number) {
    const std::size_t end = yaml.find('\n');
    const std::string_view text = yaml.substr(0, end);
    yaml = end == yaml.npos ? std::string_view() : yaml.substr(end + 1);
    if (number < line) continue;
    if (number == line) {
      const std::size_t indent = IndentOf(text);
      const bool own_line = column == static_cast<int>(indent) + 1;
      least = own_line ? indent : indent + 1;
    } else if (!IsBlankLine(text) && IndentOf(text) < least) {
      break;
    }
    rule.lines.emplace_back(text);
    if (rule.lines.size() == kMostLines) break;
  }
  while (!rule.lines.empty() && IsBlankLine(rule.lines.back())) {
    rule.lines.pop_back();
  }
  return rule;
}

}  // namespace mulligan::cli
