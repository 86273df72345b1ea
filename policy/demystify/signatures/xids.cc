#include "policy/demystify/signatures/xids.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "policy/demystify/signatures/rows.h"

namespace mulligan::demystify {
namespace {

using enum XidEffect;

struct Range {
  int first;
  int last;
  XidEffect effect;
};

// By NVIDIA's immediate action: RESET_GPU and RESTART_BM are faults,
// RESTART_APP alone is the program's, IGNORE is information. Codes in no range
// are unused.
constexpr Range kRanges[] = {
    {8, 8, kProgram},         {11, 11, kProgram},
    {13, 13, kProgram},       {25, 25, kProgram},
    {31, 32, kProgram},       {37, 38, kInformation},
    {39, 41, kProgram},       {43, 45, kInformation},
    {46, 46, kGpu},           {48, 48, kGpu},
    {54, 54, kGpu},           {56, 58, kGpu},
    {60, 60, kProgram},       {61, 62, kGpu},
    {63, 63, kInformation},   {64, 64, kGpu},
    {66, 67, kInformation},   {68, 71, kProgram},
    {74, 74, kLink},          {75, 77, kProgram},
    {78, 79, kGpu},           {80, 80, kProgram},
    {82, 89, kProgram},       {92, 93, kInformation},
    {94, 95, kGpu},           {96, 105, kProgram},
    {106, 107, kInformation}, {109, 110, kGpu},
    {119, 120, kGpu},         {121, 121, kInformation},
    {123, 123, kGpu},         {126, 135, kProgram},
    {136, 136, kLink},        {137, 137, kInformation},
    {139, 139, kProgram},     {140, 140, kGpu},
    {141, 141, kInformation}, {142, 143, kGpu},
    {144, 150, kLink},        {151, 151, kGpu},
    {152, 154, kInformation}, {155, 155, kLink},
    {156, 156, kGpu},         {157, 157, kInformation},
    {158, 159, kGpu},         {160, 165, kInformation},
    {166, 166, kLink},        {167, 167, kGpu},
    {168, 168, kInformation}, {169, 169, kGpu},
    {170, 170, kLink},        {171, 172, kGpu},
};

constexpr bool IsAscending() {
  for (std::size_t i = 0; i < std::size(kRanges); ++i) {
    if (kRanges[i].first > kRanges[i].last) return false;
    if (i > 0 && kRanges[i].first <= kRanges[i - 1].last) return false;
  }
  return true;
}
static_assert(IsAscending());

XidEffect EffectOf(int code) {
  const auto* const range =
      std::lower_bound(std::begin(kRanges), std::end(kRanges), code,
                       [](const Range& a, int b) { return a.last < b; });
  return range != std::end(kRanges) && range->first <= code ? range->effect
                                                            : kNone;
}

// NVLink 5 tells severity in a word and, for a link that went down, why in
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

}  // namespace

Xid WorstXid(std::string_view text) {
  // "NVRM: Xid (PCI:0000:3b:00): 79, pid=...", "XID 63", "xid=48".
  static const re2::RE2* const pattern = new re2::RE2(
      "(?i)(\\bxid\\b(?:[ :=]*\\([^)\\n]{0,40}\\))?[^\\n0-9]{0,24}(\\d{1,3})"
      "\\b)([^\\n]*)");
  Xid worst;
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece whole;
  re2::StringPiece after;
  int code = 0;
  while (re2::RE2::FindAndConsume(&rest, *pattern, &whole, &code, &after)) {
    XidEffect effect = EffectOf(code);
    if (code >= 144 && code <= 150) effect = NvLink5Effect(code, after);
    if (effect > worst.effect) {
      worst = {effect, static_cast<std::size_t>(whole.data() - text.data())};
    }
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
