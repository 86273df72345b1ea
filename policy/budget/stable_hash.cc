#include "policy/budget/stable_hash.h"

#include <string>

namespace mulligan {

void AppendHex(std::uint64_t value, std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  char hex[16];
  for (char& digit : hex) {
    digit = kDigits[value >> 60];
    value <<= 4;
  }
  text.append(hex, sizeof(hex));
}

}  // namespace mulligan
