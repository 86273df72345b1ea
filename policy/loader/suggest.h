// "Did you mean": the nearest of a closed set of names.
#ifndef MULLIGAN_POLICY_LOADER_SUGGEST_H_
#define MULLIGAN_POLICY_LOADER_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

// The candidate that `word` was most likely meant to be: equal but for case,
// `_` and `-`, or at most a third of its letters away (a swap of neighbours
// counts as one). Empty when nothing is near or two are equally near.
std::string Nearest(std::string_view word,
                    const std::vector<std::string>& candidates);

// The name of the Cause behind a reason that Kubernetes, its kubelet or an
// operator writes ("OOMKilled": "CONTAINER_OOM"), in any case. Empty when none
// stands for one cause alone.
std::string_view CauseOfReason(std::string_view reason);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_SUGGEST_H_
