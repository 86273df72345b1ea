// Finds in a failure report what the RayJob controller would look at, and says
// how the submitter stands: the Job or container that submits the application
// to Ray and follows its logs.
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
  // With what a report may leave out: a name, a start time, containers and
  // groups of the cluster. Counters are not negative.
  RayJob job;
  // Of this attempt; absent: there is none.
  std::optional<RayCluster> cluster;
  std::optional<Job> submitter;
  // Pods of the cluster and of the submitter; into the report.
  const Pod* head = nullptr;
  std::vector<const Pod*> cluster_pods;
  std::vector<const Pod*> submitter_pods;
  // What had to be filled in although it may matter.
  std::vector<std::string> warnings;
};

// The submitter Job has the RayJob's name or is owned by it. Pods belong to it
// by owner or job-name label, to the cluster by owner or ray.io/node-type
// label.
ReportedRayJob FindReportedRayJob(const v1::FailureReport& report,
                                  const google::protobuf::Timestamp& now);

// The report of the submitter Job alone, for the Job controller's logic.
v1::FailureReport SubmitterReport(const v1::FailureReport& report,
                                  const ReportedRayJob& found);

// Whether the RayCluster controller deletes the pod so that a new one takes its
// place: Failed and Succeeded always, whatever the restartPolicy; Running with
// a Ray container that ended under restartPolicy Never. All else is the
// kubelet's. It has neither limit nor delay, and backoffLimit is not consulted:
// a pod that can never start is replaced until a deadline of the RayJob passes.
bool ShouldDeletePod(const Pod& pod);

// How the submitter stands.
struct SubmitterState {
  bool failed = false;
  // For a failed one: what the operator writes unless Ray said FAILED.
  std::string message;
  // Absent while it runs.
  std::optional<google::protobuf::Timestamp> finished_at;
};

// By the condition Failed, Complete of the submitter Job.
SubmitterState StateOfSubmitterJob(const Job& job);

// By the submitter container of the head pod. With its gate it may restart as
// often as submitterConfig.backoffLimit says, 2 without one.
SubmitterState StateOfSubmitterContainer(const RayJobSpec& spec,
                                         const Pod& head_pod,
                                         const Settings& settings);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_NATIVE_RAYJOB_REPORT_H_
