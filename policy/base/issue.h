// Problems in policy files, and checks of single fields that report them.
#ifndef MULLIGAN_POLICY_BASE_ISSUE_H_
#define MULLIGAN_POLICY_BASE_ISSUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"

namespace mulligan {

// A place in a file. Line and column count from 1; 0 is unknown.
struct Position {
  int line = 0;
  int column = 0;
};

struct Issue {
  enum class Severity { kError, kWarning, kNote };

  Severity severity = Severity::kError;
  std::string file;
  Position position;
  // Says what is wrong and what was expected.
  std::string message;
};

using Issues = std::vector<Issue>;

// "error", "warning" or "note".
const char* SeverityName(Issue::Severity severity);

// Returns whether one of the issues is an error, so that loading fails.
bool HasErrors(const Issues& issues);

// Returns "file:line:column: error: message", safe to show (utf8.h).
std::string FormatIssue(const Issue& issue);

// Maps field paths to positions, for example "spec.rules[2].then.budget" (JSON
// names; map keys as in "spec.budgets[application]"). Empty for a policy that
// did not come from a file. Immutable once filled; safe to share.
class SourceMap {
 public:
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  void Add(std::string path, Position position) {
    positions_.insert_or_assign(std::move(path), position);
  }

  // Returns the position of `path`, or of its nearest recorded ancestor.
  Position Find(std::string_view path) const;

  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, Position, std::less<>> positions_;
};

// Adds issues at the position of their field path. If the position is unknown,
// as in inline policies, the message begins with the path.
class IssueReporter {
 public:
  // Both must outlive the reporter.
  IssueReporter(const SourceMap& positions, Issues& issues)
      : positions_(positions), issues_(issues) {}

  void Error(const std::string& path, std::string message) {
    ++errors_;
    Add(Issue::Severity::kError, path, std::move(message));
  }
  void Warn(const std::string& path, std::string message) {
    Add(Issue::Severity::kWarning, path, std::move(message));
  }
  void Note(const std::string& path, std::string message) {
    Add(Issue::Severity::kNote, path, std::move(message));
  }

  // Returns the number of errors that this reporter added.
  int errors() const { return errors_; }

 private:
  void Add(Issue::Severity severity, const std::string& path,
           std::string message) {
    Issue issue{severity, positions_.file(), positions_.Find(path),
                std::move(message)};
    if (issue.position.line == 0) issue.message = path + ": " + issue.message;
    issues_.push_back(std::move(issue));
  }

  const SourceMap& positions_;
  Issues& issues_;
  int errors_ = 0;
};

// Returns whether `text` is a DNS label (RFC 1123, at most 63 characters),
// which is valid as a Kubernetes name and as a Prometheus label value.
bool IsDnsLabel(const std::string& text);

// Returns the duration. If it is invalid, not positive or above
// kMaxPolicySeconds, reports an error and returns one second.
absl::Duration CheckDuration(const google::protobuf::Duration& duration,
                             const std::string& path, IssueReporter& report);

// Returns whether `value` is in [low, high]; else reports it.
bool CheckRange(std::int64_t value, std::int64_t low, std::int64_t high,
                const std::string& path, IssueReporter& report);

// Returns whether `value` is finite and in (low, high]; else reports it.
bool CheckFactor(double value, double low, double high, const std::string& path,
                 IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ISSUE_H_
