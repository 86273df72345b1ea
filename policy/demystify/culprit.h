// Whom a conclusion is about.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_

#include <cstdint>
#include <optional>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/failure.h"

namespace mulligan::demystify {

// The container that the decisive fact is about, whichever container's end the
// pod is judged by; where it is about none, that one. Null: none.
const kubernetes::core::v1::ContainerStatus* CulpritContainer(
    const v1::FailureReport& report, const Conclusion& conclusion);

// The member that it started with: the one that the root's words name, else the
// root; where none is known, what the decisive fact is about.
Culprit CulpritOf(const v1::FailureReport& report,
                  const Conclusion& conclusion);

// Its exit code, where `conclusion` has that of the container by whose end the
// pod is judged, or of the member that is named.
std::optional<std::int32_t> CulpritExitCode(const v1::FailureReport& report,
                                            const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CULPRIT_H_
