#include "policy/base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Returns the length of the ASCII prefix, checking eight bytes at a time.
std::size_t AsciiPrefix(std::string_view text) {
  std::size_t length = 0;
  for (; text.size() - length >= sizeof(std::uint64_t);
       length += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + length, sizeof(word));
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (length < text.size() &&
         static_cast<unsigned char>(text[length]) < 0x80U) {
    ++length;
  }
  return length;
}

struct Sequence {
  std::size_t length;  // bytes of the character, or of the ill-formed subpart
  bool valid;
};

// The number of continuation bytes after a lead byte, and the range of the
// first of them (Unicode standard, table 3-7).
struct Lead {
  std::size_t continuations;  // 0: not a lead byte
  unsigned char low;
  unsigned char high;
};

Lead LeadOf(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  return {0, 0, 0};
}

// REQUIRES: `text` begins with a byte outside ASCII.
Sequence NextSequence(std::string_view text) {
  const Lead lead = LeadOf(static_cast<unsigned char>(text.front()));
  if (lead.continuations == 0) return {1, false};
  unsigned char low = lead.low;
  unsigned char high = lead.high;
  std::size_t length = 1;
  for (; length <= lead.continuations; ++length) {
    if (length == text.size()) return {length, false};
    const auto byte = static_cast<unsigned char>(text[length]);
    if (byte < low || byte > high) return {length, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Returns the length of the well-formed prefix.
std::size_t ValidPrefix(std::string_view text) {
  std::size_t length = 0;
  while (true) {
    length += AsciiPrefix(text.substr(length));
    if (length == text.size()) return length;
    const Sequence sequence = NextSequence(text.substr(length));
    if (!sequence.valid) return length;
    length += sequence.length;
  }
}

constexpr std::string_view kCutMark = " ...";

// Cuts `text` at the last space that leaves room for kCutMark; a single long
// word is cut at the limit. REQUIRES: `text` is longer than `limit` bytes.
std::string CutAtWord(std::string_view text, std::size_t limit) {
  const std::size_t room = limit - kCutMark.size();
  const std::size_t space = text.substr(0, room + 1).find_last_of(" \t\n");
  std::size_t end = Utf8Boundary(text, room);
  if (space != std::string_view::npos && space > 0) end = space;
  std::string cut(text.substr(0, end));
  cut += kCutMark;
  return cut;
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode controls and format characters that reorder or hide text.
constexpr Range kDeceptive[] = {
    {0x0000, 0x001f},    // C0
    {0x007f, 0x009f},    // DEL, C1
    {0x00ad, 0x00ad},    // soft hyphen
    {0x061c, 0x061c},    // Arabic letter mark
    {0x180e, 0x180e},    // Mongolian vowel separator
    {0x200b, 0x200b},    // zero width space
    {0x200e, 0x200f},    // left-to-right and right-to-left mark
    {0x2028, 0x202e},    // line separators, embeddings, overrides
    {0x2060, 0x206f},    // invisible operators, isolates
    {0xfeff, 0xfeff},    // byte order mark
    {0xfff9, 0xfffb},    // interlinear annotation
    {0xe0000, 0xe007f},  // tags
};

// Returns the character at `at` of well-formed text; sets its byte length.
std::uint32_t CodePointAt(std::string_view text, std::size_t at,
                          std::size_t& length) {
  const auto lead = static_cast<unsigned char>(text[at]);
  length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1) return lead;
  std::uint32_t code_point = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code_point =
        (code_point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
  }
  return code_point;
}

// Replaces every run of line ends and tabs with a space.
std::string OneLine(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  bool in_run = false;
  for (const char c : text) {
    const bool breaks = c == '\n' || c == '\r' || c == '\t';
    if (!breaks) line.push_back(c);
    if (breaks && !in_run) line.push_back(' ');
    in_run = breaks;
  }
  return line;
}

bool IsDeceptive(std::uint32_t code_point) {
  return std::ranges::any_of(kDeceptive, [code_point](const Range& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  const std::size_t valid = ValidPrefix(text);
  return valid == text.size() ? std::string_view::npos : valid;
}

bool IsPrintableAscii(std::string_view text) {
  // Tests eight bytes at a time. The highest bit is set by a byte that had it,
  // a byte below the space, or DEL.
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    if (((word | (word - kOnes * ' ') | (word + kOnes)) & (kOnes << 7U)) != 0) {
      return false;
    }
    text.remove_prefix(sizeof(word));
  }
  return std::ranges::all_of(text, [](char c) { return ' ' <= c && c <= '~'; });
}

std::size_t Utf8Boundary(std::string_view text, std::size_t offset) {
  while (offset > 0 && offset < text.size() && IsContinuation(text[offset])) {
    --offset;
  }
  return offset;
}

std::string SanitizeUtf8(std::string_view text) {
  std::size_t valid = ValidPrefix(text);
  if (valid == text.size()) return std::string(text);
  std::string clean;
  clean.reserve(text.size() + kReplacement.size());
  while (true) {
    clean.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) return clean;
    clean.append(kReplacement);
    text.remove_prefix(NextSequence(text).length);
    valid = ValidPrefix(text);
  }
}

namespace {

// Returns the length of the escape sequence at the start of `text`; 0 if none.
// Recognizes ECMA-48 control sequences ("\x1b[31m") and operating
// system commands ("\x1b]8;;...\x1b\\") of at most 512 bytes.
std::size_t EscapeAt(std::string_view text) {
  constexpr std::size_t kLongest = 512;
  text = text.substr(0, kLongest);
  if (text.starts_with("\x1b[")) {
    std::size_t end = 2;
    while (end < text.size() && text[end] >= '0' && text[end] <= '?') ++end;
    return end < text.size() && text[end] >= 0x40 && text[end] <= 0x7e ? end + 1
                                                                       : 0;
  }
  if (text.starts_with("\x1b]")) {
    const std::size_t end = text.find_first_of("\x07\x1b", 2);
    if (end == text.npos) return 0;
    if (text[end] == '\x07') return end + 1;
    return text.substr(end, 2) == "\x1b\\" ? end + 2 : 0;
  }
  return 0;
}

std::string Head(std::string_view text, std::size_t limit) {
  // The common case.
  if (text.size() <= limit && IsPrintableAscii(text)) return std::string(text);
  // A character has at most four bytes, so the rest cannot affect the excerpt.
  const std::string_view head = text.substr(0, limit + 4);
  std::string clean = IsPrintableAscii(head)
                          ? std::string(head)
                          : Visible(OneLine(WithoutEscapes(head)));
  const bool whole = head.size() == text.size() && clean.size() <= limit;
  return whole ? clean : CutAtWord(clean, limit);
}

}  // namespace

std::string WithoutEscapes(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t escape = EscapeAt(text);
    if (escape == 0) plain += text.front();
    text.remove_prefix(std::max<std::size_t>(escape, 1));
  }
  return plain;
}

std::string Excerpt(std::string_view text) { return Head(text, kMaxExcerpt); }

std::string Excerpt(std::initializer_list<std::string_view> texts) {
  std::string joined;
  for (const std::string_view text : texts) joined += Excerpt(text);
  return Excerpt(joined);
}

std::string ExcerptFrom(std::string_view text, std::size_t begin) {
  if (begin == 0) return Excerpt(text);
  std::string excerpt(kLeftOutBefore);
  excerpt += Head(text.substr(begin), kMaxExcerpt - kLeftOutBefore.size());
  return excerpt;
}

std::string Visible(std::string_view text) {
  const std::string clean = SanitizeUtf8(text);
  std::string visible;
  visible.reserve(clean.size());
  std::size_t length = 0;
  for (std::size_t at = 0; at < clean.size(); at += length) {
    const std::uint32_t code_point = CodePointAt(clean, at, length);
    if (!IsDeceptive(code_point)) {
      visible.append(clean, at, length);
    } else if (code_point > 0xffff) {
      const std::uint32_t offset = code_point - 0x10000;
      visible += absl::StrFormat("\\u%04x\\u%04x", 0xd800 + (offset >> 10),
                                 0xdc00 + (offset & 0x3ff));
    } else {
      visible += absl::StrFormat("\\u%04x", code_point);
    }
  }
  return visible;
}

}  // namespace mulligan
