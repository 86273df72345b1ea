#include "policy/base/excerpt.h"

#include <cstdint>
#include <cstring>

#include "policy/base/utf8.h"

namespace mulligan {
namespace {

constexpr std::string_view kCutMark = " ...";

bool IsAscii(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
  std::uint64_t seen = 0;
  const auto see = [&seen](const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    seen |= word;
  };
  if (text.size() < sizeof(seen)) {
    for (const char c : text) seen |= static_cast<unsigned char>(c);
    return (seen & kHighBits) == 0;
  }
  const std::size_t last = text.size() - sizeof(seen);
  for (std::size_t i = 0; i < last; i += sizeof(seen)) see(text.data() + i);
  see(text.data() + last);
  return (seen & kHighBits) == 0;
}

// `text`, longer than an excerpt, up to the last space that leaves room for the
// mark of the cut; a word without end is cut where it has to be.
std::string CutAtWord(std::string_view text) {
  constexpr std::size_t kRoom = kMaxExcerpt - kCutMark.size();
  const std::size_t space = text.substr(0, kRoom + 1).find_last_of(" \t\n");
  std::size_t end = Utf8Boundary(text, kRoom);
  if (space != std::string_view::npos && space > 0) end = space;
  std::string cut(text.substr(0, end));
  cut += kCutMark;
  return cut;
}

}  // namespace

std::string Excerpt(std::string_view text) {
  // A character has at most four bytes: the rest cannot reach the excerpt.
  const std::string_view head = text.substr(0, kMaxExcerpt + 4);
  const bool ascii = IsAscii(head);
  if (ascii && text.size() <= kMaxExcerpt) return std::string(text);
  if (ascii) return CutAtWord(text);
  std::string clean = SanitizeUtf8(head);
  const bool whole = head.size() == text.size() && clean.size() <= kMaxExcerpt;
  return whole ? clean : CutAtWord(clean);
}

}  // namespace mulligan
