// What the ledger is asked about the failures of a report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace mulligan {

// What the ledger has of the failure of which a pod is the root: when it was
// struck, at the latest, in seconds since the epoch, or
// demystify::kUnknownTime. Nothing: it does not have it.
using WasDecided = std::function<std::optional<std::int64_t>(int pod)>;

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_
