// Prefixes that log collectors add to lines.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_

#include <cstddef>
#include <string_view>

namespace mulligan::demystify {

// Returns the length of the prefix that a collector added: time and source.
// "[rank3]:" is not one, because it is about other members.
std::size_t HeadOf(std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LINE_HEAD_H_
