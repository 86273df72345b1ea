// The nodes behind a topology assignment in its compressed form.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_TOPOLOGY_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_TOPOLOGY_H_

#include <string>
#include <vector>

#include "policy/native/kueue_types.h"

namespace mulligan::kueue {

// Host names in order. Empty when the lowest level is no host name.
std::vector<std::string> HostNames(const TopologyAssignment& assignment);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_TOPOLOGY_H_
