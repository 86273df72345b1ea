// Locale-independent classes of ASCII characters. Other bytes have no class.
#ifndef MULLIGAN_POLICY_BASE_CHARACTERS_H_
#define MULLIGAN_POLICY_BASE_CHARACTERS_H_

#include <cstddef>
#include <string_view>

namespace mulligan {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }
constexpr bool IsWordCharacter(char c) { return IsAlphanumeric(c) || c == '_'; }
constexpr bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Returns whether `text` contains `word` with no `within` character next to it.
template <typename Within>
bool ContainsWord(std::string_view text, std::string_view word, Within within) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !within(text[at - 1])) &&
        (end == text.size() || !within(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_CHARACTERS_H_
