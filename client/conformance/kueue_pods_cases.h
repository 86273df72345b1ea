// Cases about plain pods and pod groups.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_PODS_CASES_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_PODS_CASES_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// One pass of the job controller over pods and their workload: {finished,
// reason, message, podConditions, events, waitingForReplacementPods, ...}.
absl::StatusOr<Json> KueuePodGroupFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_PODS_CASES_H_
