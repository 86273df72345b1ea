// Types and constants of the KubeRay operator's logic, and its releases,
// feature gates and environment.
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

// spec.submissionMode. The API server sets K8sJobMode if absent.
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

// status.state of a RayCluster whose pods are all running.
inline constexpr std::string_view kClusterReady = "ready";

// Returns whether the kubelet restarts the pod's containers. Unset is Ray's
// Never.
inline bool Restarts(const kubernetes::core::v1::PodTemplateSpec& pod) {
  const std::string& policy = pod.spec().restart_policy();
  return !policy.empty() && policy != "Never";
}

// Returns whether Ray will not change the job any more.
inline bool IsJobTerminal(std::string_view job_status) {
  return job_status == kJobStopped || job_status == kJobSucceeded ||
         job_status == kJobFailed;
}

// Time from the submitter's end until the operator stops waiting for Ray to
// report the application's end. A constant of KubeRay.
inline constexpr std::int64_t kSubmitterFinishedTimeoutSeconds = 30;

// Differences that change the outcome of a failure. Defaults: KubeRay 1.7 (its
// main branch of August 2026).
struct Settings {
  // Gate RayJobDeletionPolicy: beta and on since 1.6, before alpha and off.
  bool deletion_policy = true;
  // Gate SidecarSubmitterRestart (alpha, since 1.7, Kubernetes 1.35): the
  // submitter container restarts in place.
  bool sidecar_submitter_restart = false;
  // Not a gate: spec.backoffLimit exists, since 1.2.
  bool backoff_limit = true;
  // Not a gate: a terminal jobStatus ends the attempt after a grace period,
  // since 1.4.
  bool transition_grace_period = true;
  // Not a gate: the submitter's end ends the attempt after
  // kSubmitterFinishedTimeoutSeconds, since 1.5.
  bool submitter_finished_timeout = true;
  // Not a gate: a refused RayJob becomes ValidationFailed, since 1.5. Before,
  // the pass ends in an error and is repeated.
  bool validation_failed = true;
  // Not a gate: clusterSelector with backoffLimit is refused, since 1.6.
  bool selected_never_retry = true;
  // Not a gate: spec.preRunningDeadlineSeconds exists, since 1.6.
  bool pre_running_deadline = true;
  // Not a gate: an unreachable dashboard ends a RayJob, since 1.7.
  bool status_check_timeout = true;
  // RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS.
  std::int64_t transition_grace_period_seconds = 300;
  // RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS; never below 1.
  std::int64_t status_check_timeout_seconds = 300;
};

// Returns the defaults of versions["kuberay"] ("1.6", "v1.6.1"; absent: 1.7),
// changed by feature_gates and settings "kuberay.<environment variable>".
// Ignores other operators' gates and settings.
Setup<Settings> SettingsFor(const v1::NativeSemantics& semantics);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_SETTINGS_H_
