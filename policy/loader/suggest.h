// Suggestions for misspelt names.
#ifndef MULLIGAN_POLICY_LOADER_SUGGEST_H_
#define MULLIGAN_POLICY_LOADER_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// Returns the candidate that `word` most likely means: equal except for case,
// `_` and `-`, or with at most a third of its letters different (a swap of
// neighbours counts as one). Empty if none is near, or on a tie.
std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates);

// Returns the Cause behind a reason of Kubernetes or an operator ("OOMKilled":
// "CONTAINER_OOM"), in any case. Empty if no single cause fits.
std::string_view CauseOfReason(std::string_view reason);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_SUGGEST_H_
