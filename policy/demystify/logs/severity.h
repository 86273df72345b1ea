// Which lines of a log report, and which only mention.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_

#include <string_view>

namespace mulligan::demystify {

// Whether a line, without its head, is of low severity: below an error as
// Python, Java, glog, TensorFlow, compilers and structured loggers write it, or
// it says that the program goes on. Not NCCL's WARN, which reports errors.
bool IsChatter(std::string_view line);

// Whether a tool complains that scripts call on their way ("rm: cannot remove
// ..."): they go on unless they were told to end then.
bool IsOfTool(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_SEVERITY_H_
