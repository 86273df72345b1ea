// Codes of XID errors (NVIDIA's driver), generated from xid_codes.yaml.
#ifndef MULLIGAN_POLICY_REQUEST_XID_CODES_H_
#define MULLIGAN_POLICY_REQUEST_XID_CODES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace mulligan {

// What an XID is about, the most significant last.
enum class XidEffect : std::uint8_t {
  // No XID at all.
  kNone,
  // Counted, retired or recovered: no reason to avoid the node.
  kInformation,
  // An exception of the program that runs on the GPU.
  kProgram,
  // The other end of an NVLink failed.
  kRemoteLink,
  kLink,
  kGpu,
};

struct XidCodes {
  int first;
  int last;
  XidEffect effect;
  // As Flyte 2 reports the code; all empty if Flyte does not know it.
  std::string_view name;
  std::string_view flyte_severity;
  std::string_view flyte_failure;
};

// Ascending by code.
std::span<const XidCodes> XidCodeRows();

// Returns the row of a code; null if the code is unused.
inline const XidCodes* FindXidCode(std::int64_t code) {
  const std::span<const XidCodes> rows = XidCodeRows();
  const auto row = std::ranges::lower_bound(rows, code, {}, &XidCodes::last);
  return row != rows.end() && row->first <= code ? &*row : nullptr;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_XID_CODES_H_
