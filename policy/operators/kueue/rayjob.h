// What Kueue reads off a RayJob (pkg/controller/jobs/rayjob).
#ifndef MULLIGAN_POLICY_OPERATORS_KUEUE_RAYJOB_H_
#define MULLIGAN_POLICY_OPERATORS_KUEUE_RAYJOB_H_

#include <string>

#include "mulligan/kubernetes/ray/v1/ray.pb.h"

namespace mulligan::kueue {

struct RayJobInKueue {
  // The RayJob has ended: Complete or Failed.
  bool finished = false;
  // Of a finished one: Ray says SUCCEEDED.
  bool success = false;
  // status.message.
  std::string message;
  // Anything but not begun and Suspended: it holds pods. A RayJob that is
  // Retrying is active and keeps its quota.
  bool active = false;
  // ValidationFailed: its quota is released although it has not finished.
  bool on_hold = false;
  // The cluster is ready.
  bool pods_ready = false;
  bool suspended = false;
};

RayJobInKueue ReadRayJob(const kubernetes::ray::v1::RayJob& job);

}  // namespace mulligan::kueue

#endif  // MULLIGAN_POLICY_OPERATORS_KUEUE_RAYJOB_H_
