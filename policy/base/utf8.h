// UTF-8 as far as reading, cutting and repairing texts needs it, and what may
// be shown of a text.
#ifndef MULLIGAN_POLICY_BASE_UTF8_H_
#define MULLIGAN_POLICY_BASE_UTF8_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mulligan {

// Offset of the first byte that starts no valid sequence (overlong forms,
// surrogates and values past U+10FFFF are invalid); npos when all is valid.
std::size_t FindInvalidUtf8(std::string_view text);

// Nothing but what ASCII can print: most texts, and Visible() as they are.
bool IsPrintableAscii(std::string_view text);

// The largest offset up to `offset` that does not cut a sequence.
std::size_t Utf8Boundary(std::string_view text, std::size_t offset);

// `text` with every ill-formed part replaced by U+FFFD, one for each maximal
// subpart as the Unicode standard recommends (section 3.9). Kubernetes strings
// may hold any bytes (termination messages come from user processes), while
// proto3 strings and JSON must be UTF-8. Valid text is copied as it is.
std::string SanitizeUtf8(std::string_view text);

// Longest copy of a report's text in an answer.
inline constexpr std::size_t kMaxExcerpt = 256;

// Whether WithoutEscapes() may change `text`.
inline bool HoldsEscape(std::string_view text) {
  return text.find('\x1b') != text.npos;
}

// `text` without the sequences by which programs tell a terminal to change
// colour ("\x1b[31m"), move its cursor or show a link: they say nothing, and
// take the room of what does.
std::string WithoutEscapes(std::string_view text);

// `text` in one line, WithoutEscapes() and Visible(), of at most kMaxExcerpt
// bytes. Line ends and tabs become spaces; what is longer ends with a whole
// word and " ...". All that an answer repeats of a report goes through it:
// conditions, terminals and logs of callers get it.
std::string Excerpt(std::string_view text);

// The same of texts in a row. Each is cleaned before they are joined: an escape
// that one begins takes nothing of the next.
std::string Excerpt(std::initializer_list<std::string_view> texts);

// Stands in front of an excerpt for what is left out before it.
inline constexpr std::string_view kLeftOutBefore = "... ";

// An Excerpt() from `begin` on: "... pods is forbidden". With the mark no
// longer than any other.
std::string ExcerptFrom(std::string_view text, std::size_t begin);

// `text` as well-formed UTF-8, in which the escape that JSON writes ("\u001b",
// "\u202e") stands for every character that could steer what shows it, or
// cannot be seen at all: control characters (they move cursors and set
// colours), bidirectional marks, overrides and isolates (they reorder what is
// read), line separators, and characters without width, but for the joiners
// that some scripts need. Ill-formed parts become U+FFFD.
std::string Visible(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_UTF8_H_
