// Words of schedulers, CNI, CSI and volume controllers about a pod that has
// not started.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Placement(std::string_view keyword, const char* pattern,
                                  std::string_view name, v1::Cause cause,
                                  v1::Diagnosis::Confidence confidence,
                                  Weight weight, std::string_view meaning) {
  return {
      keyword,
      pattern,
      {name, cause, confidence, Tier::kSpecific, weight, kNoFlags, meaning}};
}

constexpr TextSignature kScheduling[] = {
    // The scheduler tries again on its own; says nothing about the pod.
    {"assumepod failed",
     nullptr,
     {"assume", v1::UNSCHEDULABLE, kLow, Tier::kHint, kPodWeight, kNoFlags,
      "the scheduler's cache was out of date"}},
    Placement("persistentvolumeclaim",
              "persistentvolumeclaim \"[^\"]*\" (not found|"
              "is being deleted)",
              "no-claim", v1::CONFIG_MISSING, kHigh, kPodWeight,
              "a volume claim the pod names does not exist"),
    // Who has to act follows from what the nodes lack: room comes back, a node
    // that is down is repaired, a constraint no node meets stays.
    Placement("nodes are available",
              "nodes are available.*(insufficient|too many pods|free ports|max "
              "volume count)",
              "no-room", v1::UNSCHEDULABLE, kHigh, kPodWeight,
              "no node has room for the pod"),
    Blaming(
        kInfrastructure,
        Placement("nodes are available",
                  "nodes are available.*node.kubernetes.io/(unreachable|not-"
                  "ready)",
                  "nodes-down", v1::UNSCHEDULABLE, kHigh, kPodWeight,
                  "nodes that could take the pod are down")),
    Placement(
        "nodes are available",
        "nodes are available.*(untolerated|had taint|were unschedulable|anti-"
        "affinity)",
        "nodes-closed", v1::UNSCHEDULABLE, kHigh, kPodWeight,
        "no node fits the pod"),
    Blaming(kConfiguration, kCannotRecover,
            Placement("nodes are available",
                      "nodes are available.*(didn't match|affinity conflict|no "
                      "available volume zone)",
                      "no-node-matches", v1::UNSCHEDULABLE, kHigh, kPodWeight,
                      "no node meets the pod's constraints")),
    Placement("nodes are available", "nodes are available", "no-node-fits",
              v1::UNSCHEDULABLE, kHigh, kPodWeight, "no node fits the pod"),
    Placement("no nodes available", nullptr, "no-nodes", v1::UNSCHEDULABLE,
              kHigh, kPodWeight, "there is no node to schedule pods on"),
    Placement("unbound immediate persistentvolumeclaims", nullptr,
              "unbound-claim", v1::UNSCHEDULABLE, kHigh, kPodWeight,
              "a volume claim is not bound"),
    Placement("gang unschedulable", nullptr, "gang", v1::UNSCHEDULABLE, kHigh,
              kPodWeight, "not all members of the gang fit"),
    Placement("podgroup",
              "pod ?group.{0,80}(not ready|unschedulable|minmember)",
              "pod-group", v1::UNSCHEDULABLE, kMedium, kPodWeight,
              "not all members of the gang fit"),
    Placement("insufficient ", nullptr, "insufficient", v1::UNSCHEDULABLE,
              kMedium, kPodWeight, "no node has enough of a resource"),
    Placement("didn't match", nullptr, "no-match", v1::UNSCHEDULABLE, kMedium,
              kPodWeight, "no node matches the pod's constraints"),
    Placement("untolerated taint", nullptr, "taints", v1::UNSCHEDULABLE,
              kMedium, kPodWeight, "the pod tolerates no node's taints"),
    Placement("cannot schedule pods", nullptr, "cannot-schedule",
              v1::UNSCHEDULABLE, kMedium, kPodWeight, "no node fits the pod"),
    Placement("didn't trigger scale-up", nullptr, "no-scale-up",
              v1::UNSCHEDULABLE, kMedium, kPodWeight,
              "no node group would fit the pod"),
};

constexpr TextSignature kMount[] = {
    Placement("secret",
              "secrets? \"[^\"]*\" not found|"
              "references non-existent secret key",
              "no-secret", v1::CONFIG_MISSING, kHigh, kContainerWeight,
              "a Secret the pod mounts does not exist"),
    Placement("configmap", "configmaps? \"[^\"]*\" not found", "no-config-map",
              v1::CONFIG_MISSING, kHigh, kContainerWeight,
              "a ConfigMap the pod mounts does not exist"),
    Placement("non-existent config key", nullptr, "no-config-key",
              v1::CONFIG_MISSING, kHigh, kContainerWeight,
              "a key the pod mounts does not exist"),
    Placement("persistentvolumeclaim",
              "persistentvolumeclaim \"[^\"]*\" not found", "no-claim",
              v1::CONFIG_MISSING, kHigh, kContainerWeight,
              "a volume claim the pod names does not exist"),
    Placement("storageclass", "storageclass.{0,60}not found",
              "no-storage-class", v1::CONFIG_MISSING, kMedium, kContainerWeight,
              "the storage class does not exist"),
    Placement("hostpath type check failed", nullptr, "host-path",
              v1::CONFIG_MISSING, kHigh, kContainerWeight,
              "a hostPath is missing on the node or of another type"),
    Placement("serviceaccount", "serviceaccounts? \"[^\"]*\" not found",
              "no-service-account", v1::CONFIG_MISSING, kMedium,
              kContainerWeight, "the pod's service account does not exist"),
    // Set up with the node, often some minutes later.
    Placement("no runtime for", nullptr, "runtime-class", v1::SANDBOX_OR_MOUNT,
              kMedium, kContainerWeight,
              "the node does not have the pod's runtime class"),
    Placement("runtime handler", nullptr, "runtime-handler",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "the node does not have the pod's runtime class"),
    Placement("multi-attach error", nullptr, "multi-attach",
              v1::SANDBOX_OR_MOUNT, kHigh, kContainerWeight,
              "the volume is still attached elsewhere"),
    Placement("to attach/mount", nullptr, "attach-or-mount",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "volumes were not attached in time"),
    Placement("unable to attach or mount volumes", nullptr, "mount-volumes",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "volumes were not mounted in time"),
    Placement("unable to mount volumes", nullptr, "mount-volumes-old",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "volumes were not mounted in time"),
    Blaming(
        kConfiguration, kCannotRecover,
        Placement(
            "mount",
            "(mount|mounting)[^\\n]{0,400}(access denied by server|no such "
            "file or directory|wrong fs type|permission denied|invalid "
            "argument|bad option)",
            "mount-refused", v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
            "what the volume names is not there or may not be mounted")),
    Placement("attachvolume", nullptr, "attach", v1::SANDBOX_OR_MOUNT, kHigh,
              kContainerWeight, "a volume could not be attached"),
    Placement("mountvolume", nullptr, "mount", v1::SANDBOX_OR_MOUNT, kHigh,
              kContainerWeight, "a volume could not be mounted"),
    Placement("mountdevice failed", nullptr, "mount-device",
              v1::SANDBOX_OR_MOUNT, kHigh, kContainerWeight,
              "a volume could not be mounted"),
    Placement("mount failed", nullptr, "mount-failed", v1::SANDBOX_OR_MOUNT,
              kMedium, kContainerWeight, "a volume could not be mounted"),
    Placement("pod sandbox",
              "(create|setup|set up|kill|start).{0,40}pod sandbox", "sandbox",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "the pod's sandbox could not be created"),
    Placement("createpodsandbox", nullptr, "create-sandbox",
              v1::SANDBOX_OR_MOUNT, kHigh, kContainerWeight,
              "the pod's sandbox could not be created"),
    Placement("cni", "\\bcni\\b", "cni", v1::SANDBOX_OR_MOUNT, kMedium,
              kContainerWeight, "the pod's network could not be set up"),
    Placement("sandbox container", nullptr, "sandbox-container",
              v1::SANDBOX_OR_MOUNT, kMedium, kContainerWeight,
              "the pod's sandbox could not be created"),
    Placement("assign an ip address", nullptr, "no-ip", v1::SANDBOX_OR_MOUNT,
              kHigh, kContainerWeight, "the pod got no IP address"),
    Placement("no ip addresses available", nullptr, "no-ips",
              v1::SANDBOX_OR_MOUNT, kHigh, kContainerWeight,
              "the pod got no IP address"),
    Placement("sandbox image", nullptr, "sandbox-image", v1::SANDBOX_OR_MOUNT,
              kMedium, kContainerWeight, "the sandbox's own image is missing"),
    Placement("volume",
              "(failed|timed out|timeout|error).{0,80}volume|"
              "volume.{0,80}(failed|timed out|timeout)",
              "volume", v1::SANDBOX_OR_MOUNT, kLow, kContainerWeight,
              "a volume is in trouble"),
};

}  // namespace

const TextTable& SchedulingTexts() {
  static const TextTable* const table =
      new TextTable("scheduling", kScheduling);
  return *table;
}

const TextTable& MountTexts() {
  static const TextTable* const table = new TextTable("mount", kMount);
  return *table;
}

}  // namespace mulligan::demystify
