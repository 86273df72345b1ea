// A hash that is the same on every machine and in every version.
#ifndef MULLIGAN_POLICY_BASE_STABLE_HASH_H_
#define MULLIGAN_POLICY_BASE_STABLE_HASH_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace mulligan {

// Hashes a sequence of numbers and strings. Not for secrets. Strings are
// delimited: ("ab", "c") and ("a", "bc") differ. Hashes are stored in ledgers,
// so never change the arithmetic.
class StableHash {
 public:
  explicit StableHash(std::uint64_t seed = 0) : state_(seed ^ kSeed) {}

  StableHash& Add(std::uint64_t value) {
    state_ = (state_ ^ value) * kMultiplier;
    state_ ^= state_ >> 32;
    return *this;
  }

  StableHash& Add(std::string_view text) {
    const char* const data = text.data();
    const std::size_t size = text.size();
    Add(std::uint64_t{size});
    if (size > 8) {
      for (std::size_t i = 0; i < size - 8; i += 8) Add(Word(data + i));
      return Add(Word(data + size - 8));
    }
    if (size >= 4) return Add(Half(data) << 32 | Half(data + size - 4));
    std::uint64_t bytes = 0;
    for (const char c : text)
      bytes = bytes << 8 | static_cast<unsigned char>(c);
    return Add(bytes);
  }

  // SplitMix64's finalizer: every input bit affects every output bit.
  std::uint64_t value() const {
    std::uint64_t x = state_ + kSeed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * kMultiplier;
    return x ^ (x >> 31);
  }

 private:
  static constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kMultiplier = 0x94d049bb133111eb;

  // Little-endian on every machine.
  static std::uint64_t Word(const char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) {
      word = __builtin_bswap64(word);
    }
    return word;
  }
  static std::uint64_t Half(const char* bytes) {
    std::uint32_t half;
    std::memcpy(&half, bytes, sizeof(half));
    if constexpr (std::endian::native == std::endian::big) {
      half = __builtin_bswap32(half);
    }
    return half;
  }

  std::uint64_t state_;
};

// Appends `value` to `text` as 16 lower-case hexadecimal digits.
inline void AppendHex(std::uint64_t value, std::string& text) {
  absl::StrAppend(&text, absl::Hex(value, absl::kZeroPad16));
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_STABLE_HASH_H_
