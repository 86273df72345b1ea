#include "client/cli/policy_issues.h"

namespace mulligan::cli {

google::protobuf::RepeatedPtrField<v1::PolicyIssue> ToMessages(
    const Issues& issues) {
  google::protobuf::RepeatedPtrField<v1::PolicyIssue> messages;
  for (const Issue& issue : issues) {
    v1::PolicyIssue& message = *messages.Add();
    message.set_severity(issue.severity == Issue::Severity::kError
                             ? v1::PolicyIssue::ERROR
                             : v1::PolicyIssue::WARNING);
    message.set_file(issue.file);
    message.set_line(issue.position.line);
    message.set_column(issue.position.column);
    message.set_message(issue.message);
  }
  return messages;
}

}  // namespace mulligan::cli
