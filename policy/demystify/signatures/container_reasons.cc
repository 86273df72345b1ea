// Reasons of terminated and of waiting containers, by kubelet and runtimes.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature kTerminated[] = {
    {"ContainerCannotRun", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "the runtime could not start the container (docker)"},
    {"ContainerStatusUnknown", v1::NODE_LOST, kLow, Tier::kGeneric,
     kContainerWeight, kNoFlags,
     "the kubelet lost sight of the container; exit code 137 is a "
     "placeholder"},
    {"OOMKilled", v1::CONTAINER_OOM, kHigh, Tier::kDecisive, kContainerWeight,
     kNoFlags,
     "the kernel killed a process of the container at its memory "
     "limit"},
    {"StartError", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "the runtime created the container but could not start it"},
    {"Unknown", v1::NODE_LOST, kMedium, Tier::kSpecific, kContainerWeight,
     kNoFlags, "the runtime lost the container: it or the node was restarted"},
    {"seccomp killed", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "killed for a system call that its seccomp profile forbids"},
};
static_assert(IsSorted(kTerminated));

constexpr Signature kWaiting[] = {
    {"ConfigPodSandboxError", v1::SANDBOX_OR_MOUNT, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the pod's sandbox could not be configured"},
    {"CrashLoopBackOff", v1::APP_ERROR, kLow, Tier::kGeneric, kContainerWeight,
     kNoFlags, "the container keeps failing; how is in its last state"},
    {"CreateContainerConfigError", v1::CONFIG_MISSING, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "a ConfigMap, Secret or security setting the container needs is missing "
     "or wrong"},
    {"CreateContainerError", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the runtime refused to create the container"},
    {"CreatePodSandboxError", v1::SANDBOX_OR_MOUNT, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the pod's sandbox could not be created"},
    {"ErrImageNeverPull", v1::IMAGE_INVALID, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "the image is not on the node and may not be pulled"},
    {"ErrImagePull", v1::IMAGE_INVALID, kLow, Tier::kConvention,
     kContainerWeight, kNoFlags,
     "the image could not be pulled; wrong name, credentials and outage look "
     "alike here"},
    {"ImageInspectError", v1::IMAGE_PULL_TRANSIENT, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the node's image store is broken"},
    {"ImagePullBackOff", v1::IMAGE_INVALID, kLow, Tier::kConvention,
     kContainerWeight, kNoFlags,
     "the image could not be pulled; wrong name, credentials and outage look "
     "alike here"},
    {"ImageVolumeMountFailed", v1::CONFIG_MISSING, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "an image volume could not be mounted"},
    {"InvalidImageName", v1::IMAGE_INVALID, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the image reference does not parse"},
    {"KillContainerError", v1::SANDBOX_OR_MOUNT, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the runtime could not end the container"},
    {"KillPodSandboxError", v1::SANDBOX_OR_MOUNT, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the runtime could not end the pod's sandbox"},
    {"PostStartHookError", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the container's postStart hook failed"},
    {"PreCreateHookError", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "a hook before the container's creation "
     "failed"},
    {"PreStartHookError", v1::CONFIG_USER_ERROR, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "a hook before the container's start failed"},
    {"RROUnsupported", v1::CONFIG_MISSING, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags,
     "the node does not support recursive read-only mounts"},
    {"RegistryUnavailable", v1::IMAGE_PULL_TRANSIENT, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the registry did not answer"},
    {"RunContainerError", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the container could not be started"},
    {"SecurityProfileInvalid", v1::CONFIG_MISSING, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "a security profile is missing or invalid"},
    {"SignatureValidationFailed", v1::IMAGE_DENIED, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the image's signature was refused"},
};
static_assert(IsSorted(kWaiting));

}  // namespace

std::span<const Signature> TerminatedReasons() { return kTerminated; }
std::span<const Signature> WaitingReasons() { return kWaiting; }

const Signature* FindTerminatedReason(std::string_view reason) {
  return Find(TerminatedReasons(), reason);
}

const Signature* FindWaitingReason(std::string_view reason) {
  return Find(WaitingReasons(), reason);
}

}  // namespace mulligan::demystify
