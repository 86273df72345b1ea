#include "policy/demystify/causes.h"

#include <cstddef>
#include <iterator>

namespace mulligan {
namespace {

using D = v1::Diagnosis;
using G = GangClass;
// Nobody asks whether it recovers; the cause does not say.
constexpr auto kUnasked = D::OUTLOOK_UNSPECIFIED;
constexpr auto kUnsaid = D::OUTLOOK_UNKNOWN;

constexpr Alternative kCancelledOr[] = {
    {v1::PREEMPTED_QUEUE, Part::kWorkload,
     "the queue did not evict the workload", "the Kueue Workload of %",
     "whether the queue deleted the pod"},
    {v1::DRAINED, Part::kNodes, "the node shows no sign of being removed",
     "the node of %", "whether the node was being removed"},
};
constexpr Alternative kNodeLostOr[] = {
    {v1::SPOT_RECLAIMED, Part::kNodes,
     "the node does not count as spot capacity", "the node of %",
     "whether the machine was taken back"},
    {v1::CONTAINER_OOM, Part::kEvents, "no event speaks of memory",
     "events of %", "what happened on the node"},
};
constexpr Alternative kNodePressureEvictedOr[] = {
    {v1::STORAGE_EXHAUSTED, Part::kEvents,
     "no event names a storage limit of the pod", "events of %",
     "whether the node or the pod's own limit was exceeded"},
};
constexpr Alternative kApiTransientOr[] = {
    {v1::CREATE_REJECTED, Part::kMessage, "the message names no refusal",
     "the API server's answer", "whether the object was refused"},
};
constexpr Alternative kImageInvalidOr[] = {
    {v1::IMAGE_PULL_TRANSIENT, Part::kEvents,
     "no event names an outage or a rate limit", "events of %",
     "the registry's answer: wrong name, credentials or outage"},
    {v1::IMAGE_DENIED, Part::kEvents, "no event names credentials",
     "events of %", "the registry's answer: wrong name, credentials or outage"},
};
constexpr Alternative kImagePullTransientOr[] = {
    {v1::IMAGE_INVALID, Part::kEvents,
     "no event says that the image does not exist", "events of %",
     "the registry's answer: wrong name, credentials or outage"},
};
constexpr Alternative kStartTimeoutOr[] = {
    {v1::UNSCHEDULABLE, Part::kPods, "no pod waits for a node", "the pods of %",
     "why they did not become ready"},
    {v1::SANDBOX_OR_MOUNT, Part::kEvents, "no event names a volume or network",
     "events of %", "what the pods wait for"},
};
constexpr Alternative kDeadlinePodOr[] = {
    {v1::APP_ERROR, Part::kMessage, "the message names no error",
     "the end of the log of %", "whether the program failed by itself"},
};
constexpr Alternative kHangOr[] = {
    {v1::COLLECTIVE_CASCADE, Part::kOwner, "no member has a cause of its own",
     "all pods of %", "whether a member that is not in the report died first"},
};
constexpr Alternative kConfigUserErrorOr[] = {
    {v1::APP_ERROR, Part::kMessage,
     "the message does not contradict the exit code", "the end of the log of %",
     "whether arguments or program are wrong"},
};
constexpr Alternative kCollectiveCascadeOr[] = {
    {v1::NODE_LOST, Part::kOwner, "no member has a cause of its own",
     "all pods of %", "which member died first: it is not in the report"},
    {v1::FABRIC_FAULT, Part::kNodes, "no node shows a fault", "the nodes of %",
     "whether the interconnect failed"},
};
constexpr Alternative kRendezvousFailedOr[] = {
    {v1::UNSCHEDULABLE, Part::kOwner, "no member waits for a node",
     "all pods of %", "whether a member never started"},
};
constexpr Alternative kLauncherFailedOr[] = {
    {v1::APP_ERROR, Part::kPods, "the workload itself did not fail",
     "the pods of %", "whether the workload or its helper failed"},
};
constexpr Alternative kControllerErrorOr[] = {
    {v1::APP_ERROR, Part::kPods, "the pods did not fail", "the pods of %",
     "whether the workload itself failed"},
};
constexpr Alternative kSigtermUnexplainedOr[] = {
    {v1::PREEMPTED_QUEUE, Part::kWorkload,
     "the queue did not evict the workload", "the Kueue Workload of %",
     "whether the queue preempted it"},
    {v1::DRAINED, Part::kNodes, "the node shows no sign of being removed",
     "the node of %", "whether the node was drained, shut down or lost"},
    {v1::PROBE_KILLED, Part::kEvents, "no event speaks of a failed probe",
     "events of %", "whether a probe failed or somebody stopped the pod"},
    {v1::SUSPENDED, Part::kOwner, "the owner is not suspended",
     "the Job or custom resource that owns %",
     "whether it was suspended or deleted"},
};
constexpr Alternative kSigkillUnexplainedOr[] = {
    {v1::CONTAINER_OOM, Part::kUsage, "memory use stayed below the limit",
     "peak memory of %",
     "whether the container reached its limit: some "
     "runtimes do not report OOMKilled"},
    {v1::HOST_OOM, Part::kNodes, "the node shows no memory trouble",
     "the node of %", "whether the node ran out of memory or was lost"},
    {v1::PROBE_KILLED, Part::kEvents,
     "no event speaks of a failed probe or of memory", "events of %",
     "whether a probe failed or the kernel killed it"},
    {v1::PREEMPTED_QUEUE, Part::kWorkload,
     "the queue did not evict the workload", "the Kueue Workload of %",
     "whether the queue preempted it"},
};
constexpr Alternative kAppErrorOr[] = {
    {v1::CONFIG_USER_ERROR, Part::kMessage,
     "the message names no wrong argument or setting",
     "the end of the log of %", "what the program failed of"},
    {v1::CONTAINER_OOM, Part::kPods, "no container was killed for memory",
     "the pods of %", "how the containers ended"},
};
constexpr Alternative kUnknownOr[] = {
    {v1::NODE_LOST, Part::kNodes, "the node looks healthy", "the node of %",
     "whether the node was lost"},
    {v1::DRAINED, Part::kEvents, "no event speaks of a disruption",
     "events of %", "what happened to the pod"},
    {v1::APP_ERROR, Part::kPods, "no container failed", "the pods of %",
     "how the containers ended"},
};

// In the order of their numbers, so that a number finds its row.
constexpr CauseRow kCauses[] = {
    {v1::STALE_REPORT, 1, D::NONE, kUnasked, G::kOwn, kNoHistory},
    {v1::SUCCEEDED, 2, D::NONE, kUnasked, G::kOwn, kNoHistory},
    {v1::CANCELLED, 3, D::NONE, kUnasked, G::kOwn, kNoHistory, kCancelledOr},
    {v1::SUSPENDED, 4, D::QUEUE, kUnasked, G::kDisruption, kNoHistory},
    {v1::PREEMPTED_QUEUE, 5, D::QUEUE, D::RECOVERS, G::kDisruption, kNoHistory},
    {v1::PREEMPTED_SCHEDULER, 6, D::DISRUPTION, D::RECOVERS, G::kDisruption,
     kNoHistory},
    {v1::SPOT_RECLAIMED, 7, D::DISRUPTION, D::RECOVERS, G::kDisruption,
     kNoHistory},
    {v1::DRAINED, 8, D::DISRUPTION, D::RECOVERS, G::kDisruption, kNoHistory},
    {v1::TAINT_EVICTED, 9, D::DISRUPTION, D::RECOVERS, G::kDisruption,
     kNoHistory},
    {v1::NODE_SHUTDOWN, 10, D::DISRUPTION, D::RECOVERS, G::kDisruption,
     kNoHistory},
    {v1::NODE_LOST, 11, D::INFRASTRUCTURE, D::RECOVERS, G::kHardware,
     kOfNode | kShared, kNodeLostOr},
    {v1::NODE_PRESSURE_EVICTED, 12, D::INFRASTRUCTURE, D::RECOVERS,
     G::kDisruption, kOfNode, kNodePressureEvictedOr},
    {v1::GPU_FAULT, 13, D::INFRASTRUCTURE, D::RECOVERS, G::kHardware,
     kOfNode | kOfJob},
    {v1::FABRIC_FAULT, 14, D::INFRASTRUCTURE, D::RECOVERS, G::kHardware,
     kOfNode | kShared},
    {v1::DEVICE_ADMISSION, 15, D::INFRASTRUCTURE, D::RECOVERS, G::kDisruption,
     kOfNode | kShared},
    {v1::CREATE_REJECTED, 16, D::CONFIGURATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats},
    {v1::CREATE_CONFLICT, 17, D::CONTROL_PLANE, D::RECOVERS, G::kOwn,
     kNoHistory},
    {v1::QUOTA_EXCEEDED, 18, D::QUEUE, D::RECOVERS, G::kOwn, kNoHistory},
    {v1::API_TRANSIENT, 19, D::CONTROL_PLANE, D::RECOVERS, G::kOwn, kShared,
     kApiTransientOr},
    {v1::UNSCHEDULABLE, 20, D::QUEUE, D::MAY_RECOVER, G::kOwn, kNoHistory},
    {v1::IMAGE_INVALID, 21, D::CONFIGURATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats, kImageInvalidOr},
    {v1::IMAGE_DENIED, 22, D::CONFIGURATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats | kShared},
    {v1::IMAGE_PULL_TRANSIENT, 23, D::INFRASTRUCTURE, D::RECOVERS, G::kOwn,
     kShared, kImagePullTransientOr},
    {v1::CONFIG_MISSING, 24, D::CONFIGURATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats},
    {v1::SANDBOX_OR_MOUNT, 25, D::INFRASTRUCTURE, D::MAY_RECOVER, G::kOwn,
     kOfNode | kShared},
    {v1::START_TIMEOUT, 26, D::QUEUE, D::MAY_RECOVER, G::kOwn, kShared,
     kStartTimeoutOr},
    {v1::CONTAINER_OOM, 27, D::RESOURCE_LIMIT, D::CANNOT_RECOVER, G::kMemory,
     kRepeats},
    {v1::HOST_OOM, 28, D::INFRASTRUCTURE, D::RECOVERS, G::kMemory,
     kOfNode | kOfJob},
    {v1::GPU_OOM, 29, D::RESOURCE_LIMIT, D::CANNOT_RECOVER, G::kMemory,
     kRepeats},
    {v1::STORAGE_EXHAUSTED, 30, D::RESOURCE_LIMIT, D::CANNOT_RECOVER,
     G::kMemory, kRepeats},
    {v1::DEADLINE_POD, 31, D::DEADLINE, D::CANNOT_RECOVER, G::kOwn, kRepeats,
     kDeadlinePodOr},
    {v1::DEADLINE_JOB, 32, D::DEADLINE, D::CANNOT_RECOVER, G::kOwn, kNoHistory},
    {v1::HANG, 33, D::APPLICATION, D::MAY_RECOVER, G::kOwn,
     kRepeats | kOfNode | kOfJob | kShared, kHangOr},
    {v1::PROBE_KILLED, 34, D::APPLICATION, D::MAY_RECOVER, G::kOwn, kRepeats},
    {v1::CONFIG_USER_ERROR, 35, D::CONFIGURATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats, kConfigUserErrorOr},
    {v1::DECLARED_FATAL, 36, D::APPLICATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats},
    {v1::DECLARED_RETRYABLE, 37, D::APPLICATION, D::RECOVERS, G::kOwn,
     kNoHistory},
    {v1::CRASH_SIGNAL, 38, D::APPLICATION, D::MAY_RECOVER, G::kOwn,
     kRepeats | kOfNode | kOfJob},
    {v1::DEPENDENCY_UNAVAILABLE, 39, D::INFRASTRUCTURE, D::RECOVERS, G::kOwn,
     kShared},
    {v1::DATA_OR_NUMERIC, 40, D::APPLICATION, D::CANNOT_RECOVER, G::kOwn,
     kRepeats},
    {v1::COLLECTIVE_CASCADE, 41, D::INFRASTRUCTURE, kUnsaid, G::kEcho,
     kNoHistory, kCollectiveCascadeOr},
    {v1::RENDEZVOUS_FAILED, 42, D::INFRASTRUCTURE, D::MAY_RECOVER, G::kEcho,
     kShared, kRendezvousFailedOr},
    {v1::LAUNCHER_FAILED, 43, D::CONTROL_PLANE, D::MAY_RECOVER, G::kOwn,
     kShared, kLauncherFailedOr},
    {v1::CONTROLLER_ERROR, 44, D::CONTROL_PLANE, D::RECOVERS, G::kOwn, kShared,
     kControllerErrorOr},
    {v1::SIGTERM_UNEXPLAINED, 45, D::DISRUPTION, kUnsaid, G::kUnexplained,
     kNoHistory, kSigtermUnexplainedOr},
    {v1::SIGKILL_UNEXPLAINED, 46, D::INFRASTRUCTURE, kUnsaid, G::kUnexplained,
     kShared, kSigkillUnexplainedOr},
    {v1::APP_ERROR, 47, D::APPLICATION, kUnsaid, G::kOwn, kRepeats,
     kAppErrorOr},
    {v1::UNKNOWN, 48, D::INFRASTRUCTURE, kUnsaid, G::kUnexplained, kShared,
     kUnknownOr},
    {v1::NOT_FAILED, 49, D::NONE, kUnasked, G::kOwn, kNoHistory},
};

// A cause without a row does not compile, nor do two causes of one rank.
constexpr bool IsComplete() {
  if (std::size(kCauses) != v1::Cause_MAX) return false;
  std::uint64_t ranks = 0;
  for (std::size_t i = 0; i < std::size(kCauses); ++i) {
    if (static_cast<std::size_t>(kCauses[i].cause) != i + 1) return false;
    ranks |= std::uint64_t{1} << (kCauses[i].rank - 1);
  }
  return ranks == (std::uint64_t{1} << std::size(kCauses)) - 1;
}
static_assert(IsComplete());

}  // namespace

const CauseRow& RowOf(v1::Cause cause) {
  const int number = static_cast<int>(cause);
  const bool known = number > 0 && number <= v1::Cause_MAX;
  return kCauses[(known ? number : static_cast<int>(v1::UNKNOWN)) - 1];
}

}  // namespace mulligan
