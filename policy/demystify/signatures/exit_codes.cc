// Exit codes: rows of single codes, or of ranges.
#include <algorithm>
#include <span>

#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr int kHighestSignal = 64;

}  // namespace

int SignalOf(std::int32_t code) {
  if (code == 241 || code == 245 || code == 247 || code == 249 || code == 250) {
    return 256 - code;
  }
  if (code > 128 && code <= 128 + kHighestSignal) return code - 128;
  if (code < -1 && code >= -kHighestSignal) return -code;
  return 0;
}

const Signature& FindExitCode(std::int32_t code, ExitContext context) {
  // Python's and torchrun's notation of a signal.
  if (code < -1 && code >= -kHighestSignal) code = 128 - code;
  const std::span<const ExitCodeSignature> codes = rows::ExitCodes();
  auto row = std::lower_bound(
      codes.begin(), codes.end(), code,
      [](const ExitCodeSignature& a, std::int32_t b) { return a.code < b; });
  for (; row != codes.end() && row->code == code; ++row) {
    if (row->context == ExitContext::kAny || row->context == context)
      return row->row;
  }
  if (code > 0 && code < 128) return sign::kOrdinaryExit;
  return code > 128 && code < 256 ? sign::kSignalledExit : sign::kOutsideExit;
}

}  // namespace mulligan::demystify
