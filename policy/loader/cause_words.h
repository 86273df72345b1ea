// What people write who mean a cause.
#ifndef MULLIGAN_POLICY_LOADER_CAUSE_WORDS_H_
#define MULLIGAN_POLICY_LOADER_CAUSE_WORDS_H_

#include <string_view>

namespace mulligan {

// The name of the Cause behind a reason that Kubernetes, its kubelet or an
// operator writes ("OOMKilled": "CONTAINER_OOM"), in any case. Empty when none
// stands for one cause alone.
std::string_view CauseOfReason(std::string_view reason);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_CAUSE_WORDS_H_
