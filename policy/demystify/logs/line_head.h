// What a collector puts in front of a log's lines.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_

#include <cstddef>
#include <string_view>

namespace mulligan::demystify {

// How long the head of a line is that whoever collected it put in front of it:
// when it was written, and whose it is. "[rank3]:" is none: it tells of other
// members.
std::size_t HeadOf(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_
