// Other readings of ambiguous causes, for their rows in causes.cc.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CAUSE_ALTERNATIVES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CAUSE_ALTERNATIVES_H_

#include <cstdint>
#include <string_view>

#include "mulligan/v1/cause.pb.h"

namespace mulligan {

// Parts of a report that may be missing.
enum class Part : std::uint8_t {
  kNodes,
  kEvents,
  kWorkload,
  kUsage,
  kMessage,
  kPods,
  kOwner,
  // How members of the gang end that run still.
  kEnds,
};

// Another reading of an ambiguous cause. When `part` is in the report, the
// reading was ruled out with `why_not`; when it is missing, `what` is worth
// fetching.
struct Alternative {
  v1::Cause other;
  Part part;
  std::string_view why_not;
  // "%" stands for the name of pod, node or workload.
  std::string_view what;
  std::string_view why;
};

inline constexpr Alternative kCancelledOr[] = {
    {v1::PREEMPTED_QUEUE, Part::kWorkload,
     "the queue did not evict the workload", "the Kueue Workload of %",
     "whether the queue deleted the pod"},
    {v1::DRAINED, Part::kNodes, "the node shows no sign of being removed",
     "the node of %", "whether the node was being removed"},
};
inline constexpr Alternative kNodeLostOr[] = {
    {v1::SPOT_RECLAIMED, Part::kNodes,
     "the node does not count as spot capacity", "the node of %",
     "whether the machine was taken back"},
    {v1::CONTAINER_OOM, Part::kEvents, "no event speaks of memory",
     "events of %", "what happened on the node"},
};
inline constexpr Alternative kNodePressureEvictedOr[] = {
    {v1::STORAGE_EXHAUSTED, Part::kEvents,
     "no event names a storage limit of the pod", "events of %",
     "whether the node or the pod's own limit was exceeded"},
};
inline constexpr Alternative kApiTransientOr[] = {
    {v1::CREATE_REJECTED, Part::kMessage, "the message names no refusal",
     "the API server's answer", "whether the object was refused"},
};
inline constexpr Alternative kImageInvalidOr[] = {
    {v1::IMAGE_PULL_TRANSIENT, Part::kEvents,
     "no event names an outage or a rate limit", "events of %",
     "the registry's answer: wrong name, credentials or outage"},
    {v1::IMAGE_DENIED, Part::kEvents, "no event names credentials",
     "events of %", "the registry's answer: wrong name, credentials or outage"},
};
inline constexpr Alternative kImagePullTransientOr[] = {
    {v1::IMAGE_INVALID, Part::kEvents,
     "no event says that the image does not exist", "events of %",
     "the registry's answer: wrong name, credentials or outage"},
};
inline constexpr Alternative kStartTimeoutOr[] = {
    {v1::UNSCHEDULABLE, Part::kPods, "no pod waits for a node", "the pods of %",
     "why they did not become ready"},
    {v1::SANDBOX_OR_MOUNT, Part::kEvents, "no event names a volume or network",
     "events of %", "what the pods wait for"},
};
inline constexpr Alternative kDeadlinePodOr[] = {
    {v1::APP_ERROR, Part::kMessage, "the message names no error",
     "the end of the log of %", "whether the program failed by itself"},
};
inline constexpr Alternative kHangOr[] = {
    {v1::COLLECTIVE_CASCADE, Part::kOwner, "no member has a cause of its own",
     "all pods of %", "whether a member that is not in the report died first"},
};
inline constexpr Alternative kConfigUserErrorOr[] = {
    {v1::APP_ERROR, Part::kMessage,
     "the message does not contradict the exit code", "the end of the log of %",
     "whether arguments or program are wrong"},
};
inline constexpr Alternative kCollectiveCascadeOr[] = {
    // Whoever tells of an end may be the first to be heard, not the first to
    // die.
    {v1::NODE_LOST, Part::kEnds, "no member has a cause of its own",
     "how the members end that run still", "which of them died first"},
    {v1::NODE_LOST, Part::kOwner, "no member has a cause of its own",
     "all pods of %", "which member died first: it is not in the report"},
    {v1::FABRIC_FAULT, Part::kNodes, "no node shows a fault", "the nodes of %",
     "whether the interconnect failed"},
};
inline constexpr Alternative kRendezvousFailedOr[] = {
    {v1::UNSCHEDULABLE, Part::kOwner, "no member waits for a node",
     "all pods of %", "whether a member never started"},
};
inline constexpr Alternative kLauncherFailedOr[] = {
    {v1::APP_ERROR, Part::kPods, "the workload itself did not fail",
     "the pods of %", "whether the workload or its helper failed"},
};
inline constexpr Alternative kControllerErrorOr[] = {
    {v1::APP_ERROR, Part::kPods, "the pods did not fail", "the pods of %",
     "whether the workload itself failed"},
};
inline constexpr Alternative kSigtermUnexplainedOr[] = {
    {v1::DRAINED, Part::kNodes, "the node shows no sign of being removed",
     "the node of %", "whether the node was drained, shut down or lost"},
    {v1::PROBE_KILLED, Part::kEvents, "no event speaks of a failed probe",
     "events of %", "whether a probe failed or somebody stopped the pod"},
    {v1::SUSPENDED, Part::kOwner, "the owner is not suspended",
     "the Job or custom resource that owns %",
     "whether it was suspended or deleted"},
    {v1::PREEMPTED_QUEUE, Part::kWorkload,
     "the queue did not evict the workload", "the Kueue Workload of %",
     "whether the queue preempted it"},
};
inline constexpr Alternative kSigkillUnexplainedOr[] = {
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
inline constexpr Alternative kAppErrorOr[] = {
    {v1::CONFIG_USER_ERROR, Part::kMessage,
     "the message names no wrong argument or setting",
     "the end of the log of %", "what the program failed of"},
    {v1::CONTAINER_OOM, Part::kPods, "no container was killed for memory",
     "the pods of %", "how the containers ended"},
};
inline constexpr Alternative kUnknownOr[] = {
    {v1::NODE_LOST, Part::kNodes, "the node looks healthy", "the node of %",
     "whether the node was lost"},
    {v1::DRAINED, Part::kEvents, "no event speaks of a disruption",
     "events of %", "what happened to the pod"},
    {v1::APP_ERROR, Part::kPods, "no container failed", "the pods of %",
     "how the containers ended"},
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CAUSE_ALTERNATIVES_H_
