#include "policy/demystify/text.h"

#include <cstdint>
#include <cstring>

#include "policy/kubernetes_codec.h"

namespace mulligan::demystify {
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

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The longest prefix of well-formed `text` within the bound that ends between
// two characters.
std::string_view CutWellFormed(std::string_view text) {
  if (text.size() <= kMaxExcerpt) return text;
  std::size_t size = kMaxExcerpt;
  while (size > 0 && IsContinuation(text[size])) --size;
  return text.substr(0, size);
}

}  // namespace

std::string Excerpt(std::string_view text) {
  // A character has at most four bytes: the rest cannot reach the excerpt.
  const std::string_view head = text.substr(0, kMaxExcerpt + 4);
  if (IsAscii(head)) return std::string(text.substr(0, kMaxExcerpt));
  return std::string(CutWellFormed(SanitizeUtf8(head)));
}

}  // namespace mulligan::demystify
