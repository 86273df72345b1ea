// One pass of the JobSet controller.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_RECONCILE_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_RECONCILE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/operators/jobset/actions.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/startup.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

struct PassInput {
  const JobSet& job_set;
  // Child Jobs of all attempts in listing order.
  Jobs jobs;
  // Pods of the JobSet; read for in-place restarts only.
  Pods pods;
  Gates gates;
  google::protobuf::Timestamp now;
};

struct Pass {
  // The status the controller writes.
  JobSetStatus status;
  // Whether it differs but for the refreshed counts of Jobs.
  bool updated = false;
  // What the failure policy said; absent: no child Job has failed, or nobody
  // asked.
  std::optional<Verdict> verdict;
  // Jobs the controller deletes and creates.
  Jobs deleted;
  std::vector<JobPlace> created;
  std::vector<Event> events;
};

// Pure. In the controller's order, in which the first that applies ends the
// pass:
//   a JobSet being deleted, or managed by another controller, is left alone
//   finished: active Jobs are deleted, nothing is evaluated
//   Jobs of earlier attempts are deleted; ready Jobs end a restart
//   a failed Job: the failure policy, one action, suspended or not
//   a successful Job: the success policy; so failure goes before success
//   creation in startup order, suspension, in-place restarts
// An error is one of the controller's own: nothing is written, and it tries
// again for ever.
absl::StatusOr<Pass> Reconcile(const PassInput& input);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_RECONCILE_H_
