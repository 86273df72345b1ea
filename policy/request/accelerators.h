// Accelerators (GPUs, TPUs and the like), a pod's costliest resources.
#ifndef MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_
#define MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_

#include <cstdint>
#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {

// More than a pod can hold, without overflow in sums over pods.
inline constexpr std::int64_t kMaxAcceleratorsPerPod = 100'000;

// Returns whether an extended resource is a compute device, such as
// "nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "google.com/tpu" or
// "aws.amazon.com/neuron".
bool IsAccelerator(std::string_view resource);

// Returns how many accelerators the containers of `pod` request together, at
// most kMaxAcceleratorsPerPod. As in the scheduler, an init container counts
// only where it requests more. Fractions are rounded down; invalid amounts are
// 0.
std::int64_t AcceleratorsOf(const kubernetes::core::v1::Pod& pod);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_
