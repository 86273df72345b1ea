// What KubeRay deletes after the end of a RayJob, and when.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_H_

#include <optional>
#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// What is left of a RayJob at its end.
struct Leftovers {
  // The cluster is there and not being deleted.
  bool cluster = false;
  // All its worker groups are suspended, so that it has no workers.
  bool workers_suspended = false;
};

struct CleanUp {
  // "DeleteSelf", "DeleteCluster", "DeleteWorkers"; empty: nothing is deleted
  // in this pass.
  std::string policy;
  // When there is more to delete; absent: never.
  std::optional<google::protobuf::Timestamp> next;
};

// One pass over a Complete or Failed RayJob, the first that applies:
//   clusterSelector        nothing, ever
//   deletionRules          of the rules that are due and not carried out yet
//                          the most destructive
//   onSuccess, onFailure   chosen by jobStatus, so that nothing applies to an
//                          attempt that Ray did not end
//   shutdownAfterJobFinishes  the cluster, or the RayJob itself by the
//                          operator's setting
// The submitter Job is kept for its logs. Times count from status.endTime.
CleanUp NextCleanUp(const RayJobSpec& spec, const RayJobStatus& status,
                    const Leftovers& left, const Settings& settings,
                    const google::protobuf::Timestamp& now);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_DELETION_H_
