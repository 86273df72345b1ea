// Cases from kubernetes-sigs/kueue that are about a RayJob.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_RAYJOB_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_RAYJOB_H_

#include <optional>

#include "absl/status/statusor.h"
#include "client/conformance/evaluate.h"

namespace mulligan::conformance {

// What Kueue's RayJob integration reads off a RayJob; nothing for cases of
// other sources.
std::optional<absl::StatusOr<Answer>> EvaluateRayJobInKueue(
    const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_RAYJOB_H_
