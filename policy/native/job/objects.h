// What the Job controller's logic is about: feature gates, the values the API
// server fills into a Job, what it refuses, and what is read off a pod.
#ifndef MULLIGAN_POLICY_NATIVE_JOB_OBJECTS_H_
#define MULLIGAN_POLICY_NATIVE_JOB_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/batch/v1/pod_failure_policy.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"
#include "policy/native/release.h"

namespace mulligan::job {

using Job = kubernetes::batch::v1::Job;
using JobSpec = kubernetes::batch::v1::JobSpec;
using JobStatus = kubernetes::batch::v1::JobStatus;
using PodFailurePolicy = kubernetes::batch::v1::PodFailurePolicy;
using PodFailurePolicyRule = kubernetes::batch::v1::PodFailurePolicyRule;
using SuccessPolicy = kubernetes::batch::v1::SuccessPolicy;
using Pod = kubernetes::core::v1::Pod;
using ContainerStatus = kubernetes::core::v1::ContainerStatus;

// Pods of one Job in the order they were listed; not owned, never null.
using Pods = std::vector<const Pod*>;

// Gates that change what happens to failed pods, with the defaults of
// Kubernetes 1.34. On by default since the release in brackets.
struct Gates {
  // JobPodFailurePolicy [1.26].
  bool pod_failure_policy = true;
  // SidecarContainers [1.29].
  bool sidecar_containers = true;
  // JobBackoffLimitPerIndex [1.29]: off, the limits per index and the action
  // FailIndex are unknown.
  bool backoff_limit_per_index = true;
  // JobPodReplacementPolicy [1.29]: off, spec.podReplacementPolicy is not read
  // and status.terminating not written.
  bool pod_replacement_policy = true;
  // JobSuccessPolicy [1.31].
  bool success_policy = true;
  // JobManagedBy [1.32].
  bool managed_by = true;
  // No gate: releases before 1.31 announce only verdicts of a pod failure
  // policy by FailureTarget, whatever the gates say.
  bool interim_conditions = true;
};

// Defaults of the release versions["kubernetes"] ("1.30", "v1.30.4"; absent:
// 1.34), then feature_gates by name. Gates of others are passed over.
Setup<Gates> GatesFor(const v1::NativeSemantics& semantics);

bool IsIndexed(const JobSpec& spec);
// Limits per index are in use: backoffLimitPerIndex is set and its gate on.
bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates);

// Fills in what is absent: completions and parallelism 1 (parallelism alone
// when completions are given), backoffLimit 6 or, with limits per index,
// 2147483647, completionMode NonIndexed, podReplacementPolicy Failed with a pod
// failure policy and TerminatingOrFailed without, and status True in condition
// patterns. Values that are there stay.
void SetJobDefaults(const Gates& gates, JobSpec& spec);

// What the API server refuses in a Job, as far as failures are handled by it.
// Expects the defaults, as the API server validates after defaulting. Checked
// are limits, deadlines, completion mode, both policies, podReplacementPolicy
// and the template's restartPolicy; not the rest of the template, the selector
// and lengths of texts. A spec without a template, which reports may leave out,
// is not refused for want of it.
ObjectIssues ValidateJobSpec(const JobSpec& spec);

// Finalizer of a pod that is not accounted yet.
inline constexpr std::string_view kJobTrackingFinalizer =
    "batch.kubernetes.io/job-tracking";

bool HasTrackingFinalizer(const Pod& pod);

// The completion index in the pod's annotation, a decimal, if it is below
// `completions`.
std::optional<std::int64_t> CompletionIndex(const Pod& pod,
                                            std::int64_t completions);

// Counted failures of the index before this pod, by its annotation. Absent,
// unparsable, negative and too large values count as 0.
std::int64_t IndexFailureCount(const Pod& pod);
// Counted and ignored failures together; they lengthen the delay alike.
std::int64_t IndexAbsoluteFailureCount(const Pod& pod);

// When the pod finished, as far as its replacement's delay is concerned. The
// first that exists:
//   1. the latest `finishedAt` of the containers, if all have one; sidecars are
//      looked at too and, as in the controller, on their own when a main
//      container is not finished;
//   2. the last transition of condition Ready when it is False;
//   3. deletionTimestamp - deletionGracePeriodSeconds;
//   4. creationTimestamp, ZeroTime() when absent.
absl::Time FinishTime(const Pod& pod, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_OBJECTS_H_
