// Short names for what Kueue's controllers are about.
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_TYPES_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_TYPES_H_

#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/kueue/v1beta2/admission.pb.h"
#include "mulligan/kubernetes/kueue/v1beta2/workload.pb.h"
#include "mulligan/kubernetes/meta/v1/condition.pb.h"

namespace mulligan::kueue {

using Workload = kubernetes::kueue::v1beta2::Workload;
using WorkloadStatus = kubernetes::kueue::v1beta2::WorkloadStatus;
using RequeueState = kubernetes::kueue::v1beta2::RequeueState;
using PodSetAssignment = kubernetes::kueue::v1beta2::PodSetAssignment;
using TopologyAssignment = kubernetes::kueue::v1beta2::TopologyAssignment;
using AdmissionCheckState = kubernetes::kueue::v1beta2::AdmissionCheckState;
using Condition = kubernetes::meta::v1::Condition;
using Pod = kubernetes::core::v1::Pod;
using Node = kubernetes::core::v1::Node;
using Taint = kubernetes::core::v1::Taint;
using Toleration = kubernetes::core::v1::Toleration;
using Job = kubernetes::batch::v1::Job;
using JobSet = kubernetes::jobset::v1alpha2::JobSet;

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_TYPES_H_
