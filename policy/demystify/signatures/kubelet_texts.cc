// Words of kubelet, taint manager, garbage collector and kernel about a pod's
// end, in pod messages, conditions and events.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Pod(std::string_view keyword, const char* pattern,
                            std::string_view name, v1::Cause cause,
                            v1::Diagnosis::Confidence confidence,
                            std::string_view meaning) {
  return {keyword,
          pattern,
          {name, cause, confidence, Tier::kDecisive, kPodWeight, kNoFlags,
           meaning}};
}

constexpr TextSignature kKubelet[] = {
    // The pod's own limit. Named in full, so above the node's trouble.
    Pod("exceeded its local ephemeral storage limit", nullptr,
        "container-storage-limit", v1::STORAGE_EXHAUSTED, kHigh,
        "a container used more ephemeral storage than its limit"),
    Pod("ephemeral local storage usage exceeds", nullptr, "pod-storage-limit",
        v1::STORAGE_EXHAUSTED, kHigh,
        "the pod used more ephemeral storage than its limits"),
    Pod("usage of emptydir volume", nullptr, "empty-dir-limit",
        v1::STORAGE_EXHAUSTED, kHigh,
        "an emptyDir volume is larger than its limit"),
    Pod("exceeds the ephemeral", "usage.*exceeds", "ephemeral-limit",
        v1::STORAGE_EXHAUSTED, kHigh,
        "the pod used more ephemeral storage than its limits"),
    // The node's trouble.
    // The kubelet says what the pod used and had requested.
    Blaming(
        kResourceLimit, kMayRecover,
        Pod("node was low on resource",
            "low on resource: memory\\..*(exceeds its request of|request is) "
            "[1-9]",
            "node-low-own", v1::NODE_PRESSURE_EVICTED, kHigh,
            "the node ran low on memory and the pod used more than it had "
            "requested")),
    Blaming(kInfrastructure, kMayRecover,
            Pod("node was low on resource",
                "low on resource: memory\\..*(exceeds its request|larger "
                "consumption)",
                "node-low-unrequested", v1::NODE_PRESSURE_EVICTED, kHigh,
                "the node ran low on memory and the pod had requested none")),
    Pod("node was low on resource", nullptr, "node-low",
        v1::NODE_PRESSURE_EVICTED, kHigh,
        "the node ran low on a resource and the pod was chosen"),
    Pod("node had condition", nullptr, "node-condition",
        v1::NODE_PRESSURE_EVICTED, kHigh,
        "the node was under pressure and refused the pod"),
    Pod("diskpressure", nullptr, "disk-pressure", v1::NODE_PRESSURE_EVICTED,
        kMedium, "the node ran low on disk"),
    Pod("memorypressure", nullptr, "memory-pressure", v1::NODE_PRESSURE_EVICTED,
        kMedium, "the node ran low on memory"),
    Pod("pidpressure", nullptr, "pid-pressure", v1::NODE_PRESSURE_EVICTED,
        kMedium, "the node ran low on process ids"),
    Pod("node shutdown", nullptr, "shutdown", v1::NODE_SHUTDOWN, kHigh,
        "the node was shutting down"),
    Pod("node is shutting", nullptr, "shutting-down", v1::NODE_SHUTDOWN, kHigh,
        "the node was shutting down"),
    Pod("progress of shutting down", nullptr, "shutdown-in-progress",
        v1::NODE_SHUTDOWN, kHigh, "the node was shutting down"),
    Pod("admit critical pod", nullptr, "critical-pod", v1::PREEMPTED_SCHEDULER,
        kHigh, "the kubelet removed the pod to admit a critical one"),
    Pod("preempting to accommodate", nullptr, "preempting",
        v1::PREEMPTED_SCHEDULER, kHigh,
        "the scheduler removed the pod for a more important one"),
    Pod("preempted by", "preempted by .*(pod|node|on )", "preempted-by",
        v1::PREEMPTED_SCHEDULER, kHigh,
        "the scheduler removed the pod for a more important one"),
    Pod("taint manager", "taint manager: deleting", "taint-manager",
        v1::TAINT_EVICTED, kHigh,
        "the node got a NoExecute taint the pod does not tolerate"),
    Pod("node no longer exists", nullptr, "node-gone", v1::NODE_LOST, kHigh,
        "the node is gone"),
    Pod("is unresponsive", "node .*is unresponsive", "unresponsive",
        v1::NODE_LOST, kHigh, "the kubelet of the node fell silent"),
    Pod("node is not ready", nullptr, "node-not-ready", v1::NODE_LOST, kMedium,
        "the node was not ready"),
    Pod("pod was lost", nullptr, "pod-lost", v1::NODE_LOST, kMedium,
        "the pod was lost with its node"),
    // Karpenter's words; the kubelet's name a resource. What an eviction was
    // for
    // says more than the API it went through.
    {"evicted pod",
     "^evicted pod\\b.*(spot|interrupt|rebalance|preempt)",
     {"evicted-for-spot", v1::SPOT_RECLAIMED, kHigh, Tier::kDecisive,
      kDisruptionWeight, kNoFlags,
      "the autoscaler evicted the pod: its spot machine was taken back"}},
    Pod("evicted pod", "^evicted pod", "evicted-by-autoscaler", v1::DRAINED,
        kHigh, "the autoscaler evicted the pod from a node it replaces"),
    Pod("eviction api", nullptr, "eviction-api", v1::DRAINED, kHigh,
        "the pod was removed through the eviction API"),
    Pod("node scale down", nullptr, "scale-down", v1::DRAINED, kHigh,
        "the cluster autoscaler removed the pod with its node"),
    Pod("being drained", nullptr, "being-drained", v1::DRAINED, kMedium,
        "the node was drained"),
    Pod("spot ", "spot (instance|node|vm|capacity|termination|interrupt)",
        "spot", v1::SPOT_RECLAIMED, kMedium, "a spot machine was taken back"),
    Pod("was preempted", "(instance|machine|vm|node) .*was preempted",
        "machine-preempted", v1::SPOT_RECLAIMED, kHigh,
        "a preemptible machine was taken back"),
    Pod("active on the node longer", nullptr, "pod-deadline", v1::DEADLINE_POD,
        kHigh, "the pod ran longer than its own activeDeadlineSeconds"),
    Pod("active longer than specified deadline", nullptr, "job-deadline",
        v1::DEADLINE_JOB, kHigh,
        "the Job ran longer than its activeDeadlineSeconds"),
    // Admission.
    Pod("didn't have enough resource", nullptr, "out-of-resource",
        v1::DEVICE_ADMISSION, kHigh,
        "the node had no room left for the pod when it arrived"),
    Pod("didn't have enough capacity", nullptr, "out-of-capacity",
        v1::DEVICE_ADMISSION, kHigh,
        "the node had no room left for the pod when it arrived"),
    Pod("predicate ", "predicate \\S+ failed", "predicate",
        v1::DEVICE_ADMISSION, kHigh,
        "the node no longer matched the pod when it arrived"),
    Pod("allocate failed", nullptr, "allocate", v1::DEVICE_ADMISSION, kHigh,
        "a device manager of the kubelet could not serve the pod"),
    Pod("update plugin resources failed", nullptr, "plugin-resources",
        v1::DEVICE_ADMISSION, kHigh,
        "a device manager of the kubelet could not serve the pod"),
    Pod("cannot allocate unhealthy devices", nullptr, "unhealthy-devices",
        v1::DEVICE_ADMISSION, kHigh, "the node's devices are unhealthy"),
    Pod("no healthy devices", nullptr, "no-healthy-devices",
        v1::DEVICE_ADMISSION, kHigh, "the node's devices are unhealthy"),
    Pod("topology locality", nullptr, "topology", v1::DEVICE_ADMISSION, kHigh,
        "the node could not align the pod's resources"),
    Pod("not enough cpus available", nullptr, "cpu-manager",
        v1::DEVICE_ADMISSION, kHigh,
        "the kubelet's CPU manager could not serve the pod"),
};

constexpr TextSignature Probe(std::string_view keyword, const char* pattern,
                              std::string_view name, Tier tier,
                              v1::Diagnosis::Confidence confidence,
                              std::uint8_t flags, std::string_view meaning) {
  return {keyword,
          pattern,
          {name, v1::PROBE_KILLED, confidence, tier, kContainerWeight, flags,
           meaning}};
}

constexpr TextSignature Scaled(std::string_view keyword, const char* pattern,
                               std::string_view name,
                               std::string_view meaning) {
  return {keyword,
          pattern,
          {name, v1::CANCELLED, kMedium, Tier::kSpecific, kQueueWeight,
           kPeerEffect | kUnclearEndOnly, meaning}};
}

constexpr TextSignature kKilling[] = {
    Probe("failed liveness probe", nullptr, "liveness", Tier::kDecisive, kHigh,
          kUnclearEndOnly,
          "the kubelet killed the container for a failed liveness probe"),
    Probe("failed startup probe", nullptr, "startup", Tier::kDecisive, kHigh,
          kUnclearEndOnly,
          "the kubelet killed the container for a failed startup probe"),
    Probe("container is unhealthy", nullptr, "unhealthy", Tier::kDecisive,
          kHigh, kUnclearEndOnly,
          "the kubelet killed the container for a failed liveness probe"),
    // The probe itself is wrong, or the node cannot run it.
    Blaming(kConfiguration, kCannotRecover,
            Probe("probe",
                  "(liveness|startup) probe (failed|errored).*(permission "
                  "denied|no such file|executable file not found|command not "
                  "found|: not found|statuscode: (400|401|403|404|405))",
                  "probe-wrong", Tier::kConvention, kMedium, kUnclearEndOnly,
                  "the probe asks for something that is not there")),
    Blaming(
        kConfiguration,
        Probe("probe", "(liveness|startup) probe failed.*connection refused",
              "probe-early", Tier::kConvention, kMedium, kUnclearEndOnly,
              "the probe begins before the program listens")),
    Blaming(kInfrastructure,
            Probe("probe",
                  "(liveness|startup) probe (failed|errored).*(failed to exec|"
                  "runtime exec failed|transport is closing|ttrpc)",
                  "probe-not-run", Tier::kConvention, kMedium, kUnclearEndOnly,
                  "the node could not run the probe")),
    Probe("liveness probe", "liveness probe (failed|errored|warning)",
          "liveness-failing", Tier::kConvention, kMedium, kUnclearEndOnly,
          "the liveness probe failed"),
    Probe("startup probe", "startup probe (failed|errored|warning)",
          "startup-failing", Tier::kConvention, kMedium, kUnclearEndOnly,
          "the startup probe failed"),
    {"poststarthook",
     nullptr,
     {"post-start", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
      kContainerWeight, kUnclearEndOnly,
      "the container's postStart hook failed"}},
    {"marking for deletion",
     nullptr,
     {"taint-manager", v1::TAINT_EVICTED, kHigh, Tier::kDecisive,
      kDisruptionWeight, kUnclearEndOnly,
      "the taint manager deleted the pod for a NoExecute taint"}},
    // Owners that want fewer pods, or none.
    Scaled("scaled down replica set", nullptr, "scaled-down",
           "its Deployment was scaled down"),
    Scaled("statefulset", "delete pod \\S+ in statefulset \\S+ successful",
           "stateful-set-down", "its StatefulSet was scaled down or replaced"),
    Scaled("new size: 0", "new size: 0\\b", "scaled-to-zero",
           "an autoscaler scaled its owner to zero"),
    Scaled("deactivated ", "deactivated \\S+ \\S+ from \\d+ to 0",
           "keda-to-zero", "KEDA scaled its owner to zero"),
    // The taint went away in time; nothing was evicted.
    {"cancelling deletion",
     nullptr,
     {"taint-cancelled", v1::TAINT_EVICTED, kLow, Tier::kHint,
      kDisruptionWeight, kUnclearEndOnly,
      "the taint manager took its deletion back"}},
};

constexpr TextSignature kKernel[] = {
    {"memory cgroup out of memory",
     nullptr,
     {"cgroup-oom", v1::CONTAINER_OOM, kMedium, Tier::kSpecific,
      kDisruptionWeight, kUnclearEndOnly,
      "the kernel killed a process at its container's memory limit"}},
    {"constraint_memcg",
     nullptr,
     {"memcg", v1::CONTAINER_OOM, kMedium, Tier::kSpecific, kDisruptionWeight,
      kUnclearEndOnly,
      "the kernel killed a process at its container's memory limit"}},
};

}  // namespace

const TextTable& KubeletTexts() {
  static const TextTable* const table = new TextTable("kubelet", kKubelet);
  return *table;
}

const TextTable& KillingTexts() {
  static const TextTable* const table = new TextTable("killing", kKilling);
  return *table;
}

const TextTable& KernelTexts() {
  static const TextTable* const table = new TextTable("kernel", kKernel);
  return *table;
}

}  // namespace mulligan::demystify
