// Collects the problems of one policy.
#ifndef MULLIGAN_POLICY_BASE_ISSUE_REPORTER_H_
#define MULLIGAN_POLICY_BASE_ISSUE_REPORTER_H_

#include <string>
#include <utility>

#include "policy/base/issue.h"
#include "policy/base/source_map.h"

namespace mulligan {

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

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ISSUE_REPORTER_H_
