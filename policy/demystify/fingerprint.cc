#include "policy/demystify/fingerprint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "policy/base/characters.h"
#include "policy/base/stable_hash.h"

namespace mulligan::demystify {
namespace {

constexpr std::size_t kScanned = 512;
constexpr char kMask = '#';

// Characters inside numbers, times, addresses and versions.
bool IsJoiner(char c) {
  return c == '.' || c == ':' || c == '-' || c == '/' || c == '+' || c == '_' ||
         c == ',';
}

// Returns whether the word is a generated identifier: alternating letters and
// digits, or long hexadecimal.
bool IsIdentifier(std::string_view word) {
  int changes = 0;
  bool all_hex = true;
  bool any_digit = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    all_hex = all_hex && IsHexDigit(word[i]);
    any_digit = any_digit || IsDigit(word[i]);
    if (i > 0 && IsDigit(word[i]) != IsDigit(word[i - 1])) ++changes;
  }
  if (!any_digit) return false;
  return changes >= 3 || (all_hex && word.size() >= 6) ||
         (word.size() > 2 && word[0] == '0' && (word[1] | 0x20) == 'x');
}

// Returns the length of a UUID at the beginning of `text`, else 0.
std::size_t UuidAt(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  if (text.size() < kForm.size()) return 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '-' ? text[i] != '-' : !IsHexDigit(text[i])) return 0;
  }
  const bool ends =
      text.size() == kForm.size() || !IsAlphanumeric(text[kForm.size()]);
  return ends ? kForm.size() : 0;
}

// Uses one mask for a run of masked parts and joiners.
void AppendMask(std::string& text) {
  if (text.ends_with(kMask)) return;
  if (text.size() >= 2 && IsJoiner(text.back()) &&
      text[text.size() - 2] == kMask) {
    text.pop_back();
  } else {
    text.push_back(kMask);
  }
}

void AppendWord(std::string_view word, std::string& text) {
  if (IsIdentifier(word)) return AppendMask(text);
  for (const char c : word) {
    if (IsDigit(c)) {
      AppendMask(text);
    } else {
      text.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
}

void AppendMark(char c, std::string& text) {
  if (!IsBlank(c)) {
    text.push_back(c);
  } else if (!text.empty() && text.back() != ' ') {
    text.push_back(' ');
  }
}

std::size_t NameAt(std::string_view rest,
                   std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.size() >= 3 && rest.substr(0, name.size()) == name) {
      return name.size();
    }
  }
  return 0;
}

}  // namespace

std::string MessageTemplate(std::string_view message,
                            std::initializer_list<std::string_view> names) {
  message = message.substr(0, kScanned);
  std::string text;
  for (std::size_t i = 0; i < message.size();) {
    const bool begins = i == 0 || !IsAlphanumeric(message[i - 1]);
    if (begins) {
      const std::string_view rest = message.substr(i);
      const std::size_t masked = std::max(NameAt(rest, names), UuidAt(rest));
      if (masked > 0) {
        AppendMask(text);
        i += masked;
        continue;
      }
    }
    std::size_t end = i;
    while (end < message.size() && IsAlphanumeric(message[end])) ++end;
    if (end > i) {
      AppendWord(message.substr(i, end - i), text);
      i = end;
    } else {
      AppendMark(message[i++], text);
    }
  }
  return text;
}

std::string Fingerprint(v1::Cause cause, std::optional<std::int32_t> exit_code,
                        std::string_view message,
                        std::initializer_list<std::string_view> names) {
  constexpr std::uint64_t kNoExitCode = std::uint64_t{1} << 40;
  StableHash hash;
  hash.Add(static_cast<std::uint64_t>(cause))
      .Add(exit_code ? static_cast<std::uint64_t>(*exit_code) : kNoExitCode);
  if (!message.empty()) hash.Add(MessageTemplate(message, names));
  std::string text;
  AppendHex(hash.value(), text);
  return text;
}

}  // namespace mulligan::demystify
