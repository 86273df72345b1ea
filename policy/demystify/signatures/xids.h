// XID errors of NVIDIA's driver (NVIDIA's catalogue of 2025-10-29): which of
// them are faults of the GPU, of the link, of the program, or only told.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// What an XID is about, the most telling last.
enum class XidEffect : std::uint8_t {
  // No XID at all.
  kNone,
  // Counted, retired, recovered: nothing to leave a node for.
  kInformation,
  // An exception of the program that runs on the GPU.
  kProgram,
  // The other end of an NVLink failed; this one only saw it.
  kRemoteLink,
  kLink,
  kGpu,
};

struct Xid {
  XidEffect effect = XidEffect::kNone;
  // Where it stands in the text.
  std::size_t at = 0;
};

// The most telling XID of `text`. 144 to 150 (NVLink 5) are told by severity
// and, for 149, by the reason in their first word of data.
Xid WorstXid(std::string_view text);

// The effect of the XID in a name of one word: "NvidiaXID79Error". kNone: there
// is no number in it.
XidEffect XidInName(std::string_view name);

// What the effect says about the cause; null for kNone and kInformation.
const TextSignature* XidSignature(XidEffect effect);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_
