// What an ASCII character is, whatever the locale; bytes beyond ASCII are
// nothing of all this.
#ifndef MULLIGAN_POLICY_BASE_CHARACTERS_H_
#define MULLIGAN_POLICY_BASE_CHARACTERS_H_

namespace mulligan {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }
constexpr bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_CHARACTERS_H_
