// Short names for what the Job controller's logic is about.
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_TYPES_H_

#include <vector>

#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/batch/v1/pod_failure_policy.pb.h"
#include "mulligan/kubernetes/core/v1/container_status.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"

namespace mulligan::job {

using Job = kubernetes::batch::v1::Job;
using JobSpec = kubernetes::batch::v1::JobSpec;
using JobStatus = kubernetes::batch::v1::JobStatus;
using JobCondition = kubernetes::batch::v1::JobCondition;
using PodFailurePolicy = kubernetes::batch::v1::PodFailurePolicy;
using PodFailurePolicyRule = kubernetes::batch::v1::PodFailurePolicyRule;
using SuccessPolicy = kubernetes::batch::v1::SuccessPolicy;
using Pod = kubernetes::core::v1::Pod;
using ContainerStatus = kubernetes::core::v1::ContainerStatus;

// Pods of one Job in the order they were listed; not owned, never null.
using Pods = std::vector<const Pod*>;

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_TYPES_H_
