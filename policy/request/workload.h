// Which workload a report is about.
#ifndef MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
#define MULLIGAN_POLICY_REQUEST_WORKLOAD_H_

#include <string_view>

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// The workload a report is about: report.workload where filled, the rest
// derived from the most senior object (custom resource, Job, pod's controller
// owner, pod).
v1::WorkloadReference WorkloadOf(const v1::FailureReport& report);

// The same, into `workload`. Without `with_labels` the labels and annotations
// of the objects are left out, which is most of the work.
void FillWorkload(const v1::FailureReport& report, bool with_labels,
                  v1::WorkloadReference& workload);

// Its kind alone; empty: nothing tells. The view lives as long as the report.
std::string_view WorkloadKindOf(const v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_WORKLOAD_H_
