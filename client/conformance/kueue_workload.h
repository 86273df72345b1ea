// Cases about passes over a Workload.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_WORKLOAD_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_WORKLOAD_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// One pass of the Workload controller; all passes until nothing changes when
// the case names no time: {action, conditions, requeueState, event, ...}.
absl::StatusOr<Json> KueuePassFacts(const CaseInput& input);

// {action, conditions, event, requeueAfterSeconds, active}.
absl::StatusOr<Json> KueueExecutionTimeFacts(const CaseInput& input);

// A readiness timeout of an otherwise plain workload: {action, requeueState}.
absl::StatusOr<Json> KueueTimeoutFacts(const CaseInput& input);

// The job of an evicted workload has stopped, or not: {conditions,
// quotaReserved, laterFlippedTo}.
absl::StatusOr<Json> KueueReleaseFacts(const CaseInput& input);

// A preempted JobSet: {quotaReserved, reclaimablePods, podSetAssignments}.
absl::StatusOr<Json> KueuePreemptedJobSetFacts(const CaseInput& input);

// The status of a workload after one eviction: `eviction` with its parts, or
// `evictedFor` with the reason.
absl::StatusOr<Json> KueueEvictionFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_WORKLOAD_H_
