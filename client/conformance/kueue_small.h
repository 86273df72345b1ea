// Cases about single functions of Kueue.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SMALL_H_
#define MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SMALL_H_

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// {wait_ms, wait_ns, formula} and bounds with jitter; one or a list.
absl::StatusOr<Json> KueueBackoffFacts(const CaseInput& input);
absl::StatusOr<Json> KueueBackoffSeriesFacts(const CaseInput& input);
// {waitSeconds, totalSeconds} of a list of attempts, with bounds.
absl::StatusOr<Json> KueueAttemptsFacts(const CaseInput& input);

// requeueState: {updated, requeueState}, {result}, {retryAt}.
absl::StatusOr<Json> KueueSetRequeueFacts(const CaseInput& input);
absl::StatusOr<Json> KueueBackoffExpiredFacts(const CaseInput& input);
absl::StatusOr<Json> KueueRetryTimeFacts(const CaseInput& input);

// {underlyingCause, recheckAfterSeconds}.
absl::StatusOr<Json> KueueReadinessFacts(const CaseInput& input);

// The queue: {Eviction, Creation}, {inadmissible, sticky}.
absl::StatusOr<Json> KueueQueueOrderFacts(const CaseInput& input);
absl::StatusOr<Json> KueueSchedulerFacts(const CaseInput& input);

// {result, condition} of "evicted-by-..." kinds.
absl::StatusOr<Json> KueueEvictedByFacts(const CaseInput& input);
// {recorded, clusterQueue, reason, latencySeconds, metrics}.
absl::StatusOr<Json> KueueLatencyFacts(const CaseInput& input);
// {message}.
absl::StatusOr<Json> KueuePreemptionFacts(const CaseInput& input);
// {conditionReasons}.
absl::StatusOr<Json> KueueReasonsFacts(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_KUEUE_SMALL_H_
