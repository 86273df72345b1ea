// What the pods of a report hold that costs most: GPUs, TPUs and the like.
#ifndef MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_
#define MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_

#include <cstdint>
#include <string_view>

#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan {

// More than a pod can hold, and far from every overflow of a sum over pods.
inline constexpr std::int64_t kMaxAcceleratorsPerPod = 100'000;

// Whether an extended resource is a device that computes: "nvidia.com/gpu",
// "nvidia.com/mig-1g.5gb", "google.com/tpu", "aws.amazon.com/neuron".
bool IsAccelerator(std::string_view resource);

// Accelerators that the containers of `pod` ask for together; init containers
// count only where they ask for more, as the scheduler has it. What is no whole
// number counts as none.
std::int64_t AcceleratorsOf(const kubernetes::core::v1::Pod& pod);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_ACCELERATORS_H_
