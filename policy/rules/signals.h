// The raw signals of a report that rules read.
#ifndef MULLIGAN_POLICY_RULES_SIGNALS_H_
#define MULLIGAN_POLICY_RULES_SIGNALS_H_

#include <cstdint>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/conditions.h"
#include "policy/request/owners.h"

namespace mulligan {

using TextPredicate = absl::FunctionRef<bool(std::string_view)>;
using ConditionPredicate = absl::FunctionRef<bool(const ConditionView&)>;
using ExitCodePredicate = absl::FunctionRef<bool(std::int32_t)>;

// Returns whether a reason of a pod, container, condition, custom resource or
// creation error satisfies `fits`. A condition counts whatever its status,
// because the reason belongs to it (PodScheduled=False, Unschedulable).
bool AnyReason(const Owners& owners, TextPredicate fits);

// Returns whether a nonempty message of a termination, status, condition, event
// or error satisfies `fits`. Messages may hold any bytes.
bool AnyMessage(const Owners& owners, TextPredicate fits);

// Returns whether a condition of any object satisfies `fits`.
bool AnyCondition(const Owners& owners, ConditionPredicate fits);

// Returns whether an exit code satisfies `fits`: the latest termination of init
// and main containers, as in podFailurePolicy, or report.exit. `pod` and
// `container` restrict by name; empty means any.
bool AnyExitCode(const v1::FailureReport& report, std::string_view pod,
                 std::string_view container, ExitCodePredicate fits);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_SIGNALS_H_
