// Cases from kubernetes-sigs/kueue.
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/compare.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/kueue_checks.h"
#include "client/conformance/kueue_flows.h"
#include "client/conformance/kueue_nodes_cases.h"
#include "client/conformance/kueue_pods_cases.h"
#include "client/conformance/kueue_rayjob.h"
#include "client/conformance/kueue_settings_cases.h"
#include "client/conformance/kueue_small.h"
#include "client/conformance/kueue_workload.h"

namespace mulligan::conformance {
namespace {

using FactsOf = absl::StatusOr<Json> (*)(const CaseInput&);

struct Kind {
  std::string_view name;
  FactsOf facts;
};

constexpr std::array<Kind, 31> kKinds = {{
    {"evict-reconcile", KueuePassFacts},
    {"requeue-reconcile", KueuePassFacts},
    {"max-execution-time", KueueExecutionTimeFacts},
    {"requeued-condition", KueueReleaseFacts},
    {"preemption-flow", KueuePreemptedJobSetFacts},
    {"pods-ready-timer", KueueReadinessFacts},
    {"backoff", KueueBackoffFacts},
    {"backoff-series", KueueBackoffSeriesFacts},
    {"backoff-expired", KueueBackoffExpiredFacts},
    {"set-requeue-state", KueueSetRequeueFacts},
    {"admission-check-retry-time", KueueRetryTimeFacts},
    {"queue-order-timestamp", KueueQueueOrderFacts},
    {"scheduler-requeue", KueueSchedulerFacts},
    {"eviction-latency", KueueLatencyFacts},
    {"preemption-message", KueuePreemptionFacts},
    {"evicted-by-deactivation", KueueEvictedByFacts},
    {"evicted-by-deactivation-by-kueue", KueueEvictedByFacts},
    {"evicted-by-pods-ready-timeout", KueueEvictedByFacts},
    {"evicted-by-admission-check", KueueEvictedByFacts},
    {"config-validation", KueueValidationFacts},
    {"config-defaulting", KueueDefaultingFacts},
    {"node-failure", KueueNodeFacts},
    {"node-workload-status", KueueNodeStatusFacts},
    {"recovery-filter", KueuePodFilterFacts},
    {"recovery-node-filter", KueueNodeFilterFacts},
    {"recovery-reconcile", KueueRecoveryFacts},
    {"pod-integration", KueuePodGroupFacts},
    {"provisioning-request", KueueProvisioningFacts},
    {"creation-failure", KueueCreationFacts},
    {"multikueue", KueueWorkersFacts},
    {"node-failure-flow", KueueNodeFlowFacts},
}};

constexpr std::array<Kind, 3> kStories = {{
    {"requeue-sequence", KueueRequeueFlowFacts},
    {"pods-ready-flow", KueueReadinessFlowFacts},
    {"admission-check-flow", KueueCheckFlowFacts},
}};

// Members that tell what is asked of the sources themselves.
constexpr std::array<Kind, 25> kMembers = {{
    {"attempts", KueueAttemptsFacts},
    {"evictions", KueueReasonsFacts},
    {"requeueReason", KueueSchedulerFacts},
    {"incrementCount", KueueSetRequeueFacts},
    {"groupTotalCount", KueuePodGroupFacts},
    {"node", KueueNodeFacts},
    {"createError", KueueCreationFacts},
    {"provisioningRequestConditions", KueueProvisioningFacts},
    {"attempt", KueueAttemptsFacts},
    {"worker1", KueueWorkersFacts},
    {"checks", KueueCheckFlowFacts},
    {"timeoutsSoFar", KueueRequeueFlowFacts},
    {"pod", KueueRecoveryFacts},
    {"iteration", KueueBackoffFacts},
    {"iterations", KueueBackoffSeriesFacts},
    {"admissionChecks", KueueCheckResetFacts},
    {"creationTimestamp", KueueQueueOrderFacts},
    {"jobActive", KueueReleaseFacts},
    {"eviction", KueueEvictionFacts},
    {"evictedFor", KueueEvictionFacts},
    {"workload", KueuePassFacts},
    {"maximumExecutionTimeSeconds", KueueExecutionTimeFacts},
    {"old", KueueLatencyFacts},
    {"conditions", KueueReadinessFacts},
    {"waitForPodsReady", KueueTimeoutFacts},
}};

std::optional<FactsOf> Find(const CaseInput& input) {
  for (const Kind& kind : kKinds) {
    if (kind.name == input.kind) return kind.facts;
  }
  for (const Kind& kind : kStories) {
    if (kind.name == input.kind) return kind.facts;
  }
  if (!input.kind.empty() && input.kind != "source-derived") {
    return std::nullopt;
  }
  for (const Kind& member : kMembers) {
    if (input.input.contains(member.name)) return member.facts;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Answer> EvaluateKueue(const CaseInput& input) {
  if (auto answer = EvaluateRayJobInKueue(input)) return *std::move(answer);
  const std::optional<FactsOf> facts_of = Find(input);
  if (!facts_of.has_value()) {
    return absl::UnimplementedError(
        absl::StrFormat("kind '%s' is not understood", input.kind));
  }
  absl::StatusOr<Json> facts = (*facts_of)(input);
  if (!facts.ok()) return facts.status();
  // Tests look for single conditions of an object, single samples of a
  // registry, and check of pods only those they name.
  for (const char* const name :
       {"conditions", "finalConditions", "conditionsAbsent", "metrics",
        "metricsAbsent", "podsFailed"}) {
    if (facts->contains(name)) (*facts)[name] = OpenList((*facts)[name]);
  }
  return Answer::Facts(*std::move(facts));
}

}  // namespace mulligan::conformance
