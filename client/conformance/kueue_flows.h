// Cases told as stories: what Kueue's integration tests drive a workload
// through, step by step, with the functions that answer single passes.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FLOWS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FLOWS_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// A workload, or several in one queue, that exceed the readiness timeout.
absl::StatusOr<Json> KueueRequeueFlowFacts(const CaseInput& input);
// Pods that were ready and fail, for a while or for good.
absl::StatusOr<Json> KueueReadinessFlowFacts(const CaseInput& input);
// Checks that retry, reject or are satisfied.
absl::StatusOr<Json> KueueCheckFlowFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_FLOWS_H_
