// ResourceQuota messages of the API server.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_

#include <string_view>

namespace mulligan::demystify {

// Returns whether a request exceeds the whole limit, so that waiting does not
// help. `message` is from kube-apiserver: "exceeded quota: gpu, requested:
// cpu=8, used: cpu=0, limited: cpu=4".
bool NeverFitsQuota(std::string_view message);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_
