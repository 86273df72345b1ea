// Short names for what the JobSet controller's logic is about.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_TYPES_H_

#include <string_view>
#include <vector>

#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/failure_policy.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/meta/v1/condition.pb.h"

namespace mulligan::jobset {

using JobSet = kubernetes::jobset::v1alpha2::JobSet;
using JobSetSpec = kubernetes::jobset::v1alpha2::JobSetSpec;
using JobSetStatus = kubernetes::jobset::v1alpha2::JobSetStatus;
using FailurePolicy = kubernetes::jobset::v1alpha2::FailurePolicy;
using FailurePolicyRule = kubernetes::jobset::v1alpha2::FailurePolicyRule;
using SuccessPolicy = kubernetes::jobset::v1alpha2::SuccessPolicy;
using ReplicatedJob = kubernetes::jobset::v1alpha2::ReplicatedJob;
using ReplicatedJobStatus = kubernetes::jobset::v1alpha2::ReplicatedJobStatus;
using Condition = kubernetes::meta::v1::Condition;
using Job = kubernetes::batch::v1::Job;
using JobCondition = kubernetes::batch::v1::JobCondition;
using Pod = kubernetes::core::v1::Pod;

// In the order in which they were listed; not owned, never null.
using Jobs = std::vector<const Job*>;
using Pods = std::vector<const Pod*>;

// Labels of child Jobs: their group, their index in it, the JobSet's restarts
// and their own restarts when they were created.
inline constexpr std::string_view kReplicatedJobNameKey =
    "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kJobIndexKey = "jobset.sigs.k8s.io/job-index";
inline constexpr std::string_view kRestartAttemptKey =
    "jobset.sigs.k8s.io/restart-attempt";
inline constexpr std::string_view kJobRestartAttemptKey =
    "jobset.sigs.k8s.io/job-restart-attempt";
// Annotation of pods: the attempt their restart agent is at.
inline constexpr std::string_view kInPlaceRestartAttemptKey =
    "jobset.sigs.k8s.io/in-place-restart-attempt";

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_TYPES_H_
