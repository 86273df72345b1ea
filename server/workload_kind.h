// The kinds of workload that metrics tell apart.
#ifndef MULLIGAN_SERVER_WORKLOAD_KIND_H_
#define MULLIGAN_SERVER_WORKLOAD_KIND_H_

#include <iterator>
#include <string_view>

#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Label values, the last one for every other kind. Kinds come from callers, so
// only a closed list may become labels.
inline constexpr std::string_view kWorkloadKinds[] = {
    "Pod",         "Job",           "JobSet",     "RayJob",
    "RayCluster",  "RayService",    "TrainJob",   "SparkApplication",
    "PyTorchJob",  "TFJob",         "MPIJob",     "XGBoostJob",
    "PaddleJob",   "JAXJob",        "Workload",   "LeaderWorkerSet",
    "StatefulSet", "Deployment",    "ReplicaSet", "CronJob",
    "Workflow",    "FlyteWorkflow", "AppWrapper", "other",
};
inline constexpr int kWorkloadKindCount =
    static_cast<int>(std::size(kWorkloadKinds));

// Index into kWorkloadKinds of the workload `report` is about: the kind it
// states, else that of the most senior object in it. Does not allocate.
int WorkloadKindOf(const v1::FailureReport& report);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_WORKLOAD_KIND_H_
