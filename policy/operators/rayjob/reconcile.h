// One pass of the RayJob controller.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_RECONCILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/deletion.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// What Ray's dashboard answers about the application.
struct RayAnswer {
  enum class Kind {
    // A status.
    kStatus,
    // No such submission (HTTP 400).
    kNotFound,
    // Anything else: unreachable, time-out, 5xx.
    kError,
  };

  Kind kind = Kind::kStatus;
  // "PENDING", "RUNNING", "STOPPED", "SUCCEEDED", "FAILED".
  std::string job_status = {};
  std::string message = {};
  std::optional<google::protobuf::Timestamp> start_time = {};
  std::optional<google::protobuf::Timestamp> end_time = {};
};

// Calls that fail; empty: they succeed.
struct CallErrors {
  std::string create_cluster;
  std::string create_submitter;
  std::string delete_cluster;
  std::string delete_submitter;
  // HTTPMode: handing the application to Ray.
  std::string submit;
  // Giving the batch scheduler's resources back.
  std::string clean_up_scheduler;
};

// Everything a pass looks at. Not owned.
struct World {
  const RayJob& job;
  const Settings& settings;
  // The cluster of this attempt; null: there is none.
  const RayCluster* cluster = nullptr;
  // Its head pod; null: it is gone.
  const Pod* head_pod = nullptr;
  // The submitter Job; null: there is none.
  const Job* submitter = nullptr;
  RayAnswer ray = {};
  CallErrors errors = {};
  // Whether the batch scheduler holds resources for this RayJob.
  bool scheduler_has_resources = false;
  google::protobuf::Timestamp now = {};
};

// What a pass does.
struct Pass {
  // The status as it is after the pass; stored only when `writes_status`.
  RayJobStatus status;
  bool writes_status = false;
  // The pass ended in an error and is repeated; empty: it did not.
  std::string error;
  std::vector<Event> events;
  bool creates_cluster = false;
  bool creates_submitter = false;
  bool submits_to_ray = false;
  bool deletes_cluster = false;
  bool deletes_submitter = false;
  // In a terminal state.
  CleanUp clean_up;
  // Managed by another controller, or being deleted: nothing was looked at.
  bool left_alone = false;
  // Nothing is due: the next pass comes with a change of an object. Else it
  // comes after kRequeueSeconds, or with the next clean-up.
  bool waits_for_change = false;
};

// How long after a pass the operator looks again.
inline constexpr std::int64_t kRequeueSeconds = 3;

// Name the operator would generate for the cluster and the submission of the
// next attempt. The peer adds random letters; these are stable stand-ins.
std::string ClusterNameFor(const RayJob& job);
std::string JobIdFor(const RayJob& job);

// Whether spec.suspend is honoured now: in Initializing and Running only.
bool SuspendsNow(const RayJobSpec& spec, const RayJobStatus& status);

// Whether `after` is written over `before`: jobStatus, jobDeploymentStatus, the
// cluster's status or the status-check timer changed. A new message or reason
// alone is dropped.
bool WritesStatus(const RayJobStatus& before, const RayJobStatus& after);

Pass Reconcile(const World& world);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_RECONCILE_H_
