// A problem in a policy file, and where it is.
#ifndef MULLIGAN_POLICY_BASE_ISSUE_H_
#define MULLIGAN_POLICY_BASE_ISSUE_H_

#include <string>
#include <vector>

namespace mulligan {

// A place in a file. Line and column count from 1; 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
};

struct Issue {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  std::string file;
  Position position;
  // Names what is wrong and what was expected.
  std::string message;
};

using Issues = std::vector<Issue>;

// Whether the issues forbid loading.
bool HasErrors(const Issues& issues);

// "file:line:column: error: message", safe to show (visible.h).
std::string FormatIssue(const Issue& issue);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ISSUE_H_
