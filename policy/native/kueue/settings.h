// Kueue's configuration as far as it decides about failures: releases, feature
// gates, and the block waitForPodsReady of config.kueue.x-k8s.io/v1beta2.
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

// What changes the outcome of a failure, with the defaults of Kueue 0.19.
struct Gates {
  // SkipReassignmentForPodOwnedWorkloads: a preempted workload of a single pod
  // is not queued again, since its pod will not come back.
  bool skip_pod_owned_workloads = true;
  // DisableWaitForPodsReady (alpha): no readiness timeouts at all.
  bool disable_wait_for_pods_ready = false;
  // UnadmittedWorkloadsObservability: fine-grained reasons of QuotaReserved.
  bool unadmitted_observability = false;
  // TASReplaceNodeOnPodTermination. Off: nodes are judged without a look at the
  // pods.
  bool replace_node_on_pod_termination = true;
  // TASReplaceNodeOnNodeTaints: taints the pods do not tolerate count.
  bool replace_node_on_taints = true;
  // TASReplaceNodeDueToNotReadyOverFixedTime (deprecated): NotReady for 30 s is
  // enough, whatever the pods do.
  bool replace_node_after_fixed_time = false;
  // TASFailedNodeReplacementFailFast: evicted at once when no node can take
  // over.
  bool fail_fast_without_replacement = true;
  // No gate: a workload that Kueue deactivated is queued again when it is made
  // active (kueue#14870). Until 0.19 only one that a user deactivated.
  bool reactivates_own_deactivations = false;
};

// How long Kueue waits before the n-th try (pkg/util/wait of Kueue 0.19, over
// the backoff of k8s.io/apimachinery): twice as long as before the last one.
struct Backoff {
  absl::Duration base;
  // No more than this from the second try on: the first one always waits
  // `base`. Zero or less: no cap, only what fits Go's durations.
  absl::Duration cap;
};
inline constexpr int kBackoffFactor = 2;
// Share of the wait that is added at random, after the cap.
inline constexpr double kBackoffJitter = 0.0001;

// The wait before try `n`, without jitter; 0 before try 0 and earlier.
absl::Duration WaitBefore(std::int64_t n, const Backoff& backoff);

// The cap in force: `cap`, or Go's largest duration divided by the factor.
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

// What Kueue refuses to start with.
FieldErrors ValidateWaitForPodsReady(const WaitForPodsReadyConfig& config);

// The block as the controllers use it.
struct WaitForPodsReady {
  absl::Duration timeout;
  // Absent: a workload that lost readiness is waited for without limit.
  std::optional<absl::Duration> recovery_timeout;
  std::optional<std::int64_t> backoff_limit_count;
  Backoff backoff;
};

// With Kueue's defaults: timeout 30m, recoveryTimeout as timeout, base 60 s,
// max 3600 s. recoveryTimeout 0 switches it off.
WaitForPodsReady Effective(const WaitForPodsReadyConfig& config);

// Kueue as a policy describes it.
struct Settings {
  Gates gates;
  // From settings "kueue.waitForPodsReady.<member>" and
  // "kueue.waitForPodsReady.requeuingStrategy.<member>"; absent: the defaults.
  WaitForPodsReady wait_for_pods_ready;
  // stopPolicy of the queues, from "kueue.clusterQueue.stopPolicy" and
  // "kueue.localQueue.stopPolicy"; empty: not known.
  std::string cluster_queue_stop_policy;
  std::string local_queue_stop_policy;
};

// Gates of the release versions["kueue"] ("0.18", "v0.18.2"; absent: 0.19),
// then feature_gates by name, and settings. A release or value that cannot be
// used is passed over with a warning that names it.
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_NATIVE_KUEUE_SETTINGS_H_
