// A hash that is the same on every machine and in every version.
#ifndef MULLIGAN_POLICY_BUDGET_STABLE_HASH_H_
#define MULLIGAN_POLICY_BUDGET_STABLE_HASH_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace mulligan {

// Hashes a sequence of numbers and texts. Not for secrets. Texts are delimited,
// so ("ab", "c") and ("a", "bc") differ. The results go into ledgers that
// outlive this process: never change the arithmetic.
class StableHash {
 public:
  explicit StableHash(std::uint64_t seed = 0) : state_(seed ^ kSeed) {}

  StableHash& Add(std::uint64_t value) {
    state_ = Mix(state_ ^ value);
    return *this;
  }

  StableHash& Add(std::string_view text) {
    Add(std::uint64_t{text.size()});
    while (text.size() > 8) {
      Add(Load(text.substr(0, 8)));
      text.remove_prefix(8);
    }
    return Add(Load(text));
  }

  std::uint64_t value() const { return Mix(state_); }

 private:
  static constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

  // The finaliser of SplitMix64: every input bit reaches every output bit.
  static constexpr std::uint64_t Mix(std::uint64_t x) {
    x += kSeed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  // Up to eight bytes, little-endian whatever the machine.
  static std::uint64_t Load(std::string_view bytes) {
    std::uint64_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    if constexpr (std::endian::native == std::endian::big) {
      value = __builtin_bswap64(value);
    }
    return value;
  }

  std::uint64_t state_;
};

// `value` as 16 lower-case hexadecimal digits, appended to `text`.
void AppendHex(std::uint64_t value, std::string& text);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BUDGET_STABLE_HASH_H_
