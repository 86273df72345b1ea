// Names of helper containers.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_

#include <string_view>

namespace mulligan::demystify {

// Returns whether the container helps the workload rather than being it.
bool IsHelperContainer(std::string_view name);

// Returns whether the helper stores results after the work has completed
// (Argo's wait, Flyte's copilot). If killed before, the results are lost.
bool SavesOutputs(std::string_view name);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_
