// Pods and containers that have ended.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_TERMINATED_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_TERMINATED_H_

#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

inline constexpr std::string_view kPrimaryContainerNotFound =
    "PrimaryContainerNotFound";

// flytek8s.DemystifyFailure, for pods in phase Failed: never permanent.
// `primary` may be empty. Pod conditions are not read.
PhaseInfo DemystifyFailure(const PodStatus& status, std::string_view primary,
                           const Rules& rules);

// flytek8s.DemystifySuccess, for pods in phase Succeeded.
PhaseInfo DemystifySuccess(const PodStatus& status);

// flytek8s.DeterminePrimaryContainerPhase, for pods that still run: only the
// present state of the primary container counts.
PhaseInfo DeterminePrimaryContainerPhase(
    std::string_view primary,
    const google::protobuf::RepeatedPtrField<ContainerStatus>& statuses,
    const Rules& rules);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_TERMINATED_H_
