// Text from outside on its way to a terminal, a page or a log.
#ifndef MULLIGAN_POLICY_BASE_VISIBLE_H_
#define MULLIGAN_POLICY_BASE_VISIBLE_H_

#include <string>
#include <string_view>

namespace mulligan {

// `text` as well-formed UTF-8, in which the escape that JSON writes ("\u001b",
// "\u202e") stands for every character that could steer what shows it, or
// cannot be seen at all: control characters (they move cursors and set
// colours), bidirectional marks, overrides and isolates (they reorder what is
// read), line separators, and characters without width, but for the joiners
// that some scripts need. Ill-formed parts become U+FFFD.
std::string Visible(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_VISIBLE_H_
