// What the RayJob controller does next: one pass over the RayJob.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_DECISION_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_DECISION_H_

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/rayjob/settings.h"
#include "policy/operators/rayjob/types.h"

namespace mulligan::rayjob {

// What a pass looks at, from the report. Not owned.
struct World {
  const RayJob& job;
  const Settings& settings;
  // The cluster of this attempt; null: there is none.
  const RayCluster* cluster = nullptr;
  // Its head pod; null: it is gone.
  const Pod* head_pod = nullptr;
  // The submitter Job; null: there is none.
  const Job* submitter = nullptr;
  // Ray's dashboard does not answer. Else it says what the status has.
  bool ray_is_silent = false;
  google::protobuf::Timestamp now = {};
};

// The status as it is stored after the pass. A message or reason that changes
// alone is not stored.
RayJobStatus StatusAfterPass(const World& world);

// Managed by another controller, or being deleted: the operator does not look
// at it.
bool IsLeftAlone(const RayJob& job);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_DECISION_H_
