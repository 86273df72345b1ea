// Kueue: why a workload was evicted (Kueue 0.19, older names included), and
// its words on pods.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature Eviction(std::string_view key, v1::Cause cause,
                             v1::Diagnosis::Confidence confidence, Tier tier,
                             std::string_view meaning) {
  return {key, cause, confidence, tier, kQueueWeight, kNoFlags, meaning};
}

constexpr Signature kEvicted[] = {
    Eviction("AdmissionCheck", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
             "an admission check asked for the workload to be queued again"),
    Eviction("ClusterQueueStopped", v1::SUSPENDED, kHigh, Tier::kDecisive,
             "the cluster queue was stopped"),
    Eviction("ConcurrentAdmission", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
             "another variant of the workload runs"),
    Eviction("Deactivated", v1::SUSPENDED, kHigh, Tier::kDecisive,
             "the workload was deactivated"),
    Eviction("DeactivatedDueToAdmissionCheck", v1::SUSPENDED, kHigh,
             Tier::kDecisive, "an admission check rejected the workload"),
    Eviction("DeactivatedDueToEvictedOnManagerCluster", v1::SUSPENDED, kHigh,
             Tier::kDecisive, "the manager cluster evicted the workload"),
    Eviction("DeactivatedDueToMaximumExecutionTimeExceeded", v1::DEADLINE_JOB,
             kHigh, Tier::kDecisive,
             "the workload used up its maximum execution time"),
    Eviction("DeactivatedDueToRequeuingLimitExceeded", v1::SUSPENDED, kHigh,
             Tier::kDecisive,
             "the workload was deactivated: its pods were not ready in time "
             "again and again"),
    Eviction("FlavorMigration", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
             "the queue moves the workload to another resource flavour"),
    Eviction("InactiveWorkload", v1::SUSPENDED, kHigh, Tier::kDecisive,
             "the workload was deactivated"),
    Eviction("InactiveWorkloadAdmissionCheck", v1::SUSPENDED, kHigh,
             Tier::kDecisive, "an admission check rejected the workload"),
    Eviction("InactiveWorkloadRequeuingLimitExceeded", v1::SUSPENDED, kHigh,
             Tier::kDecisive,
             "the workload was deactivated: its pods were not ready in time "
             "again and again"),
    Eviction("LocalQueueStopped", v1::SUSPENDED, kHigh, Tier::kDecisive,
             "the local queue was stopped"),
    Eviction("NodeFailures", v1::NODE_LOST, kHigh, Tier::kDecisive,
             "nodes assigned to the workload failed"),
    Eviction("PodsReadyTimeout", v1::START_TIMEOUT, kHigh, Tier::kConvention,
             "the pods were not ready in time"),
    Eviction("Preempted", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
             "the queue preempted the workload for another one"),
    Eviction("VariantEvicted", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
             "the admitted variant of the workload was evicted"),
};
static_assert(IsSorted(kEvicted));

// Reasons of later releases keep the prefix.
constexpr Signature kDeactivated =
    Eviction("Deactivated*", v1::SUSPENDED, kHigh, Tier::kDecisive,
             "the workload was deactivated");
constexpr Signature kOther =
    Eviction("unknown reason", v1::PREEMPTED_QUEUE, kMedium, Tier::kDecisive,
             "the queue evicted the workload for a reason this version does "
             "not know");

constexpr TextSignature kQueueReasonsTexts[] = {
    {"preempted to accommodate", nullptr,
     Eviction("preempted", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
              "the queue preempted the workload for another one")},
    {"podsready timeout", nullptr,
     Eviction("pods-ready-timeout", v1::START_TIMEOUT, kHigh, Tier::kConvention,
              "the pods were not ready in time")},
    {"maximum execution time", nullptr,
     Eviction("max-execution-time", v1::DEADLINE_JOB, kHigh, Tier::kDecisive,
              "the workload used up its maximum execution time")},
    {"is deactivated", nullptr,
     Eviction("deactivated", v1::SUSPENDED, kHigh, Tier::kDecisive,
              "the workload was deactivated")},
    {"queue is stopped", nullptr,
     Eviction("queue-stopped", v1::SUSPENDED, kHigh, Tier::kDecisive,
              "the queue was stopped")},
    {"unhealthy node", nullptr,
     Eviction("unhealthy-node", v1::NODE_LOST, kHigh, Tier::kDecisive,
              "nodes assigned to the workload failed")},
    {"node failures", nullptr,
     Eviction("node-failures", v1::NODE_LOST, kHigh, Tier::kDecisive,
              "nodes assigned to the workload failed")},
    {"admissioncheck", nullptr,
     Eviction("admission-check", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
              "an admission check asked for the workload to be queued again")},
    {"within the cohort", nullptr,
     Eviction("reclaimed", v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
              "the queue reclaimed lent capacity")},
};

constexpr Signature Wait(std::string_view key, std::string_view meaning) {
  return Eviction(key, v1::SUSPENDED, kHigh, Tier::kSpecific, meaning);
}

// Words beside QuotaReserved=False. What the queue can never give, and a queue
// that is not there, are mistakes in the work's configuration.
constexpr TextSignature kWaits[] = {
    // Another flavor could hold it.
    {"insufficient unused quota", nullptr,
     Wait("no-quota", "the queue has no quota left for the work")},
    {"maximum capacity", "(request )?> maximum capacity",
     Blaming(kConfiguration, kCannotRecover,
             Eviction("never-fits", v1::QUOTA_EXCEEDED, kHigh, Tier::kSpecific,
                      "the work asks for more than its queue can ever give"))},
    {"doesn't exist", "(localqueue|clusterqueue|flavor) [^\\n]*doesn't exist",
     Blaming(kConfiguration,
             Wait("no-queue", "a queue that the work names does not exist"))},
    {"not found", "(flavor|localqueue|clusterqueue)[^\\n]* not found",
     Blaming(kConfiguration,
             Wait("no-flavor", "what the queue is made of does not exist"))},
    {"inactive", "(localqueue|clusterqueue) \\S+ is inactive",
     Wait("queue-inactive", "the queue is not active")},
    {"namespace doesn't match", nullptr,
     Blaming(kConfiguration,
             Wait("namespace", "the queue does not serve the namespace"))},
};

}  // namespace

const Signature* FindEvictedReason(std::string_view reason) {
  if (const Signature* row = Find(kEvicted, reason)) return row;
  constexpr std::string_view kPrefix = "Deactivated";
  return reason.substr(0, kPrefix.size()) == kPrefix ? &kDeactivated : &kOther;
}

const TextTable& QueueWaitTexts() {
  static const TextTable* const table = new TextTable("queue-wait", kWaits);
  return *table;
}

const TextTable& QueueTexts() {
  static const TextTable* const table =
      new TextTable("queue", kQueueReasonsTexts);
  return *table;
}

}  // namespace mulligan::demystify
