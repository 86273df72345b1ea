// Releases, feature gates and environment of the KubeRay operator.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/native.pb.h"

namespace mulligan::rayjob {

// The time between the end of the submitter and the moment the operator gives
// up waiting for Ray to say how the application ended. A constant of the peer.
inline constexpr std::int64_t kSubmitterFinishedTimeoutSeconds = 30;

// What changes the outcome of a failure, with the defaults of KubeRay 1.7 (its
// main branch of August 2026).
struct Settings {
  // Gate RayJobDeletionPolicy: beta and on since 1.6, alpha and off before.
  bool deletion_policy = true;
  // Gate SidecarSubmitterRestart (alpha, since 1.7, Kubernetes 1.35): the
  // submitter container is restarted in place.
  bool sidecar_submitter_restart = false;
  // No gate: spec.backoffLimit is known, since 1.2.
  bool backoff_limit = true;
  // No gate: a terminal jobStatus ends the attempt after a grace period, since
  // 1.4.
  bool transition_grace_period = true;
  // No gate: the end of the submitter ends the attempt after
  // kSubmitterFinishedTimeoutSeconds, since 1.5.
  bool submitter_finished_timeout = true;
  // No gate: a refused RayJob gets to state ValidationFailed, since 1.5.
  // Before, the pass ends in an error and is repeated.
  bool validation_failed = true;
  // No gate: refuses clusterSelector with backoffLimit and worker groups
  // without sensible limits, since 1.6.
  bool checks_groups = true;
  // No gate: spec.preRunningDeadlineSeconds is known, since 1.6.
  bool pre_running_deadline = true;
  // No gate: an unreachable dashboard ends a RayJob, since 1.7.
  bool status_check_timeout = true;
  // RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS.
  std::int64_t transition_grace_period_seconds = 300;
  // RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS; never below 1.
  std::int64_t status_check_timeout_seconds = 300;
};

// Settings of one release, and what was not understood.
struct SettingsSetup {
  Settings settings;
  // "kuberay 1.7".
  std::string semantics;
  std::vector<std::string> warnings;
};

// Defaults of the release versions["kuberay"] ("1.6", "v1.6.1"; absent: 1.7),
// then feature_gates by name, then settings "kuberay.<environment variable>".
// Gates and settings of others are passed over.
SettingsSetup SettingsFor(const v1::NativeSemantics& semantics);

// Sets the gate called `name`; false when KubeRay has none of that name, or one
// that changes nothing here.
bool SetGate(std::string_view name, bool enabled, Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_SETTINGS_H_
