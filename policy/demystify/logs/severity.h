// Severity of log lines.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_

#include <string_view>

namespace mulligan::demystify {

// Returns whether a line without prefix is of low severity: below an error in
// the notation of Python, Java, glog, TensorFlow, compilers or structured
// loggers, or about continuing. False for NCCL's WARN, which reports errors.
bool IsChatter(std::string_view line);

// Returns whether a tool in a script complains ("rm: cannot remove ..."), after
// which the script continues unless it runs with `set -e`.
bool IsOfTool(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
