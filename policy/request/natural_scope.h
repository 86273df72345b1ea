// What a verdict applies to when the policy does not say.
#ifndef MULLIGAN_POLICY_REQUEST_NATURAL_SCOPE_H_
#define MULLIGAN_POLICY_REQUEST_NATURAL_SCOPE_H_

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Whether the workload's own object is in a state its operator never leaves,
// so that acting means to delete and create it again.
bool InSinkState(const v1::FailureReport& report,
                 const v1::WorkloadReference& workload);

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

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_NATURAL_SCOPE_H_
