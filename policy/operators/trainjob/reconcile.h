// One pass of the TrainJob controller.
#ifndef MULLIGAN_POLICY_OPERATORS_TRAINJOB_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_TRAINJOB_RECONCILE_H_

#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/trainjob/objects.h"
#include "policy/operators/trainjob/types.h"
#include "policy/operators/trainjob/version.h"

namespace mulligan::trainjob {

struct Scene {
  const TrainJob& train_job;
  // Null: there is none.
  const JobSet* job_set = nullptr;
  // How building and applying the objects goes, and the error when it fails.
  Objects objects = Objects::kReady;
  std::string error;
  Version version;
  google::protobuf::Timestamp now;
};

struct Pass {
  TrainJobStatus status;
  // A JobSet is made, or brought up to date.
  bool applies_job_set = false;
  // Message of the warning event; empty: none.
  std::string event;
};

// In this order: nothing when another controller is in charge; an unknown
// runtime fails the job; unless finished the objects are built and applied (a
// JobSet only while it or the TrainJob is suspended, or absent); conditions
// Suspended and, as designed, Created; the JobSet's terminal conditions and
// counts; the deadline.
Pass Reconcile(const Scene& scene);

}  // namespace mulligan::trainjob

#endif  // MULLIGAN_POLICY_OPERATORS_TRAINJOB_RECONCILE_H_
