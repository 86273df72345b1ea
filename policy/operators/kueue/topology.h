// The nodes behind a topology assignment in its compressed form.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_TOPOLOGY_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_TOPOLOGY_H_

#include <string>
#include <vector>

#include "policy/operators/kueue/types.h"

namespace mulligan::kueue {

// Host names in order. Empty when the lowest level is no host name.
std::vector<std::string> HostNames(const TopologyAssignment& assignment);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_TOPOLOGY_H_
