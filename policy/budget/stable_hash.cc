#include "policy/budget/stable_hash.h"

#include <string>

namespace mulligan {

void AppendHex(std::uint64_t value, std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) {
    text.push_back(kDigits[(value >> shift) & 15]);
  }
}

}  // namespace mulligan
