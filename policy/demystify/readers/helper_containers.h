// Containers that help the work, and those that sound like it.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_

#include <string_view>

namespace mulligan::demystify {

// Containers that help the workload rather than being it.
bool IsHelperContainer(std::string_view name);

// Of those, the ones that store what the work has made once it has completed
// (Argo's wait, Flyte's copilot): killed before that they take it along.
bool SavesOutputs(std::string_view name);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_HELPER_CONTAINERS_H_
