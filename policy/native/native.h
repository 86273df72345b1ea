// The operators whose retry rules are known, outermost first.
#ifndef MULLIGAN_POLICY_NATIVE_NATIVE_H_
#define MULLIGAN_POLICY_NATIVE_NATIVE_H_

#include <optional>
#include <string>

#include "policy/native.h"

namespace mulligan {

// One operator's rules, each in the file of that operator. Nothing if the
// report has none of its objects.
std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input);
std::optional<NativeOutcome> RayJobOutcome(const NativeInput& input);
// Plain pods and the custom resources of Flyte's plugins, if
// semantics.operator is "flyte" or an object carries Flyte's marks.
std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainJobOutcome(const NativeInput& input);
// Of mpi-operator's MPIJobs, and of training-operator's jobs: one field.
std::optional<NativeOutcome> MpiJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainingJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input);
std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input);

// Whether `name` may stand in NativeSemantics.operator.
bool IsNativeOperator(const std::string& name);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_NATIVE_H_
