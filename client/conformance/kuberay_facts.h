// Facts of the kinds of KubeRay's cases.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_FACTS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_FACTS_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// A RayJob, something that happens to it, and what the controller makes of it.
absl::StatusOr<Json> RayJobStoryFacts(const CaseInput& input);
// One function: checks of the spec, status and name.
absl::StatusOr<Json> RayJobValidationFacts(const CaseInput& input);
// Whether a changed status is stored.
absl::StatusOr<Json> StatusWriteFacts(const CaseInput& input);
// The time-out of status queries.
absl::StatusOr<Json> StatusCheckFacts(const CaseInput& input);
// Whether suspend is honoured.
absl::StatusOr<Json> SuspendFacts(const CaseInput& input);
// Submitter Job and container.
absl::StatusOr<Json> SubmitterFacts(const CaseInput& input);
// A call for a pod of the cluster that fails.
absl::StatusOr<Json> PodCallFacts(const CaseInput& input);
// What the RayCluster controller does about pods, and its status.
absl::StatusOr<Json> ClusterPodFacts(const CaseInput& input);
absl::StatusOr<Json> ClusterStatusFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUBERAY_FACTS_H_
