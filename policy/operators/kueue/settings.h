// Kueue's configuration as far as it decides about failures: the block
// waitForPodsReady of config.kueue.x-k8s.io/v1beta2.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/native.pb.h"
#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/kueue/backoff.h"

namespace mulligan::kueue {

// The block as written. Absent members get their defaults from SetDefaults.
struct WaitForPodsReadyConfig {
  std::optional<absl::Duration> timeout;
  std::optional<absl::Duration> recovery_timeout;
  std::optional<bool> block_admission;
  // "Eviction" or "Creation".
  std::optional<std::string> timestamp;
  // Absent: no limit.
  std::optional<std::int64_t> backoff_limit_count;
  std::optional<std::int64_t> backoff_base_seconds;
  std::optional<std::int64_t> backoff_max_seconds;
};

// timeout 30m, recoveryTimeout as timeout, blockAdmission false, timestamp
// Eviction, base 60 s, max 3600 s.
void SetDefaults(WaitForPodsReadyConfig& config);

// What Kueue refuses to start with. A timeout of 0 or none is missing.
FieldErrors ValidateWaitForPodsReady(const WaitForPodsReadyConfig& config);

// The block as the controllers use it.
struct WaitForPodsReady {
  absl::Duration timeout = absl::Minutes(30);
  // Absent: a workload that lost readiness is waited for without limit.
  std::optional<absl::Duration> recovery_timeout = absl::Minutes(30);
  std::optional<std::int64_t> backoff_limit_count;
  Backoff backoff{absl::Seconds(60), absl::Seconds(3600)};
};

// recoveryTimeout 0 switches it off.
WaitForPodsReady Effective(WaitForPodsReadyConfig config);

// From settings "kueue.waitForPodsReady.<member>" and
// "kueue.waitForPodsReady.requeuingStrategy.<member>"; absent: the defaults. A
// value that cannot be used is passed over with a warning that names it.
struct SettingsSetup {
  WaitForPodsReady wait_for_pods_ready;
  // stopPolicy of the queues, from "kueue.clusterQueue.stopPolicy" and
  // "kueue.localQueue.stopPolicy"; empty: not known.
  std::string cluster_queue_stop_policy;
  std::string local_queue_stop_policy;
  std::vector<std::string> warnings;
};
SettingsSetup SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_SETTINGS_H_
