#include "policy/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace mulligan {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Length of the run of ASCII at the start of `text`, eight bytes at a time.
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

// What may follow a lead byte: the number of continuation bytes and the range
// of the first of them (Unicode standard, table 3-7).
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

// `text` must begin with a byte outside ASCII.
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

// Length of the well-formed text at the start of `text`.
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

}  // namespace

std::size_t FindInvalidUtf8(std::string_view text) {
  const std::size_t valid = ValidPrefix(text);
  return valid == text.size() ? std::string_view::npos : valid;
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

}  // namespace mulligan
