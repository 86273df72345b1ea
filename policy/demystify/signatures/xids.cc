#include "policy/demystify/signatures/xids.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "policy/base/characters.h"
#include "policy/demystify/signatures/rows.h"

namespace mulligan::demystify {
namespace {

using enum XidEffect;

XidEffect EffectOf(int code) {
  const XidCodes* const row = FindXidCode(code);
  return row == nullptr ? kNone : row->effect;
}

// NVLink 5 states the severity and, for a link that went down, the reason in
// bits 20 to 25 of the first data word: 21 and 32 to 37 blame the other end.
XidEffect NvLink5Effect(int code, re2::StringPiece rest) {
  static const re2::RE2* const harmless = new re2::RE2("(?i)\\bnon-?fatal");
  static const re2::RE2* const data = new re2::RE2("(?i)\\(0x([0-9a-f]{8})\\b");
  if (re2::RE2::PartialMatch(rest, *harmless)) return kInformation;
  std::uint32_t word = 0;
  if (code == 149 &&
      re2::RE2::PartialMatch(rest, *data, re2::RE2::Hex(&word))) {
    const std::uint32_t reason = (word >> 20) & 0x3F;
    if (reason == 21 || (reason >= 32 && reason <= 37)) return kRemoteLink;
  }
  return kLink;
}

constexpr std::string_view kWordXid = "xid";

// Returns the offset of the next word "xid" from `from` on, ignoring case.
std::size_t FindWordXid(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at + kWordXid.size() <= text.size(); ++at) {
    if ((text[at] | 0x20) != 'x' || (text[at + 1] | 0x20) != 'i' ||
        (text[at + 2] | 0x20) != 'd') {
      continue;
    }
    const std::size_t end = at + kWordXid.size();
    const bool alone = (at == 0 || !IsWordCharacter(text[at - 1])) &&
                       (end == text.size() || !IsWordCharacter(text[end]));
    if (alone) return at;
  }
  return text.npos;
}

// Returns the offset after an address in parentheses at `at`; `at` if none.
std::size_t SkipAddress(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 40;
  const std::size_t open = text.find_first_not_of(" :=", at);
  if (open == text.npos || text[open] != '(') return at;
  const std::string_view near = text.substr(open + 1, kLongest + 1);
  const std::size_t length = near.find_first_of(")\n");
  const bool closed = length != near.npos && near[length] == ')';
  return closed ? open + length + 2 : at;
}

struct Code {
  int number;
  std::size_t end;
};

// Returns the number of at most three digits near `at`, on its line.
std::optional<Code> NumberNear(std::string_view text, std::size_t at) {
  constexpr std::size_t kNear = 24;
  constexpr std::size_t kMaxDigits = 3;
  const std::size_t skipped =
      text.substr(at, kNear + 1).find_first_of("\n0123456789");
  if (skipped == text.npos) return std::nullopt;
  const std::size_t begin = at + skipped;
  Code code = {0, begin};
  while (code.end < text.size() && IsDigit(text[code.end]) &&
         code.end - begin < kMaxDigits) {
    code.number = 10 * code.number + (text[code.end++] - '0');
  }
  const bool whole =
      code.end == text.size() || !IsWordCharacter(text[code.end]);
  return code.end > begin && whole ? std::optional(code) : std::nullopt;
}

// Parses "NVRM: Xid (PCI:0000:3b:00): 79, pid=...", "XID 63", "xid=48".
std::optional<Code> CodeBehind(std::string_view text, std::size_t at) {
  const std::size_t behind = SkipAddress(text, at);
  const std::optional<Code> code = NumberNear(text, behind);
  return code.has_value() || behind == at ? code : NumberNear(text, at);
}

}  // namespace

Xid WorstXid(std::string_view text) {
  Xid worst;
  for (std::size_t at = 0; (at = FindWordXid(text, at)) != text.npos;) {
    const std::size_t begin = at;
    at += kWordXid.size();
    const std::optional<Code> code = CodeBehind(text, at);
    if (!code.has_value()) continue;
    at = std::min(text.find('\n', code->end), text.size());
    XidEffect effect = EffectOf(code->number);
    if (code->number >= 144 && code->number <= 150) {
      effect = NvLink5Effect(code->number,
                             {text.data() + code->end, at - code->end});
    }
    if (effect > worst.effect) worst = {effect, begin};
  }
  return worst;
}

XidEffect XidInName(std::string_view name) {
  static const re2::RE2* const pattern =
      new re2::RE2("(?i)xid[_-]?(\\d{1,3})(\\D|$)");
  int code = 0;
  const re2::StringPiece text(name.data(), name.size());
  return re2::RE2::PartialMatch(text, *pattern, &code) ? EffectOf(code) : kNone;
}

const TextSignature* XidSignature(XidEffect effect) {
  switch (effect) {
    case kGpu:
      return &sign::kGpuXid;
    case kLink:
      return &sign::kLinkXid;
    case kRemoteLink:
      return &sign::kRemoteLinkXid;
    case kProgram:
      return &sign::kProgramXid;
    case kNone:
    case kInformation:
      return nullptr;
  }
  return nullptr;
}

}  // namespace mulligan::demystify
