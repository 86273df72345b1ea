// Severity of log lines.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_

#include <string_view>

namespace mulligan::demystify {

// Returns whether a line without prefix is of low severity: below an error as
// Python, Java, glog, TensorFlow, compilers and structured loggers write it, or
// about continuing. NCCL's WARN reports errors and is not.
bool IsChatter(std::string_view line);

// Returns whether a tool in a script complains ("rm: cannot remove ..."). The
// script goes on unless it is set to end then.
bool IsOfTool(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
