// XID errors of NVIDIA's driver in texts and names; their codes are in
// policy/request/xid_codes.yaml.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_XIDS_H_

#include <cstddef>
#include <string_view>

#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/request/xid_codes.h"

namespace mulligan::demystify {

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
