// Pod status.reason and the reasons of the DisruptionTarget condition
// (Kubernetes 1.36, kubelet, scheduler, taint manager, pod GC, API server).
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature kPodReasons[] = {
    {"AppArmor", v1::CONFIG_MISSING, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the node does not offer the AppArmor profile the pod asks for"},
    {"BindingRejected", v1::UNSCHEDULABLE, kMedium, Tier::kSpecific, kPodWeight,
     kNoFlags, "the binding to a node was refused"},
    {"DeadlineExceeded", v1::DEADLINE_POD, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the pod ran longer than its own activeDeadlineSeconds"},
    {"Evicted", v1::NODE_PRESSURE_EVICTED, kLow, Tier::kDecisive, kPodWeight,
     kNoFlags,
     "the kubelet evicted the pod; node pressure and the pod's own storage "
     "limit share this reason"},
    {"InitContainerRestartPolicyForbidden", v1::CONFIG_MISSING, kHigh,
     Tier::kDecisive, kPodWeight, kNoFlags,
     "the node does not support sidecar containers"},
    {"InvalidNodeInfo", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the kubelet could not read its node when admitting the pod"},
    {"MatchNodeSelector", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the node's labels no longer matched when the pod arrived"},
    {"NodeAffinity", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the node's labels no longer matched when the pod arrived"},
    {"NodeLost", v1::NODE_LOST, kHigh, Tier::kDecisive, kPodWeight, kNoFlags,
     "the kubelet of the node fell silent"},
    {"NodeName", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the pod names another node than the one it arrived at"},
    {"NodePorts", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "a host port was taken on the node"},
    {"NodeShutdown", v1::NODE_SHUTDOWN, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the pod was refused because the node was shutting down"},
    {"OOMKilled", v1::CONTAINER_OOM, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "a container exceeded its memory limit"},
    {"PodOSNotSupported", v1::CONFIG_MISSING, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the pod is for another operating system than the node's"},
    {"PodOSSelectorNodeLabelDoesNotMatch", v1::CONFIG_MISSING, kHigh,
     Tier::kDecisive, kPodWeight, kNoFlags,
     "the pod is for another operating system than the node's"},
    {"Preempting", v1::PREEMPTED_SCHEDULER, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the kubelet removed the pod to admit a critical one"},
    {"ProviderFailed", v1::CREATE_REJECTED, kMedium, Tier::kConvention,
     kPodWeight, kNoFlags,
     "the virtual node's provider refused to create the pod"},
    {"Shutdown", v1::NODE_SHUTDOWN, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the node was shutting down (kubelets 1.20 and 1.21)"},
    {"SupplementalGroupsPolicyNotSupported", v1::CONFIG_MISSING, kHigh,
     Tier::kDecisive, kPodWeight, kNoFlags,
     "the node does not support the pod's supplementalGroupsPolicy"},
    {"SysctlForbidden", v1::CONFIG_MISSING, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the node does not allow a sysctl the pod asks for"},
    {"TaintToleration", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags, "the node was tainted when the pod arrived"},
    {"Terminated", v1::NODE_SHUTDOWN, kHigh, Tier::kDecisive, kPodWeight,
     kNoFlags, "the kubelet ended the pod because its node was shutting down"},
    {"Topology Affinity Error", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the node could not align the pod's resources (kubelets before 1.18)"},
    {"TopologyAffinityError", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the node could not align the pod's resources on its NUMA topology"},
    {"UnexpectedAdmissionError", v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "a device, CPU or memory manager of the kubelet could not serve the pod"},
    {"UnexpectedPredicateFailureType", v1::DEVICE_ADMISSION, kHigh,
     Tier::kDecisive, kPodWeight, kNoFlags,
     "the kubelet refused the pod for a reason it does not name"},
    {"UnknownReason", v1::DEVICE_ADMISSION, kMedium, Tier::kDecisive,
     kPodWeight, kNoFlags,
     "the kubelet refused the pod for a reason it does not name"},
};
static_assert(IsSorted(kPodReasons));

// OutOfcpu, OutOfmemory, OutOfpods, OutOfnvidia.com/gpu and the like.
constexpr Signature kOutOf = {
    "OutOf<resource>",
    v1::DEVICE_ADMISSION,
    kHigh,
    Tier::kDecisive,
    kPodWeight,
    kNoFlags,
    "the node had no room left for the pod when it arrived; nothing ran"};

constexpr Signature kDisruptions[] = {
    {"DeletionByDeviceTaintManager", v1::TAINT_EVICTED, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "a device given to the pod got a NoExecute taint"},
    {"DeletionByGCPControllerManager", v1::NODE_LOST, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "the cloud controller found that the machine no longer exists"},
    {"DeletionByPodGC", v1::NODE_LOST, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "pod garbage collection found that the node no longer exists"},
    {"DeletionByTaintManager", v1::TAINT_EVICTED, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "the node got a NoExecute taint the pod does not tolerate"},
    {"EvictionByEvictionAPI", v1::DRAINED, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "the pod was removed through the eviction API: drain, autoscaler or "
     "descheduler"},
    {"PreemptionByKubeScheduler", v1::PREEMPTED_SCHEDULER, kHigh,
     Tier::kDecisive, kDisruptionWeight, kNoFlags,
     "the scheduler removed the pod for a more important one"},
    {"PreemptionByScheduler", v1::PREEMPTED_SCHEDULER, kHigh, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "the scheduler removed the pod for a more important one"},
    {"TerminationByKubelet", v1::NODE_PRESSURE_EVICTED, kMedium,
     Tier::kDecisive, kDisruptionWeight, kNoFlags,
     "the kubelet ended the pod: node pressure, node shutdown or a critical "
     "pod"},
};
static_assert(IsSorted(kDisruptions));

constexpr Signature kUnknownDisruption = {
    "unknown reason",
    v1::DRAINED,
    kMedium,
    Tier::kDecisive,
    kDisruptionWeight,
    kNoFlags,
    "something outside the pod ended it, for a reason this version does not "
    "know"};

}  // namespace

std::span<const Signature> PodReasons() { return kPodReasons; }
std::span<const Signature> DisruptionReasons() { return kDisruptions; }

const Signature* FindPodReason(std::string_view reason) {
  if (reason.empty()) return nullptr;
  if (reason.size() > 5 && reason.substr(0, 5) == "OutOf") return &kOutOf;
  return Find(PodReasons(), reason);
}

const Signature* FindDisruptionReason(std::string_view reason) {
  return Find(DisruptionReasons(), reason);
}

const Signature& UnknownDisruption() { return kUnknownDisruption; }

}  // namespace mulligan::demystify
