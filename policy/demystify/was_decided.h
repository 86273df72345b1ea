// Look-up of failures in the ledger.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace mulligan {

// Returns the latest possible time of the failure with root `pod`, in epoch
// seconds, or demystify::kUnknownTime. Empty if the ledger lacks the failure.
using WasDecided = std::function<std::optional<std::int64_t>(int pod)>;

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_WAS_DECIDED_H_
