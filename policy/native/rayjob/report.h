// The parts of a failure report that the RayJob controller reads, and the state
// of the submitter, the Job or container that submits the application to Ray
// and follows its logs.
#ifndef MULLIGAN_POLICY_NATIVE_RAYJOB_REPORT_H_
#define MULLIGAN_POLICY_NATIVE_RAYJOB_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/native/rayjob/settings.h"

namespace mulligan::rayjob {

struct ReportedRayJob {
  // With what a report may omit: name, start time, containers and groups of the
  // cluster. Counters are not negative.
  RayJob job;
  // The cluster of this attempt, if any.
  std::optional<RayCluster> cluster;
  std::optional<Job> submitter;
  // Pods of the cluster and of the submitter; point into the report.
  const Pod* head = nullptr;
  std::vector<const Pod*> cluster_pods;
  std::vector<const Pod*> submitter_pods;
  // Says what had to be filled in although it may matter.
  std::vector<std::string> warnings;
};

// Finds the submitter Job by the RayJob's name or owner reference, its pods by
// owner or job-name label, and those of the cluster by owner or
// ray.io/node-type label.
ReportedRayJob FindReportedRayJob(const v1::FailureReport& report,
                                  const google::protobuf::Timestamp& now);

// Returns a report of the submitter Job alone, for the Job controller's logic.
v1::FailureReport SubmitterReport(const v1::FailureReport& report,
                                  const ReportedRayJob& found);

// Returns whether the RayCluster controller deletes the pod to replace it:
// always if Failed or Succeeded, regardless of restartPolicy; if Running, when
// a Ray container ended under restartPolicy Never. All else is left to the
// kubelet. There is no limit or delay and no backoffLimit: a pod that can never
// start is replaced until a deadline of the RayJob passes.
bool ShouldDeletePod(const Pod& pod);

struct SubmitterState {
  bool failed = false;
  // If failed: the operator's message unless Ray reported FAILED.
  std::string message;
  // Absent while it runs.
  std::optional<google::protobuf::Timestamp> finished_at;
};

// Judges by the condition Failed or Complete of the submitter Job.
SubmitterState StateOfSubmitterJob(const Job& job);

// Judges by the submitter container of the head pod. With its gate on, it may
// restart submitterConfig.backoffLimit times (2 if absent).
SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_REPORT_H_
