// Short names and words for what the KubeRay operator's logic is about, and the
// operator's releases, feature gates and environment.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_SETTINGS_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/ray/v1/deletion_strategy.pb.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/release.h"
#include "policy/request/views/ray_words.h"

namespace mulligan::rayjob {

using RayJob = kubernetes::ray::v1::RayJob;
using RayJobSpec = kubernetes::ray::v1::RayJobSpec;
using RayJobStatus = kubernetes::ray::v1::RayJobStatus;
using RayCluster = kubernetes::ray::v1::RayCluster;
using RayClusterSpec = kubernetes::ray::v1::RayClusterSpec;
using RayClusterStatus = kubernetes::ray::v1::RayClusterStatus;
using DeletionStrategy = kubernetes::ray::v1::DeletionStrategy;
using DeletionRule = kubernetes::ray::v1::DeletionRule;
using Job = kubernetes::batch::v1::Job;
using Pod = kubernetes::core::v1::Pod;
using ContainerStatus = kubernetes::core::v1::ContainerStatus;

// spec.submissionMode. Absent: the API server fills in K8sJobMode.
inline constexpr std::string_view kK8sJobMode = "K8sJobMode";
inline constexpr std::string_view kHttpMode = "HTTPMode";
inline constexpr std::string_view kSidecarMode = "SidecarMode";
inline constexpr std::string_view kInteractiveMode = "InteractiveMode";

// spec.managedBy: the KubeRay operator itself.
inline constexpr std::string_view kOwnManager = "ray.io/kuberay-operator";

// The key of spec.clusterSelector that names the cluster.
inline constexpr std::string_view kClusterSelectorKey = "ray.io/cluster";

inline std::string_view SubmissionModeOf(const RayJobSpec& spec) {
  return spec.submission_mode().empty()
             ? kK8sJobMode
             : std::string_view(spec.submission_mode());
}

// status.state of a RayCluster whose pods all run.
inline constexpr std::string_view kClusterReady = "ready";

// Whether the kubelet restarts the pod's containers. Unset is Ray's Never.
inline bool Restarts(const kubernetes::core::v1::PodTemplateSpec& pod) {
  const std::string& policy = pod.spec().restart_policy();
  return !policy.empty() && policy != "Never";
}

// Whether Ray will change nothing any more.
inline bool IsJobTerminal(std::string_view job_status) {
  return job_status == kJobStopped || job_status == kJobSucceeded ||
         job_status == kJobFailed;
}

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
  // No gate: refuses clusterSelector with backoffLimit, since 1.6.
  bool selected_never_retry = true;
  // No gate: spec.preRunningDeadlineSeconds is known, since 1.6.
  bool pre_running_deadline = true;
  // No gate: an unreachable dashboard ends a RayJob, since 1.7.
  bool status_check_timeout = true;
  // RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS.
  std::int64_t transition_grace_period_seconds = 300;
  // RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS; never below 1.
  std::int64_t status_check_timeout_seconds = 300;
};

// Defaults of the release versions["kuberay"] ("1.6", "v1.6.1"; absent: 1.7),
// then feature_gates by name, then settings "kuberay.<environment variable>".
// Gates and settings of others are passed over.
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_SETTINGS_H_
