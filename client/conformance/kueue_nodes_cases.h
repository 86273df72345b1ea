// Cases about failed nodes and about pods that hang on them.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_NODES_CASES_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_NODES_CASES_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// {unhealthyNodes, requeueAfterSeconds, evicted, podsFailed}.
absl::StatusOr<Json> KueueNodeFacts(const CaseInput& input);
// {status, podsToTerminate}.
absl::StatusOr<Json> KueueNodeStatusFacts(const CaseInput& input);
// Nodes that fail in words: {evicted, evictedReason, unhealthyNodes, metrics}.
absl::StatusOr<Json> KueueNodeFlowFacts(const CaseInput& input);

// Forceful deletion: {handled}, {handled}, {phase, condition, event}.
absl::StatusOr<Json> KueuePodFilterFacts(const CaseInput& input);
absl::StatusOr<Json> KueueNodeFilterFacts(const CaseInput& input);
absl::StatusOr<Json> KueueRecoveryFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_NODES_CASES_H_
