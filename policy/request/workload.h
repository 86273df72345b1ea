// Identifies the workload of a report.
#ifndef MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
#define MULLIGAN_POLICY_REQUEST_WORKLOAD_H_

#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// Returns the workload: fields of report.workload if set, the rest from the
// most senior object (custom resource, Job, pod's controller, pod).
v1::WorkloadReference WorkloadOf(const Owners& owners);
v1::WorkloadReference WorkloadOf(const v1::FailureReport& report);

// Writes the same into `workload`. Without `with_labels` it skips labels and
// annotations of the objects, which is most of the work.
void FillWorkload(const Owners& owners, bool with_labels,
                  v1::WorkloadReference& workload);

// Returns the workload's kind, a view of the report; empty if unknown.
std::string_view WorkloadKindOf(const v1::FailureReport& report);

// Returns whether the workload's object is in a final state of its operator, so
// that acting on it means deleting and recreating it.
bool IsInFinalState(const Owners& owners,
                    const v1::WorkloadReference& workload);

// Returns the default scope of `action`:
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
v1::Decision::Scope DefaultScope(const v1::FailureReport& report,
                                 const v1::WorkloadReference& workload,
                                 v1::Decision::Action action);

// Returns whether a failing index leaves the others running: the workload is a
// Job with spec.backoffLimitPerIndex.
bool LimitsEachIndex(const v1::FailureReport& report,
                     const v1::WorkloadReference& workload);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
