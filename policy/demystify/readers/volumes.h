// Whose storage a container writes to.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_

#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan::demystify {

// The volume mounted closest above `path`; null: it is on the container's own
// file system.
const kubernetes::core::v1::VolumeMount* MountAt(
    const kubernetes::core::v1::PodSpec& spec, std::string_view container,
    std::string_view path);

// Whether a line about a full file system is about a persistent volume claim:
// it says so, or one of its paths is on a claim that the container mounts.
bool IsAboutClaim(const kubernetes::core::v1::Pod& pod,
                  std::string_view container, std::string_view line);

// Whether a path in the line is in a folder of the node, which other pods on it
// share, and other nodes do not.
bool IsOnNode(const kubernetes::core::v1::Pod& pod, std::string_view container,
              std::string_view line);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_VOLUMES_H_
