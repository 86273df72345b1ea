// Releases of Flyte and the settings of a deployment.
#ifndef MULLIGAN_POLICY_NATIVE_FLYTE_SETTINGS_H_
#define MULLIGAN_POLICY_NATIVE_FLYTE_SETTINGS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/release.h"

namespace mulligan::flyte {

// Differences between releases. Pull requests are those of flyteorg/flyte;
// settings.cc has the releases.
struct Rules {
  // The rewrite: one TaskAction per action, no propeller.
  bool v2 = false;
  // Failed pods without a reason, and those whose primary container got
  // SIGKILL, are the platform's fault (#6259); exit code 247 is a SIGKILL.
  bool unexplained_is_system = false;
  // The pod reasons NodeShutdown and NodeAffinity are the platform's fault
  // (#6452, #6461).
  bool node_reasons_are_system = false;
  // A sole container's exit code of 1..127 is the user's fault (#7899).
  bool sole_exit_is_user = false;
  // System failures keep the pod's reason as code, not "Interrupted".
  bool keeps_system_code = false;
  // A pod in phase Unknown is judged as if it were running.
  bool judges_unknown_pods = false;
  // Init containers of a running pod may be sidecars: they must have ended.
  bool awaits_init_containers = false;
  // Kubeflow jobs held by a queue are Queued, not overdue (#7241).
  bool suspended_is_not_overdue = false;
  bool suspended_is_queued = false;
  // MPIJobs have their own messages (common.GetMPIPhaseInfo).
  bool mpi_has_own_messages = false;
  // A failed RayJob is a system failure that is retried (#7153).
  bool ray_failure_is_system = false;
  // 400 and 422 at creation are permanent (#7366).
  bool refusal_is_permanent = false;
  // GPU faults recorded as events reclassify failures.
  bool gpu_faults = false;
};

// Configuration of a deployment, with the shipped defaults.
struct Settings {
  Rules rules;
  // plugins.k8s.*
  absl::Duration create_container_error_grace_period = absl::Minutes(3);
  absl::Duration create_container_config_error_grace_period;
  absl::Duration image_pull_backoff_grace_period = absl::Minutes(3);
  // 0: off.
  absl::Duration pod_pending_timeout;
  // plugins.kf-operator.timeout
  absl::Duration operator_timeout = absl::Minutes(1);
  // propeller.node-config.*
  std::int64_t default_max_attempts = 1;
  std::int64_t max_node_retries_system_failures = 3;
  std::int64_t interruptible_failure_threshold = -1;
  bool ignore_retry_cause = false;
  // 0: off.
  absl::Duration node_active_deadline;
  absl::Duration node_execution_deadline;
  // Whether the quota back-off guards pod creation, as in the shipped wiring.
  bool quota_backoff = true;
  std::int64_t backoff_base_seconds = 2;
  absl::Duration backoff_max_duration = absl::Seconds(20);
  // Rounds of a workflow that may end in an error.
  std::int64_t max_workflow_retries = 10;
  // v2; 0 means the default of 3.
  std::int64_t max_system_failures = 3;
  // The task's own `retries`, which no object carries.
  std::int64_t retries = 0;
};

// Returns the rules of versions["flyte"] ("v1", "v2", "1.15.0", "v2.0.43";
// absent: v1), changed by feature_gates (proposals, off until released:
// "flyte.pull-7899", "flyte.system-codes", "flyte.gpu-faults") and by settings
// "flyte.<Flyte's own name>". Warns of anything unknown. `semantics` is for
// example "flyte v1 1.16" or "flyte v2 2.0.43".
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_NATIVE_FLYTE_SETTINGS_H_
