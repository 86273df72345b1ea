// GPU faults that a node daemon records as events, and what they make of a
// failure. From the branch gpu-forward/gpu-failure-classification, not
// released.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_

#include "absl/time/time.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// gpufault.ClassifyFailure: `failure` of the pod with the faults of its
// devices that can explain it, those from 30 minutes before its end to two
// minutes after. The first critical one makes it the system's; else the first
// of the user's makes it the user's if the failure has no code of its own.
PhaseInfo WithGpuFaults(
    PhaseInfo failure, const kubernetes::core::v1::Pod& pod,
    const google::protobuf::RepeatedPtrField<kubernetes::core::v1::Event>&
        events,
    absl::Time now);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_GPU_FAULT_H_
