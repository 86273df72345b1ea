// A problem in a policy file, where it is, reporting it, and the checks of
// single fields that do.
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

// A place in a file. Line and column count from 1; 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
};

struct Issue {
  enum class Severity { kError, kWarning, kNote };

  Severity severity = Severity::kError;
  std::string file;
  Position position;
  // Names what is wrong and what was expected.
  std::string message;
};

using Issues = std::vector<Issue>;

// "error", "warning" or "note".
const char* SeverityName(Issue::Severity severity);

// Whether the issues forbid loading.
bool HasErrors(const Issues& issues);

// "file:line:column: error: message", safe to show (utf8.h).
std::string FormatIssue(const Issue& issue);

// Maps field paths such as "spec.rules[2].then.budget" (JSON names, map keys
// as "spec.budgets[application]") to positions. A policy that did not come
// from a file has an empty map. Immutable once filled; safe to share.
class SourceMap {
 public:
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  void Add(std::string path, Position position) {
    positions_.insert_or_assign(std::move(path), position);
  }

  // Position of `path`, or of its nearest recorded ancestor.
  Position Find(std::string_view path) const;

  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::map<std::string, Position, std::less<>> positions_;
};

// Adds issues with the position of their field path. A path whose position is
// unknown is put in front of the message instead, so that policies without a
// file (inline policies) are told where to look too.
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

  // Errors reported here.
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

// Whether `text` is a DNS label (RFC 1123) of at most 63 characters: what
// Kubernetes takes as a name and Prometheus shows as a label value.
bool IsDnsLabel(const std::string& text);

// The duration, which must be valid, positive and at most kMaxPolicySeconds.
// An error is reported and the result is harmless otherwise.
absl::Duration CheckDuration(const google::protobuf::Duration& duration,
                             const std::string& path, IssueReporter& report);

// Reports a number outside [low, high], with the expected range.
bool CheckRange(std::int64_t value, std::int64_t low, std::int64_t high,
                const std::string& path, IssueReporter& report);

// Reports a value that is not finite or outside (low, high].
bool CheckFactor(double value, double low, double high, const std::string& path,
                 IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ISSUE_H_
