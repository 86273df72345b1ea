// Which workload a report is about.
#ifndef MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
#define MULLIGAN_POLICY_REQUEST_WORKLOAD_H_

#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// The workload a report is about: report.workload where filled, the rest
// derived from the most senior object (custom resource, Job, pod's controller
// owner, pod).
v1::WorkloadReference WorkloadOf(const Owners& owners);
v1::WorkloadReference WorkloadOf(const v1::FailureReport& report);

// The same, of the report of `owners`, into `workload`. Without `with_labels`
// the labels and annotations of the objects are left out, which is most of the
// work.
void FillWorkload(const Owners& owners, bool with_labels,
                  v1::WorkloadReference& workload);

// Its kind alone; empty: nothing tells. The view lives as long as the report.
std::string_view WorkloadKindOf(const v1::FailureReport& report);

// Whether the workload's own object is in a state its operator never leaves,
// so that acting means to delete and create it again.
bool InSinkState(const Owners& owners, const v1::WorkloadReference& workload);

// The natural scope of `action`:
//
//   kind                  retried                      given up
//   Pod                   POD                          POD
//   Job                   POD; JOB once it has failed  JOB
//   Job, Indexed          INDEX; JOB likewise          INDEX with its own
//                                                      backoff limit, else JOB
//   JobSet, TrainJob      JOB_SET                      JOB_SET, WORKLOAD
//   RayJob                CLUSTER                      WORKLOAD
//   RayCluster            CLUSTER                      CLUSTER
//   kubeflow.org v1 jobs  JOB                          JOB
//   anything else         WORKLOAD                     WORKLOAD
v1::Decision::Scope NaturalScope(const v1::FailureReport& report,
                                 const v1::WorkloadReference& workload,
                                 v1::Decision::Action action);

// Whether an index that fails leaves the others: the workload is a Job with
// spec.backoffLimitPerIndex.
bool LimitsEachIndex(const v1::FailureReport& report,
                     const v1::WorkloadReference& workload);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
