#include "policy/base/visible.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Unicode's controls and format characters that change order or hide text.
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

// The character at `at` of well-formed text, and its length.
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

bool IsDeceptive(std::uint32_t code_point) {
  return std::any_of(std::begin(kDeceptive), std::end(kDeceptive),
                     [code_point](const Range& range) {
                       return range.first <= code_point &&
                              code_point <= range.last;
                     });
}

}  // namespace

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
