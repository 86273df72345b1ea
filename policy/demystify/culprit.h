// The culprit of a conclusion.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_

#include <cstdint>
#include <optional>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/failure.h"

namespace mulligan::demystify {

// Returns the container that the decisive fact is about, else the one whose end
// determines the pod's; null if neither exists.
const kubernetes::core::v1::ContainerStatus* CulpritContainer(
    const v1::FailureReport& report, const Conclusion& conclusion);

// Returns the member where the failure began: the one that the root names, else
// the root. Without a root, returns the object of the decisive fact.
Culprit CulpritOf(const v1::FailureReport& report,
                  const Conclusion& conclusion);

// Returns the exit code of the culprit's container, if `conclusion` has one.
std::optional<std::int32_t> CulpritExitCode(const v1::FailureReport& report,
                                            const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_
