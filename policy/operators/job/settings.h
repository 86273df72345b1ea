// What the Job controller's logic is about, its feature gates, and the values
// the API server fills into a Job.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_SETTINGS_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_SETTINGS_H_

#include <string>
#include <vector>

#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/batch/v1/pod_failure_policy.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/native.pb.h"
#include "policy/operators/release.h"

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
GateSetup<Gates> GatesFor(const v1::NativeSemantics& semantics);

// Sets the gate called `name`; false when the Job controller has none of that
// name, or one that changes nothing here.
bool SetGate(const std::string& name, bool enabled, Gates& gates);

bool IsIndexed(const JobSpec& spec);
// Limits per index are in use: backoffLimitPerIndex is set and its gate on.
bool HasBackoffLimitPerIndex(const JobSpec& spec, const Gates& gates);

// Fills in what is absent: completions and parallelism 1 (parallelism alone
// when completions are given), backoffLimit 6 or, with limits per index,
// 2147483647, completionMode NonIndexed, podReplacementPolicy Failed with a pod
// failure policy and TerminatingOrFailed without, and status True in condition
// patterns. Values that are there stay.
void SetJobDefaults(const Gates& gates, JobSpec& spec);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_SETTINGS_H_
