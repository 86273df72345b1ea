// The rule that decided, as it stands in its file.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_RULE_LINES_H_
#define MULLIGAN_CLIENT_CLI_PRINT_RULE_LINES_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::cli {

struct RuleLines {
  // Number of the first line, from 1.
  int first = 0;
  // Empty: not known.
  std::vector<std::string> lines;
};

// The YAML block that begins at `line` and `column` of `yaml`, counted from 1:
// an item of a list, the value of a key on the same line, or a map whose first
// key stands there. At most 40 lines.
RuleLines RuleLinesAt(std::string_view yaml, int line, int column);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_RULE_LINES_H_
