// The operators with known retry rules, outermost first.
#ifndef MULLIGAN_POLICY_NATIVE_NATIVE_H_
#define MULLIGAN_POLICY_NATIVE_NATIVE_H_

#include <optional>
#include <string>

#include "policy/native.h"

namespace mulligan {

// Return the answer of one operator, from the file of its name; empty if the
// report has none of its objects.
std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input);
std::optional<NativeOutcome> RayJobOutcome(const NativeInput& input);
// For plain pods and the custom resources of Flyte's plugins, if
// semantics.operator is "flyte" or an object carries Flyte's marks.
std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainJobOutcome(const NativeInput& input);
// For mpi-operator's MPIJobs and training-operator's jobs, which share a field.
std::optional<NativeOutcome> MpiJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainingJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input);
std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input);

// Returns whether `name` is a valid NativeSemantics.operator.
bool IsNativeOperator(const std::string& name);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_NATIVE_H_
