// UTF-8: validating, cutting and repairing text, and making it safe to show.
#ifndef MULLIGAN_POLICY_BASE_UTF8_H_
#define MULLIGAN_POLICY_BASE_UTF8_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mulligan {

// Returns the offset of the first invalid sequence; npos if all is valid.
// Overlong forms, surrogates and values above U+10FFFF are invalid.
std::size_t FindInvalidUtf8(std::string_view text);

// Returns whether `text` is printable ASCII, which Visible() keeps.
bool IsPrintableAscii(std::string_view text);

// Returns the largest offset up to `offset` that does not cut a sequence.
std::size_t Utf8Boundary(std::string_view text, std::size_t offset);

// Returns `text` with U+FFFD for each maximal ill-formed subpart, as the
// Unicode standard recommends (section 3.9). Kubernetes strings may hold any
// bytes (user processes write termination messages); proto3 strings and JSON
// must be UTF-8.
std::string SanitizeUtf8(std::string_view text);

// Longest excerpt of a report's text in an answer, in bytes.
inline constexpr std::size_t kMaxExcerpt = 256;

// Returns whether WithoutEscapes() may change `text`.
inline bool ContainsEscape(std::string_view text) {
  return text.find('\x1b') != text.npos;
}

// Returns `text` without terminal escape sequences: colours ("\x1b[31m"),
// cursor moves, links. They carry no information and take up room in excerpts.
std::string WithoutEscapes(std::string_view text);

// Returns `text` on one line, after WithoutEscapes() and Visible(), in at most
// kMaxExcerpt bytes. Line ends and tabs become spaces. Longer text is cut after
// a whole word and ends in " ...". All report text in an answer goes through
// this, because it reaches conditions, terminals and logs of callers.
std::string Excerpt(std::string_view text);

// Returns the excerpt of the joined texts. Each is cleaned before joining, so
// that an escape sequence cannot extend into the next text.
std::string Excerpt(std::initializer_list<std::string_view> texts);

// Marks omitted text at the start of an excerpt.
inline constexpr std::string_view kLeftOutBefore = "... ";

// Returns the Excerpt() that starts at `begin`, such as "... pods is
// forbidden", in at most kMaxExcerpt bytes with the mark.
std::string ExcerptFrom(std::string_view text, std::size_t begin);

// Returns `text` as well-formed UTF-8 with deceptive characters as JSON escapes
// ("\u001b", "\u202e"). Those are control characters, bidirectional marks,
// overrides and isolates, line separators, and zero-width characters except the
// joiners that some scripts need. Ill-formed parts become U+FFFD.
std::string Visible(std::string_view text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_UTF8_H_
