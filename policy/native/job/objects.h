// Feature gates of the Job controller, the API server's defaults and validation
// of Jobs, and properties of pods.
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

// Pods of one Job in listed order; not owned, never null.
using Pods = std::vector<const Pod*>;

// Gates that change what happens to failed pods, with the defaults of
// Kubernetes 1.34. In brackets: on by default since that release.
struct Gates {
  // JobPodFailurePolicy [1.26].
  bool pod_failure_policy = true;
  // SidecarContainers [1.29].
  bool sidecar_containers = true;
  // JobBackoffLimitPerIndex [1.29]; off: limits per index and the action
  // FailIndex are unknown.
  bool backoff_limit_per_index = true;
  // JobPodReplacementPolicy [1.29]; off: spec.podReplacementPolicy is not read
  // and status.terminating is not written.
  bool pod_replacement_policy = true;
  // JobSuccessPolicy [1.31].
  bool success_policy = true;
  // JobManagedBy [1.32].
  bool managed_by = true;
  // Not a gate: before 1.31, FailureTarget announces only verdicts of a pod
  // failure policy.
  bool interim_conditions = true;
};

// Returns the defaults of versions["kubernetes"] ("1.30", "v1.30.4"; absent:
// 1.34), changed by feature_gates. Ignores other operators' gates.
Setup<Gates> GatesFor(const v1::NativeSemantics& semantics);

bool IsIndexed(const JobSpec& spec);
// Returns whether backoffLimitPerIndex is set and its gate on.
bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates);

// Sets absent fields: completions and parallelism 1 (only parallelism if
// completions are given); backoffLimit 6, or 2147483647 with limits per index;
// completionMode NonIndexed; podReplacementPolicy Failed with a pod failure
// policy, else TerminatingOrFailed; status True in condition patterns.
void SetJobDefaults(const Gates& gates, JobSpec& spec);

// Returns what the API server refuses in the failure handling of a Job: limits,
// deadlines, completion mode, both policies, podReplacementPolicy and the
// template's restartPolicy. Does not check the rest of the template, the
// selector or text lengths. Accepts a spec without a template, because reports
// may omit it. REQUIRES: defaults are set.
ObjectIssues ValidateJobSpec(const JobSpec& spec);

// Finalizer of a pod that the Job has not counted yet.
inline constexpr std::string_view kJobTrackingFinalizer =
    "batch.kubernetes.io/job-tracking";

bool HasTrackingFinalizer(const Pod& pod);

// Returns the completion index in the pod's annotation (a decimal) if it is
// below `completions`.
std::optional<std::int64_t> CompletionIndex(const Pod& pod,
                                            std::int64_t completions);

// Returns the counted failures of the index before this pod, by its annotation.
// Absent, unparsable, negative and too large values are 0.
std::int64_t IndexFailureCount(const Pod& pod);
// Returns counted plus ignored failures, all of which lengthen the delay.
std::int64_t IndexAbsoluteFailureCount(const Pod& pod);

// Returns when the pod finished, for its replacement's delay. The first that
// exists:
//   1. the latest `finishedAt` of the containers, if all have one; sidecars
//      count too and, as in the controller, alone if a main container has not
//      finished;
//   2. the last transition of condition Ready if it is False;
//   3. deletionTimestamp - deletionGracePeriodSeconds;
//   4. creationTimestamp, ZeroTime() if absent.
absl::Time FinishTime(const Pod& pod, const Gates& gates);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_OBJECTS_H_
