// What the API server says of a ResourceQuota.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_

#include <string_view>

namespace mulligan::demystify {

// Whether `message` ("exceeded quota: gpu, requested: cpu=8, used: cpu=0,
// limited: cpu=4", kube-apiserver) tells of a request that is above the limit
// by itself, so that nobody can make room for it.
bool NeverFitsQuota(std::string_view message);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_QUOTA_H_
