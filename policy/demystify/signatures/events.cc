// Events by reason. Events are best effort: they add to what objects say and
// stand alone only when there is no object.
#include <algorithm>

#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

struct Says {
  v1::Cause cause;
  v1::Diagnosis::Confidence confidence;
  Tier tier;
  Weight weight;
  std::uint8_t flags = kNoFlags;
};

constexpr EventSignature Row(std::string_view reason, Says says, Stage stage,
                             Texts texts, std::string_view meaning) {
  return {{reason, says.cause, says.confidence, says.tier, says.weight,
           says.flags, meaning},
          stage,
          texts,
          false};
}

// The message decides; without a known one the event says nothing.
constexpr EventSignature TextOnly(std::string_view reason, Stage stage,
                                  Texts texts) {
  return {{reason, v1::UNKNOWN, kLow, Tier::kHint, kTextWeight, kNoFlags, ""},
          stage,
          texts,
          true};
}

constexpr Says kSpotNotice = {v1::SPOT_RECLAIMED, kHigh, Tier::kDecisive,
                              kDisruptionWeight, kUnclearEndOnly};
constexpr Says kSpotHint = {v1::SPOT_RECLAIMED, kMedium, Tier::kSpecific,
                            kDisruptionWeight, kUnclearEndOnly};
constexpr Says kDrainNotice = {v1::DRAINED, kHigh, Tier::kSpecific,
                               kDisruptionWeight, kUnclearEndOnly};
constexpr Says kDrainHint = {v1::DRAINED, kLow, Tier::kConvention,
                             kDisruptionWeight, kUnclearEndOnly};
constexpr Says kNodeLost = {v1::NODE_LOST, kMedium, Tier::kSpecific,
                            kDisruptionWeight, kUnclearEndOnly};
constexpr Says kPressure = {v1::NODE_PRESSURE_EVICTED, kLow, Tier::kConvention,
                            kDisruptionWeight, kUnclearEndOnly};
constexpr Says kHostOom = {v1::HOST_OOM, kMedium, Tier::kSpecific,
                           kDisruptionWeight, kUnclearEndOnly};
constexpr Says kGpu = {v1::GPU_FAULT, kHigh, Tier::kSpecific, kDisruptionWeight,
                       kNoFlags};
constexpr Says kSandbox = {v1::SANDBOX_OR_MOUNT, kHigh, Tier::kSpecific,
                           kContainerWeight, kNoFlags};
constexpr Says kQueueEvicted = {v1::PREEMPTED_QUEUE, kHigh, Tier::kDecisive,
                                kQueueWeight, kNoFlags};
constexpr Says kCreate = {v1::API_TRANSIENT, kLow, Tier::kConvention,
                          kOperatorWeight, kNoFlags};

// Sorted by reason. Reasons of admission (UnexpectedAdmissionError, OutOfcpu)
// are those of pods and found in their table.
constexpr EventSignature kEvents[] = {
    Row("ASGLifecycle", kDrainNotice, Stage::kNode, Texts::kNone,
        "the scaling group is ending the machine"),
    TextOnly("BackOff", Stage::kStart, Texts::kImage),
    Row("BackoffLimitExceeded",
        {v1::APP_ERROR, kLow, Tier::kGeneric, kOperatorWeight}, Stage::kRun,
        Texts::kNone, "the Job used up its retries"),
    TextOnly("BindingRejected", Stage::kSchedule, Texts::kScheduling),
    Row("ClusterQueueStopped",
        {v1::SUSPENDED, kHigh, Tier::kDecisive, kQueueWeight}, Stage::kRun,
        Texts::kNone, "the cluster queue was stopped"),
    Row("ContainerGCFailed", kPressure, Stage::kNode, Texts::kNone,
        "the node could not clean up"),
    Row("ContainerdHung", kNodeLost, Stage::kNode, Texts::kNone,
        "the node's container runtime is stuck"),
    Row("CreateContainerConfigError",
        {v1::CONFIG_MISSING, kHigh, Tier::kSpecific, kContainerWeight},
        Stage::kStart, Texts::kStart,
        "something the container's configuration names is missing"),
    Row("DeadlineExceeded",
        {v1::DEADLINE_JOB, kMedium, Tier::kSpecific, kOperatorWeight},
        Stage::kRun, Texts::kKubelet, "a deadline passed"),
    Row("DeletingAllPods", kDrainHint, Stage::kNode, Texts::kNone,
        "the node's pods are being deleted"),
    Row("DeletingNode", kNodeLost, Stage::kNode, Texts::kNone,
        "the machine behind the node no longer exists"),
    Row("Descheduled", kDrainNotice, Stage::kRun, Texts::kNone,
        "the descheduler evicted the pod"),
    Row("DeviceTaintManagerEviction",
        {v1::TAINT_EVICTED, kHigh, Tier::kDecisive, kDisruptionWeight},
        Stage::kRun, Texts::kNone, "a device of the pod got a NoExecute taint"),
    Row("DeviceUnhealthy", kGpu, Stage::kNode, Texts::kNone,
        "a device plug-in reported an unhealthy device"),
    Row("Disrupted", kDrainNotice, Stage::kNode, Texts::kKubelet,
        "an autoscaler disrupted the node"),
    Row("DisruptionTerminating", kDrainNotice, Stage::kNode, Texts::kNone,
        "Karpenter is ending the node"),
    Row("DockerHung", kNodeLost, Stage::kNode, Texts::kNone,
        "the node's container runtime is stuck"),
    Row("Drain", kDrainNotice, Stage::kNode, Texts::kNone,
        "the node is being drained"),
    Row("Draining", kDrainNotice, Stage::kNode, Texts::kNone,
        "the node is being drained"),
    Row("ErrImageNeverPull",
        {v1::IMAGE_INVALID, kHigh, Tier::kSpecific, kContainerWeight},
        Stage::kStart, Texts::kNone,
        "the image is not on the node and may not be pulled"),
    Row("Evicted",
        {v1::NODE_PRESSURE_EVICTED, kLow, Tier::kDecisive, kPodWeight},
        Stage::kRun, Texts::kKubelet, "the kubelet evicted the pod"),
    Row("EvictionThresholdMet", kPressure, Stage::kNode, Texts::kNone,
        "the node runs low on a resource"),
    TextOnly("ExceededGracePeriod", Stage::kRun, Texts::kNone),
    TextOnly("Failed", Stage::kStart, Texts::kAny),
    Row("FailedAttachVolume", kSandbox, Stage::kStart, Texts::kMount,
        "a volume could not be attached"),
    Row("FailedBinding",
        {v1::UNSCHEDULABLE, kMedium, Tier::kConvention, kPodWeight},
        Stage::kSchedule, Texts::kMount, "a volume claim could not be bound"),
    Row("FailedCreate", kCreate, Stage::kCreate, Texts::kCreation,
        "a controller could not create its objects"),
    Row("FailedCreatePodContainer", kSandbox, Stage::kStart, Texts::kStart,
        "the kubelet could not create a container"),
    Row("FailedCreatePodSandBox", kSandbox, Stage::kStart, Texts::kMount,
        "the pod's sandbox could not be created"),
    Row("FailedCreateSandbox", kSandbox, Stage::kStart, Texts::kMount,
        "the pod's sandbox could not be created"),
    Row("FailedDaemonPod", kCreate, Stage::kCreate, Texts::kCreation,
        "a controller could not create its objects"),
    Row("FailedKillPod", kSandbox, Stage::kRun, Texts::kNone,
        "the kubelet could not end the pod"),
    Row("FailedMapVolume", kSandbox, Stage::kStart, Texts::kMount,
        "a volume could not be mapped"),
    Row("FailedMount", kSandbox, Stage::kStart, Texts::kMount,
        "a volume could not be mounted"),
    Row("FailedNodeAllocatableEnforcement", kNodeLost, Stage::kNode,
        Texts::kNone, "the node could not set up its limits"),
    Row("FailedPodSandBoxStatus", kSandbox, Stage::kStart, Texts::kMount,
        "the pod's sandbox could not be read"),
    TextOnly("FailedPostStartHook", Stage::kStart, Texts::kNone),
    Row("FailedPrepareDynamicResources",
        {v1::DEVICE_ADMISSION, kMedium, Tier::kSpecific, kContainerWeight},
        Stage::kStart, Texts::kNone, "a claimed device could not be prepared"),
    Row("FailedScheduling",
        {v1::UNSCHEDULABLE, kMedium, Tier::kSpecific, kPodWeight},
        Stage::kSchedule, Texts::kScheduling, "no node fits the pod"),
    TextOnly("FailedSync", Stage::kStart, Texts::kAny),
    Row("FailedToCreateRayCluster", kCreate, Stage::kCreate, Texts::kCreation,
        "the operator could not create its objects"),
    Row("FailedToRetrieveImagePullSecret",
        {v1::IMAGE_DENIED, kLow, Tier::kHint, kContainerWeight}, Stage::kStart,
        Texts::kNone, "the image pull secret is missing"),
    Row("FreeDiskSpaceFailed", kPressure, Stage::kNode, Texts::kNone,
        "the node could not free disk space"),
    Row("FreezeScheduled",
        {v1::NODE_LOST, kLow, Tier::kConvention, kDisruptionWeight,
         kUnclearEndOnly},
        Stage::kNode, Texts::kNone, "Azure pauses the machine"),
    Row("HostPortConflict",
        {v1::DEVICE_ADMISSION, kHigh, Tier::kSpecific, kPodWeight},
        Stage::kSchedule, Texts::kNone, "a host port was taken"),
    Row("ImageGCFailed", kPressure, Stage::kNode, Texts::kNone,
        "the node could not free disk space"),
    Row("InspectFailed",
        {v1::IMAGE_INVALID, kHigh, Tier::kSpecific, kContainerWeight},
        Stage::kStart, Texts::kImage, "the image reference does not parse"),
    Row("InstanceStopping", kDrainNotice, Stage::kNode, Texts::kNone,
        "the provider is stopping the machine"),
    Row("InstanceTerminating", kDrainNotice, Stage::kNode, Texts::kNone,
        "the provider is ending the machine"),
    Row("InstanceUnhealthy", kNodeLost, Stage::kNode, Texts::kNone,
        "the provider found the machine unhealthy"),
    Row("JobCreationFailed", kCreate, Stage::kCreate, Texts::kCreation,
        "JobSet could not create a child Job"),
    TextOnly("KEDAScaleTargetDeactivated", Stage::kRun, Texts::kKilling),
    Row("KernelDeadlock", kNodeLost, Stage::kNode, Texts::kNone,
        "the node's kernel is stuck"),
    TextOnly("Killing", Stage::kRun, Texts::kKilling),
    Row("KubeletHung", kNodeLost, Stage::kNode, Texts::kNone,
        "the node's kubelet is stuck"),
    Row("LocalQueueStopped",
        {v1::SUSPENDED, kHigh, Tier::kDecisive, kQueueWeight}, Stage::kRun,
        Texts::kNone, "the local queue was stopped"),
    Row("NetworkNotReady", kSandbox, Stage::kStart, Texts::kMount,
        "the node's pod network is not ready"),
    Row("NodeNotReady", kNodeLost, Stage::kNode, Texts::kNone,
        "the node was not ready"),
    Row("NodeNotSchedulable", kDrainHint, Stage::kNode, Texts::kNone,
        "the node was cordoned"),
    Row("NotTriggerScaleUp",
        {v1::UNSCHEDULABLE, kMedium, Tier::kConvention, kPodWeight},
        Stage::kSchedule, Texts::kNone,
        "the autoscaler has no node group that would fit the pod"),
    Row("OOMKilled",
        {v1::CONTAINER_OOM, kHigh, Tier::kDecisive, kContainerWeight},
        Stage::kRun, Texts::kNone, "a container exceeded its memory limit"),
    Row("OOMKilling", kHostOom, Stage::kNode, Texts::kKernel,
        "the kernel of the node killed a process for memory"),
    Row("PVCCreationFailed", kCreate, Stage::kCreate, Texts::kCreation,
        "a volume claim could not be created"),
    Row("PodFailurePolicy",
        {v1::DECLARED_FATAL, kMedium, Tier::kSpecific, kOperatorWeight},
        Stage::kRun, Texts::kNone, "the Job's podFailurePolicy ended it"),
    Row("PodsReadyTimeout",
        {v1::START_TIMEOUT, kHigh, Tier::kConvention, kQueueWeight},
        Stage::kStart, Texts::kNone, "the pods were not ready in time"),
    Row("PreemptScheduled", kSpotNotice, Stage::kNode, Texts::kNone,
        "Azure announced that it takes the spot machine back"),
    Row("Preempted",
        {v1::PREEMPTED_SCHEDULER, kHigh, Tier::kDecisive, kDisruptionWeight},
        Stage::kRun, Texts::kQueue,
        "the scheduler removed the pod for a more important one"),
    Row("PreemptedWorkload", kQueueEvicted, Stage::kRun, Texts::kNone,
        "the queue preempted the workload"),
    Row("Preempting",
        {v1::PREEMPTED_SCHEDULER, kHigh, Tier::kDecisive, kPodWeight},
        Stage::kRun, Texts::kNone,
        "the kubelet removed the pod to admit a critical one"),
    Row("PreemptionNotice", kSpotNotice, Stage::kNode, Texts::kNone,
        "the provider announced that it takes the machine back"),
    Row("ProvisioningFailed", kSandbox, Stage::kSchedule, Texts::kMount,
        "a volume could not be provisioned"),
    Row("ProvisioningTimeout",
        {v1::UNSCHEDULABLE, kMedium, Tier::kConvention, kPodWeight},
        Stage::kSchedule, Texts::kNone, "no machine was provisioned in time"),
    Row("RebalanceRecommendation", kSpotHint, Stage::kNode, Texts::kNone,
        "the provider expects to take the spot machine back"),
    Row("RebootScheduled",
        {v1::NODE_SHUTDOWN, kMedium, Tier::kSpecific, kDisruptionWeight,
         kUnclearEndOnly},
        Stage::kNode, Texts::kNone, "Azure reboots the machine"),
    Row("Rebooted", kNodeLost, Stage::kNode, Texts::kNone,
        "the node was rebooted"),
    Row("RedeployScheduled",
        {v1::NODE_SHUTDOWN, kMedium, Tier::kSpecific, kDisruptionWeight,
         kUnclearEndOnly},
        Stage::kNode, Texts::kNone, "Azure moves the machine"),
    Row("RemovingNode", kNodeLost, Stage::kNode, Texts::kNone,
        "the node was removed"),
    Row("ReplicaSetCreateError", kCreate, Stage::kCreate, Texts::kCreation,
        "a controller could not create its objects"),
    TextOnly("SandboxChanged", Stage::kStart, Texts::kNone),
    Row("ScaleDown", kDrainNotice, Stage::kNode, Texts::kNone,
        "the cluster autoscaler removed the pod with its node"),
    // Of Deployments; scaling up says nothing.
    TextOnly("ScalingReplicaSet", Stage::kRun, Texts::kKilling),
    Row("ScheduledEvent", kDrainNotice, Stage::kNode, Texts::kNone,
        "the provider maintains the machine"),
    Row("Shutdown",
        {v1::NODE_SHUTDOWN, kMedium, Tier::kSpecific, kDisruptionWeight,
         kUnclearEndOnly},
        Stage::kNode, Texts::kKubelet, "the node shut down"),
    Row("SpotInterrupted", kSpotNotice, Stage::kNode, Texts::kNone,
        "the provider took the spot machine back"),
    Row("SpotInterruption", kSpotNotice, Stage::kNode, Texts::kNone,
        "the provider took the spot machine back"),
    Row("SpotRebalanceRecommendation", kSpotHint, Stage::kNode, Texts::kNone,
        "the provider expects to take the spot machine back"),
    // Kueue's, of the Job it stops.
    TextOnly("Stopped", Stage::kRun, Texts::kQueue),
    Row("StoppedByKueue",
        {v1::SUSPENDED, kMedium, Tier::kConvention, kQueueWeight}, Stage::kRun,
        Texts::kQueue, "the queue stopped the pods"),
    // Of StatefulSets; that of Jobs and ReplicaSets does not say why.
    TextOnly("SuccessfulDelete", Stage::kRun, Texts::kKilling),
    TextOnly("SuccessfulRescale", Stage::kRun, Texts::kKilling),
    Row("SystemOOM", kHostOom, Stage::kNode, Texts::kKernel,
        "the node ran out of memory and its kernel killed a process"),
    Row("TaintManagerEviction",
        {v1::TAINT_EVICTED, kHigh, Tier::kDecisive, kDisruptionWeight},
        Stage::kRun, Texts::kKilling,
        "the taint manager deleted the pod for a NoExecute taint"),
    Row("TaskHung", kNodeLost, Stage::kNode, Texts::kNone,
        "a task of the node's kernel is stuck"),
    Row("TerminateScheduled", kSpotHint, Stage::kNode, Texts::kNone,
        "Azure ends the machine"),
    Row("TerminatingEvictedPod",
        {v1::NODE_PRESSURE_EVICTED, kLow, Tier::kConvention, kPodWeight},
        Stage::kRun, Texts::kKubelet, "the pod was evicted"),
    Row("TerminatingOnInterruption", kSpotNotice, Stage::kNode, Texts::kNone,
        "Karpenter saw the provider's interruption notice"),
    Row("TopologyAffinityError",
        {v1::DEVICE_ADMISSION, kHigh, Tier::kDecisive, kPodWeight},
        Stage::kSchedule, Texts::kNone,
        "the node could not align the pod's resources"),
    Row("TrainJobResourcesCreationFailed", kCreate, Stage::kCreate,
        Texts::kCreation, "Trainer could not create its objects"),
    TextOnly("Unhealthy", Stage::kRun, Texts::kKilling),
    Row("Unschedulable",
        {v1::UNSCHEDULABLE, kMedium, Tier::kSpecific, kPodWeight},
        Stage::kSchedule, Texts::kScheduling, "no node fits the pod or gang"),
    Row("XIDError", kGpu, Stage::kNode, Texts::kNone,
        "the NVIDIA driver reported an XID error"),
};
static_assert(std::is_sorted(std::begin(kEvents), std::end(kEvents),
                             [](const EventSignature& a,
                                const EventSignature& b) {
                               return a.row.key < b.row.key;
                             }));

constexpr EventSignature kOther = TextOnly("", Stage::kRun, Texts::kAny);

}  // namespace

std::span<const EventSignature> Events() { return kEvents; }

const EventSignature* FindEvent(std::string_view reason) {
  const std::span<const EventSignature> events = Events();
  const auto row =
      std::lower_bound(events.begin(), events.end(), reason,
                       [](const EventSignature& a, std::string_view b) {
                         return a.row.key < b;
                       });
  return row != events.end() && row->row.key == reason ? &*row : nullptr;
}

const EventSignature& OtherEvent() { return kOther; }

}  // namespace mulligan::demystify
