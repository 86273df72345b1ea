// XID errors of NVIDIA's driver (policy/request/xid_codes.yaml) in texts.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_

#include <cstddef>
#include <string_view>

#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/request/xid_codes.h"

namespace mulligan::demystify {

struct Xid {
  XidEffect effect = XidEffect::kNone;
  // Offset in the text.
  std::size_t at = 0;
};

// Returns the most significant XID in `text`. 144 to 150 (NVLink 5) are
// classified by severity and, for 149, by the reason in the first data word.
Xid WorstXid(std::string_view text);

// Returns the effect of the XID in a name such as "NvidiaXID79Error"; kNone if
// it has no number.
XidEffect XidInName(std::string_view name);

// Returns the row for the effect; null for kNone and kInformation.
const TextSignature* XidSignature(XidEffect effect);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_
