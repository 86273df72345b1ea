// The volumes that a container writes to.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_

#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan::demystify {

// Returns the volume mounted closest above `path`; null if the path is on the
// container's own file system.
const kubernetes::core::v1::VolumeMount* MountAt(
    const kubernetes::core::v1::PodSpec& spec, std::string_view container,
    std::string_view path);

// Returns whether a line about a full file system is about a persistent volume
// claim: it says so, or one of its paths is on a claim that the container
// mounts.
bool IsAboutClaim(const kubernetes::core::v1::Pod& pod,
                  std::string_view container, std::string_view line);

// Returns whether a path in the line is in a folder of the node, shared by its
// pods but not by other nodes.
bool IsOnNode(const kubernetes::core::v1::Pod& pod, std::string_view container,
              std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_
