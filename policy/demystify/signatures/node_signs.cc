// What nodes say about the pods they ran: taints, conditions and labels of
// Kubernetes, cloud providers, autoscalers and problem detectors.
#include <array>
#include <string>

#include "absl/strings/match.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature Notice(std::string_view key, v1::Cause cause,
                           v1::Diagnosis::Confidence confidence, Tier tier,
                           std::string_view meaning) {
  return {key,    cause, confidence, tier, kDisruptionWeight, kUnclearEndOnly,
          meaning};
}

constexpr Signature kTaints[] = {
    Notice("DeletionCandidateOfClusterAutoscaler", v1::DRAINED, kLow,
           Tier::kHint, "the autoscaler may remove the node"),
    Notice("ToBeDeletedByClusterAutoscaler", v1::DRAINED, kHigh,
           Tier::kDecisive, "the cluster autoscaler is removing the node"),
    Notice("aws-node-termination-handler/asg-lifecycle-termination",
           v1::DRAINED, kHigh, Tier::kDecisive,
           "the scaling group is ending the machine"),
    Notice("aws-node-termination-handler/rebalance-recommendation",
           v1::SPOT_RECLAIMED, kMedium, Tier::kSpecific,
           "AWS expects to take the spot machine back"),
    Notice("aws-node-termination-handler/scheduled-maintenance", v1::DRAINED,
           kHigh, Tier::kDecisive, "AWS maintains the machine"),
    Notice("aws-node-termination-handler/spot-itn", v1::SPOT_RECLAIMED, kHigh,
           Tier::kDecisive,
           "AWS announced that it takes the spot machine "
           "back"),
    Notice("cloud.google.com/impending-node-termination", v1::SPOT_RECLAIMED,
           kHigh, Tier::kDecisive, "Google announced the end of the machine"),
    Notice("karpenter.sh/disrupted", v1::DRAINED, kMedium, Tier::kSpecific,
           "Karpenter is removing the node"),
    Notice("karpenter.sh/disruption", v1::DRAINED, kMedium, Tier::kSpecific,
           "Karpenter is removing the node"),
    Notice("karpenter.sh/interruption", v1::SPOT_RECLAIMED, kHigh,
           Tier::kDecisive, "Karpenter saw the provider's interruption notice"),
    Notice("kubernetes.azure.com/scheduled-event", v1::SPOT_RECLAIMED, kMedium,
           Tier::kSpecific, "Azure announced an event for the machine"),
    Notice("node.cloudprovider.kubernetes.io/shutdown", v1::NODE_SHUTDOWN,
           kHigh, Tier::kDecisive, "the provider has shut the machine down"),
    Notice("node.kubernetes.io/disk-pressure", v1::NODE_PRESSURE_EVICTED, kLow,
           Tier::kConvention, "the node runs low on disk"),
    Notice("node.kubernetes.io/memory-pressure", v1::NODE_PRESSURE_EVICTED,
           kLow, Tier::kConvention, "the node runs low on memory"),
    Notice("node.kubernetes.io/network-unavailable", v1::NODE_LOST, kLow,
           Tier::kConvention, "the node's network is not configured"),
    Notice("node.kubernetes.io/not-ready", v1::NODE_LOST, kHigh,
           Tier::kSpecific, "the node is not ready"),
    Notice("node.kubernetes.io/out-of-service", v1::NODE_LOST, kHigh,
           Tier::kDecisive, "the node was declared out of service"),
    Notice("node.kubernetes.io/pid-pressure", v1::NODE_PRESSURE_EVICTED, kLow,
           Tier::kConvention, "the node runs low on process ids"),
    Notice("node.kubernetes.io/unreachable", v1::NODE_LOST, kHigh,
           Tier::kSpecific, "the node cannot be reached"),
    Notice("node.kubernetes.io/unschedulable", v1::DRAINED, kLow,
           Tier::kConvention, "the node is cordoned"),
    Notice("node.ocs.openshift.io/unhealthy", v1::NODE_LOST, kMedium,
           Tier::kSpecific, "the node was found unhealthy"),
    Notice("nvidia.com/gpu-unhealthy", v1::GPU_FAULT, kMedium, Tier::kSpecific,
           "a GPU of the node is unhealthy"),
};
static_assert(IsSorted(kTaints));

// "Type=Status", or "Type=Status/Reason" where the reason tells more.
constexpr Signature kConditions[] = {
    Notice("AcceleratedHardwareReady=False", v1::GPU_FAULT, kHigh,
           Tier::kDecisive, "the node monitor found a fault of an accelerator"),
    Notice("ContainerRuntimeReady=False", v1::NODE_LOST, kMedium,
           Tier::kSpecific, "the node's container runtime is broken"),
    Notice("ContainerRuntimeUnhealthy=True", v1::NODE_LOST, kMedium,
           Tier::kSpecific, "the node's container runtime is broken"),
    Notice("DiskPressure=True", v1::NODE_PRESSURE_EVICTED, kLow,
           Tier::kConvention, "the node runs low on disk"),
    Notice("FrequentContainerdRestart=True", v1::NODE_LOST, kLow,
           Tier::kConvention, "the node's container runtime keeps restarting"),
    Notice("FrequentKubeletRestart=True", v1::NODE_LOST, kLow,
           Tier::kConvention, "the node's kubelet keeps restarting"),
    Notice("GPUHealthy=False", v1::GPU_FAULT, kHigh, Tier::kDecisive,
           "a GPU of the node is unhealthy"),
    Notice("GpuUnhealthy=True", v1::GPU_FAULT, kHigh, Tier::kDecisive,
           "a GPU of the node is unhealthy"),
    Notice("IBLinkDown=True", v1::FABRIC_FAULT, kHigh, Tier::kDecisive,
           "an InfiniBand link of the node is down"),
    Notice("IBLinkFlapping=True", v1::FABRIC_FAULT, kMedium, Tier::kSpecific,
           "an InfiniBand link of the node is unstable"),
    Notice("KernelDeadlock=True", v1::NODE_LOST, kMedium, Tier::kSpecific,
           "the node's kernel is stuck"),
    Notice("KernelReady=False", v1::NODE_LOST, kMedium, Tier::kSpecific,
           "the node's kernel is in trouble"),
    Notice("MemoryPressure=True", v1::NODE_PRESSURE_EVICTED, kLow,
           Tier::kConvention, "the node runs low on memory"),
    Notice("NVLinkStatusInactive=True", v1::FABRIC_FAULT, kHigh,
           Tier::kDecisive, "an NVLink of the node is inactive"),
    Notice("NetworkUnavailable=True", v1::NODE_LOST, kLow, Tier::kConvention,
           "the node's network is not configured"),
    Notice("NetworkingReady=False", v1::NODE_LOST, kMedium, Tier::kSpecific,
           "the node's network is in trouble"),
    Notice("PIDPressure=True", v1::NODE_PRESSURE_EVICTED, kLow,
           Tier::kConvention, "the node runs low on process ids"),
    Notice("ReadonlyFilesystem=True", v1::NODE_LOST, kMedium, Tier::kSpecific,
           "the node's file system turned read-only"),
    Notice("Ready=False", v1::NODE_LOST, kHigh, Tier::kSpecific,
           "the node is not ready"),
    Notice("Ready=Unknown", v1::NODE_LOST, kHigh, Tier::kSpecific,
           "the kubelet of the node fell silent"),
    Notice("StorageReady=False", v1::NODE_LOST, kMedium, Tier::kSpecific,
           "the node's storage is in trouble"),
    Notice("VMEventScheduled=True", v1::NODE_SHUTDOWN, kMedium, Tier::kSpecific,
           "Azure announced an event for the machine"),
    Notice("VMEventScheduled=True/PreemptScheduled", v1::SPOT_RECLAIMED, kHigh,
           Tier::kDecisive,
           "Azure announced that it takes the spot machine "
           "back"),
    Notice("XIDErrors=True", v1::GPU_FAULT, kHigh, Tier::kDecisive,
           "the NVIDIA driver reported an XID error on the node"),
};
static_assert(IsSorted(kConditions));

// A detector's condition or taint of any name.
constexpr TextSignature Word(std::string_view keyword, const char* pattern,
                             std::string_view name, v1::Cause cause,
                             std::string_view meaning) {
  return {keyword, pattern,
          Notice(name, cause, kMedium, Tier::kSpecific, meaning)};
}

constexpr TextSignature kConditionTexts[] = {
    Word("preempt", nullptr, "preempt", v1::SPOT_RECLAIMED,
         "the node is announced to be preempted"),
    Word("spot", "spot ?(evict|interrupt|terminat|reclaim)", "spot",
         v1::SPOT_RECLAIMED, "the spot machine is announced to be taken back"),
    Word("nvlink", nullptr, "nvlink", v1::FABRIC_FAULT,
         "a link between the node's GPUs is in trouble"),
    Word("infiniband", nullptr, "infiniband", v1::FABRIC_FAULT,
         "the node's InfiniBand is in trouble"),
    Word("rdma", nullptr, "rdma", v1::FABRIC_FAULT,
         "the node's interconnect is in trouble"),
    Word("gpu", nullptr, "gpu", v1::GPU_FAULT,
         "a GPU of the node is in trouble"),
    Word("xid", nullptr, "xid", v1::GPU_FAULT,
         "the NVIDIA driver reported an XID error on the node"),
    Word("tpu", nullptr, "tpu", v1::GPU_FAULT,
         "a TPU of the node is in trouble"),
    Word("accelerator", nullptr, "accelerator", v1::GPU_FAULT,
         "an accelerator of the node is in trouble"),
    Word("maintenance", nullptr, "maintenance", v1::NODE_SHUTDOWN,
         "the machine is announced to be maintained"),
    Word("reboot", nullptr, "reboot", v1::NODE_SHUTDOWN,
         "the machine is announced to be rebooted"),
    Word("redeploy", nullptr, "redeploy", v1::NODE_SHUTDOWN,
         "the machine is announced to be moved"),
    Word("terminat", nullptr, "terminat", v1::NODE_SHUTDOWN,
         "the machine is announced to be ended"),
    Word("deadlock", nullptr, "deadlock", v1::NODE_LOST,
         "the node's kernel is stuck"),
    Word("kernel", nullptr, "kernel", v1::NODE_LOST,
         "the node's kernel is in trouble"),
    Word("kubelet", nullptr, "kubelet", v1::NODE_LOST,
         "the node's kubelet is in trouble"),
    Word("containerd", nullptr, "containerd", v1::NODE_LOST,
         "the node's container runtime is in trouble"),
    Word("docker", nullptr, "docker", v1::NODE_LOST,
         "the node's container runtime is in trouble"),
    Word("readonly", nullptr, "readonly", v1::NODE_LOST,
         "a file system of the node turned read-only"),
    Word("filesystem", nullptr, "filesystem", v1::NODE_LOST,
         "a file system of the node is in trouble"),
    Word("corrupt", nullptr, "corrupt", v1::NODE_LOST,
         "a part of the node is corrupted"),
};

// What providers announce under one condition for everything.
constexpr TextSignature kAnnouncements[] = {
    {"preempt", "^preempt",
     Notice("preempt-scheduled", v1::SPOT_RECLAIMED, kHigh, Tier::kDecisive,
            "the provider announced that it takes the machine back")},
};

// Not what a node is for ("dedicated", "gpu", "gke-preemptible"), only what
// becomes of it.
constexpr TextSignature kTaintTexts[] = {
    Word("interruption", nullptr, "interruption", v1::SPOT_RECLAIMED,
         "the provider announced an interruption of the node"),
    Word("impending", nullptr, "impending", v1::NODE_SHUTDOWN,
         "the end of the node is announced"),
    Word("maintenance", nullptr, "maintenance", v1::NODE_SHUTDOWN,
         "the machine is maintained"),
    Word("unhealthy", nullptr, "unhealthy", v1::NODE_LOST,
         "the node was found unhealthy"),
    Word("shutdown", nullptr, "shutdown", v1::NODE_SHUTDOWN,
         "the node is shut down"),
    Word("drain", nullptr, "drain", v1::DRAINED, "the node is being drained"),
    Word("disrupt", nullptr, "disrupt", v1::DRAINED,
         "the node is being removed"),
    Word("terminat", nullptr, "terminat", v1::NODE_SHUTDOWN,
         "the node is being ended"),
};

struct SpotLabel {
  std::string_view key;
  std::string_view value;
};
constexpr SpotLabel kSpotLabels[] = {
    {"cloud.google.com/gke-preemptible", "true"},
    {"cloud.google.com/gke-provisioning", "spot"},
    {"cloud.google.com/gke-spot", "true"},
    {"eks.amazonaws.com/capacityType", "spot"},
    {"karpenter.sh/capacity-type", "spot"},
    {"kubernetes.azure.com/scalesetpriority", "spot"},
    {"lifecycle", "ec2spot"},
    {"lifecycle", "spot"},
    {"node-lifecycle", "spot"},
    {"node.kubernetes.io/lifecycle", "spot"},
    {"oci.oraclecloud.com/oke-is-preemptible", "true"},
    {"spotinst.io/node-lifecycle", "spot"},
};

}  // namespace

const Signature* FindTaint(std::string_view key) { return Find(kTaints, key); }

const Signature* FindNodeCondition(std::string_view type,
                                   std::string_view status,
                                   std::string_view reason) {
  const auto of_type = [type](const Signature& row) {
    return row.key.size() > type.size() &&
           row.key.substr(0, type.size()) == type &&
           row.key[type.size()] == '=';
  };
  const Signature* found = nullptr;
  for (const Signature& row : kConditions) {
    if (!of_type(row)) continue;
    std::string_view rest = row.key.substr(type.size() + 1);
    if (rest == status) found = &row;
    if (rest.size() == status.size() + 1 + reason.size() &&
        rest.substr(0, status.size()) == status &&
        rest.substr(status.size() + 1) == reason &&
        rest[status.size()] == '/') {
      return &row;
    }
  }
  return found;
}

const TextTable& TaintTexts() {
  static const TextTable* const table = new TextTable("taint", kTaintTexts);
  return *table;
}

const TextTable& AnnouncementTexts() {
  static const TextTable* const table =
      new TextTable("announcement", kAnnouncements);
  return *table;
}

const TextTable& NodeConditionTexts() {
  static const TextTable* const table =
      new TextTable("node-condition", kConditionTexts);
  return *table;
}

bool IsSpotLabel(std::string_view key, std::string_view value) {
  for (const SpotLabel& label : kSpotLabels) {
    if (key == label.key &&
        absl::EqualsIgnoreCase({value.data(), value.size()},
                               {label.value.data(), label.value.size()})) {
      return true;
    }
  }
  return false;
}

}  // namespace mulligan::demystify
