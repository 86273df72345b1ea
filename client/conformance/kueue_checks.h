// Cases about the controllers behind admission checks.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_CHECKS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_CHECKS_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// {checkState, message, requeueAfterSeconds, event}.
absl::StatusOr<Json> KueueProvisioningFacts(const CaseInput& input);
// {checkState, message, event, retriedByController}.
absl::StatusOr<Json> KueueCreationFacts(const CaseInput& input);
// {admissionChecks, retryAt}: checks through an eviction.
absl::StatusOr<Json> KueueCheckResetFacts(const CaseInput& input);
// {checkState, message, event, finished, managerJobActive,
// requeueAfterSeconds}.
absl::StatusOr<Json> KueueWorkersFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_CHECKS_H_
