#include "policy/loader/utf8.h"

#include <cstdint>

namespace mulligan {
namespace {

uint32_t ByteAt(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool IsContinuation(uint32_t byte) { return (byte & 0xc0u) == 0x80u; }

// Length of the sequence at `start`, 0 when invalid.
size_t SequenceLength(std::string_view text, size_t start) {
  const uint32_t lead = ByteAt(text, start);
  if (lead < 0x80) return 1;
  size_t length = 0;
  uint32_t value = 0;
  uint32_t smallest = 0;
  if ((lead & 0xe0u) == 0xc0u) {
    length = 2, value = lead & 0x1fu, smallest = 0x80;
  } else if ((lead & 0xf0u) == 0xe0u) {
    length = 3, value = lead & 0x0fu, smallest = 0x800;
  } else if ((lead & 0xf8u) == 0xf0u) {
    length = 4, value = lead & 0x07u, smallest = 0x10000;
  }
  if (length == 0 || start + length > text.size()) return 0;
  for (size_t i = start + 1; i < start + length; ++i) {
    if (!IsContinuation(ByteAt(text, i))) return 0;
    value = (value << 6u) | (ByteAt(text, i) & 0x3fu);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < smallest || value > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

size_t Utf8Boundary(std::string_view text, size_t offset) {
  while (offset > 0 && offset < text.size() &&
         IsContinuation(ByteAt(text, offset))) {
    --offset;
  }
  return offset;
}

}  // namespace mulligan
