// Facts that are not one string in one field.
#include <algorithm>

#include "policy/base/characters.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature kSigns[] = {
    {"completed-but-restarted", v1::CONFIG_USER_ERROR, kLow, Tier::kConvention,
     kContainerWeight, kNoFlags,
     "the container completes and is started again because of its "
     "restartPolicy"},
    {"deletion-requested", v1::CANCELLED, kMedium, Tier::kSpecific, kPodWeight,
     kPeerEffect | kUnclearEndOnly,
     "somebody deleted the pod: a user or a controller; Kubernetes does not "
     "say who"},
    {"device-unhealthy", v1::GPU_FAULT, kMedium, Tier::kSpecific,
     kDisruptionWeight, kNoFlags,
     "a device given to the container is unhealthy"},
    {"failed-while-running", v1::UNKNOWN, kLow, Tier::kGeneric, kAbsenceWeight,
     kNoFlags, "the pod failed while its containers still count as running"},
    {"failed-without-status", v1::UNKNOWN, kLow, Tier::kGeneric, kAbsenceWeight,
     kNoFlags, "the pod failed without a reason and without container states"},
    {"helper-failed", v1::LAUNCHER_FAILED, kMedium, Tier::kSpecific,
     kContainerWeight, kNoFlags, "a helper container failed, not the workload"},
    {"init-failed", v1::LAUNCHER_FAILED, kMedium, Tier::kConvention,
     kContainerWeight, kNoFlags,
     "an init container failed; the main containers never ran", kApplication},
    {"init-incomplete", v1::LAUNCHER_FAILED, kLow, Tier::kGeneric, kPodWeight,
     kNoFlags, "init containers have not completed", kApplication},
    {"init-running", v1::NOT_FAILED, kLow, Tier::kHint, kPodWeight, kNoFlags,
     "an init container has been at work for long; whether it will end is not "
     "in the report"},
    {"liveness-failing", v1::PROBE_KILLED, kMedium, Tier::kSpecific,
     kContainerWeight, kUnclearEndOnly,
     "the liveness or startup probe failed before the container was killed"},
    {"memory-peak-at-limit", v1::CONTAINER_OOM, kMedium, Tier::kSpecific,
     kContainerWeight, kUnclearEndOnly,
     "memory use reached the container's limit before it was killed"},
    {"node-deleted", v1::DRAINED, kLow, Tier::kConvention, kDisruptionWeight,
     kUnclearEndOnly, "the node is being deleted"},
    {"object-alive", v1::NOT_FAILED, kHigh, Tier::kHint, kOperatorWeight,
     kNoFlags, "the work goes on"},
    {"object-deleted", v1::CANCELLED, kMedium, Tier::kSpecific, kOperatorWeight,
     kUnclearEndOnly, "the workload itself is being deleted"},
    {"pod-running", v1::NOT_FAILED, kHigh, Tier::kHint, kPodWeight, kNoFlags,
     "the pod is running"},
    {"pod-starting", v1::NOT_FAILED, kHigh, Tier::kHint, kPodWeight, kNoFlags,
     "the pod has not started yet, and is not late"},
    {"pods-active", v1::NOT_FAILED, kHigh, Tier::kHint, kOperatorWeight,
     kNoFlags, "its active pods go on"},
    {"policy-condition", v1::DECLARED_FATAL, kMedium, Tier::kConvention,
     kOperatorWeight, kNoFlags,
     "a FailJob rule of the Job's podFailurePolicy matched a pod condition"},
    {"policy-disruption", v1::DRAINED, kLow, Tier::kConvention, kOperatorWeight,
     kNoFlags,
     "a FailJob rule matched a disruption; which one is in the pod only"},
    {"ready-to-start-false", v1::SANDBOX_OR_MOUNT, kLow, Tier::kConvention,
     kPodWeight, kNoFlags,
     "the pod's sandbox or network is not up after a long time"},
    {"scheduling-gated", v1::SUSPENDED, kMedium, Tier::kSpecific, kPodWeight,
     kNoFlags, "a scheduling gate holds the pod"},
    {"spot-node-shutdown", v1::SPOT_RECLAIMED, kMedium, Tier::kDecisive,
     kDisruptionWeight, kNoFlags,
     "a node of spot or preemptible capacity went away"},
    {"still-starting", v1::START_TIMEOUT, kLow, Tier::kConvention,
     kAbsenceWeight, kNoFlags,
     "the pod has been starting for a long time without an error"},
    {"stuck-terminating", v1::HANG, kMedium, Tier::kSpecific, kPodWeight,
     kUnclearEndOnly, "the pod should have been gone long ago and still runs",
     kInfrastructure},
    {"suspend-requested", v1::SUSPENDED, kMedium, Tier::kSpecific, kQueueWeight,
     kNoFlags, "the workload is asked to be suspended"},
    {"terminated-by-kueue", v1::NODE_LOST, kMedium, Tier::kSpecific,
     kQueueWeight, kNoFlags,
     "Kueue gave the pod up because its node cannot run it"},
    {"unschedulable", v1::UNSCHEDULABLE, kHigh, Tier::kSpecific, kPodWeight,
     kNoFlags, "no node fits the pod"},
    {"unscheduled", v1::UNSCHEDULABLE, kMedium, Tier::kSpecific, kPodWeight,
     kNoFlags, "the pod has not been scheduled"},
    {"volume-claim-full", v1::STORAGE_EXHAUSTED, kMedium, Tier::kSpecific,
     kTextWeight, kNoFlags, "a persistent volume claim it writes to is full",
     kConfiguration},
    {"workload-pod-succeeded", v1::SUCCEEDED, kHigh, Tier::kSpecific,
     kContainerWeight, kNoFlags, "the main containers exited with code 0"},
};
static_assert(IsSorted(kSigns));

constexpr std::string_view kHelpers[] = {
    "autoscaler",
    "aws-for-fluent-bit",
    "cloud-sql-proxy",
    "cloudsql-proxy",
    "config-reloader",
    "consul-dataplane",
    "daprd",
    "datadog-agent",
    "envoy",
    "filebeat",
    "fluent-bit",
    "fluentbit",
    "fluentd",
    "flyte-copilot-downloader",
    "flyte-copilot-sidecar",
    "git-sync",
    "gke-gcsfuse-sidecar",
    "helper",
    "istio-init",
    "istio-proxy",
    "istio-validation",
    "jaeger-agent",
    "kube-rbac-proxy",
    "linkerd-init",
    "linkerd-proxy",
    "logs-collector",
    "metrics-exporter",
    "oauth-proxy",
    "otc-container",
    "otel-collector",
    "promtail",
    "queue-proxy",
    "ray-job-submitter",
    "reloader",
    "supervisor",
    "telegraf",
    "tensorboard",
    "vault-agent",
    "vault-agent-init",
    "vector",
    "wait",
    "xray-daemon",
};
static_assert(std::is_sorted(std::begin(kHelpers), std::end(kHelpers)));

}  // namespace

const Signature* FindSpecialSign(std::string_view key) {
  return Find(kSigns, key);
}

bool IsHelperContainer(std::string_view name) {
  const auto* found =
      std::lower_bound(std::begin(kHelpers), std::end(kHelpers), name);
  if (found != std::end(kHelpers) && *found == name) return true;
  return name.find("sidecar") != std::string_view::npos;
}

bool SavesOutputs(std::string_view name) {
  return name == "wait" || name == "flyte-copilot-sidecar";
}

bool SoundsLikeHelper(std::string_view name) {
  constexpr std::string_view kWords[] = {"exporter", "forwarder", "metrics",
                                         "proxy",    "shipper",   "telemetry"};
  return std::ranges::any_of(kWords, [name](std::string_view word) {
    return HoldsWhole(name, word, IsAlphanumeric);
  });
}

}  // namespace mulligan::demystify
