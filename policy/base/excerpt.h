// Texts of a report on their way into an answer.
#ifndef MULLIGAN_POLICY_BASE_EXCERPT_H_
#define MULLIGAN_POLICY_BASE_EXCERPT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mulligan {

// Longest copy of a report's text in an answer.
inline constexpr std::size_t kMaxExcerpt = 256;

// `text` as well-formed UTF-8 of at most kMaxExcerpt bytes. What is longer ends
// with a whole word and " ...". Strings of mirrors may hold any bytes, those of
// the API may not.
std::string Excerpt(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_EXCERPT_H_
