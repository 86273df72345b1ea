// Kueue's configuration of failure handling: releases, feature gates, and
// waitForPodsReady of config.kueue.x-k8s.io/v1beta2.
#ifndef MULLIGAN_POLICY_NATIVE_KUEUE_SETTINGS_H_
#define MULLIGAN_POLICY_NATIVE_KUEUE_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/release.h"

namespace mulligan::kueue {

// Differences that change the outcome of a failure. Defaults: Kueue 0.19.
struct Gates {
  // SkipReassignmentForPodOwnedWorkloads: a preempted workload of a single pod
  // is not requeued, because its pod cannot come back.
  bool skip_pod_owned_workloads = true;
  // DisableWaitForPodsReady (alpha): no readiness timeouts.
  bool disable_wait_for_pods_ready = false;
  // UnadmittedWorkloadsObservability: fine-grained reasons of QuotaReserved.
  bool unadmitted_observability = false;
  // TASReplaceNodeOnPodTermination; off: nodes are judged without their pods.
  bool replace_node_on_pod_termination = true;
  // TASReplaceNodeOnNodeTaints: taints that the pods do not tolerate count.
  bool replace_node_on_taints = true;
  // TASReplaceNodeDueToNotReadyOverFixedTime (deprecated): NotReady for 30 s is
  // enough, regardless of the pods.
  bool replace_node_after_fixed_time = false;
  // TASFailedNodeReplacementFailFast: evicts at once if no node can take over.
  bool fail_fast_without_replacement = true;
  // Not a gate: reactivating a workload that Kueue deactivated requeues it
  // (kueue#14870). Until 0.19, only one that a user deactivated.
  bool reactivates_own_deactivations = false;
};

// Kueue's delay before the n-th try, which doubles each time (pkg/util/wait of
// Kueue 0.19, over the backoff of k8s.io/apimachinery).
struct Backoff {
  absl::Duration base;
  // Applies from the second try on; the first always waits `base`. Zero or
  // less: only the range of Go's durations bounds the delay.
  absl::Duration cap;
};
inline constexpr int kBackoffFactor = 2;
// Maximum random share added to the delay, after the cap.
inline constexpr double kBackoffJitter = 0.0001;

// Returns the delay before try `n`, without jitter; 0 for n <= 0.
absl::Duration WaitBefore(std::int64_t n, const Backoff& backoff);

// Returns `cap`, or Go's largest duration divided by the factor if there is
// none.
absl::Duration EffectiveCap(const Backoff& backoff);

// The block as written.
struct WaitForPodsReadyConfig {
  std::optional<absl::Duration> timeout;
  std::optional<absl::Duration> recovery_timeout;
  // "Eviction" or "Creation".
  std::optional<std::string> timestamp;
  // Absent: no limit.
  std::optional<std::int64_t> backoff_limit_count;
  std::optional<std::int64_t> backoff_base_seconds;
  std::optional<std::int64_t> backoff_max_seconds;
};

// Returns the errors with which Kueue refuses to start.
FieldErrors ValidateWaitForPodsReady(const WaitForPodsReadyConfig& config);

// The block as the controllers use it.
struct WaitForPodsReady {
  absl::Duration timeout;
  // Absent: no limit on waiting for a workload that lost readiness.
  std::optional<absl::Duration> recovery_timeout;
  std::optional<std::int64_t> backoff_limit_count;
  Backoff backoff;
};

// Applies Kueue's defaults: timeout 30m, recoveryTimeout as timeout, base 60 s,
// max 3600 s. recoveryTimeout 0 disables it.
WaitForPodsReady Effective(const WaitForPodsReadyConfig& config);

// Kueue as a policy describes it.
struct Settings {
  Gates gates;
  // From settings "kueue.waitForPodsReady.<member>" and
  // "kueue.waitForPodsReady.requeuingStrategy.<member>"; absent: the defaults.
  WaitForPodsReady wait_for_pods_ready;
  // stopPolicy of the queues, from "kueue.clusterQueue.stopPolicy" and
  // "kueue.localQueue.stopPolicy"; empty if unknown.
  std::string cluster_queue_stop_policy;
  std::string local_queue_stop_policy;
};

// Returns the gates of versions["kueue"] ("0.18", "v0.18.2"; absent: 0.19),
// changed by feature_gates and settings. Skips unusable releases and values
// with a warning.
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_SETTINGS_H_
