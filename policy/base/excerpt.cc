#include "policy/base/excerpt.h"

#include <cstdint>
#include <cstring>

#include "policy/base/utf8.h"

namespace mulligan {
namespace {

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

}  // namespace

std::string Excerpt(std::string_view text) {
  // A character has at most four bytes: the rest cannot reach the excerpt.
  const std::string_view head = text.substr(0, kMaxExcerpt + 4);
  if (IsAscii(head)) return std::string(text.substr(0, kMaxExcerpt));
  const std::string clean = SanitizeUtf8(head);
  return clean.substr(0, Utf8Boundary(clean, kMaxExcerpt));
}

}  // namespace mulligan
