#include "policy/demystify/fingerprint.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "policy/base/characters.h"
#include "policy/base/stable_hash.h"

namespace mulligan::demystify {
namespace {

constexpr std::size_t kScanned = 512;
constexpr char kMask = '#';

// Marks that join the parts of numbers, times, addresses and versions.
bool IsJoiner(char c) {
  return c == '.' || c == ':' || c == '-' || c == '/' || c == '+' || c == '_' ||
         c == ',';
}

// Letters and digits in turn, or hexadecimal of some length: an identifier
// rather than a word with a number.
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

class Masker {
 public:
  void Word(std::string_view word) {
    if (IsIdentifier(word)) {
      Mask();
      return;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (IsDigit(word[i])) {
        Mask();
      } else {
        out_.push_back(static_cast<char>(
            absl::ascii_tolower(static_cast<unsigned char>(word[i]))));
      }
    }
  }

  // One mask for a run of masked parts and their joiners.
  void Mask() {
    if (!out_.empty() && out_.back() == kMask) return;
    if (out_.size() >= 2 && IsJoiner(out_.back()) &&
        out_[out_.size() - 2] == kMask) {
      out_.pop_back();
      return;
    }
    out_.push_back(kMask);
  }

  void Mark(char c) {
    const bool blank = IsBlank(c);
    if (blank && (out_.empty() || out_.back() == ' ')) return;
    out_.push_back(blank ? ' ' : c);
  }

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

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
  Masker masker;
  for (std::size_t i = 0; i < message.size();) {
    const bool begins = i == 0 || !IsAlphanumeric(message[i - 1]);
    if (const std::size_t name = begins ? NameAt(message.substr(i), names) : 0;
        name > 0) {
      masker.Mask();
      i += name;
      continue;
    }
    std::size_t end = i;
    while (end < message.size() && IsAlphanumeric(message[end])) ++end;
    if (end > i) {
      masker.Word(message.substr(i, end - i));
      i = end;
    } else {
      masker.Mark(message[i++]);
    }
  }
  return masker.Take();
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
