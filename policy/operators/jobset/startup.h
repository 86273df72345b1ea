// Which child Jobs a JobSet creates, and in which order.
#ifndef MULLIGAN_POLICY_OPERATORS_JOBSET_STARTUP_H_
#define MULLIGAN_POLICY_OPERATORS_JOBSET_STARTUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policy/operators/jobset/child_jobs.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/types.h"

namespace mulligan::jobset {

// A child Job by its place; its name is <jobset>-<group>-<index>.
struct JobPlace {
  std::string group;
  std::int32_t index = 0;
};

struct Startup {
  std::vector<JobPlace> created;
  // Whether groups wait for the one that starts now.
  bool waits = false;
};

// The Jobs to create in this pass, and the startup conditions. `change` has the
// refreshed replicatedJobsStatus.
//   a Job is created when none of its place is left, of whatever attempt
//   BlockingRecreate creates nothing while a Job of an earlier attempt is left
//   InOrder creates one group, then waits until its Jobs are ready, done or
//   failed; not while suspended
//   dependsOn holds a group back until the others are Ready (ready, done or
//   failed) or Complete
// All of it begins anew after a restart.
Startup StartJobs(const JobSet& job_set, const ChildJobs& jobs,
                  StatusChange& change);

}  // namespace mulligan::jobset

#endif  // MULLIGAN_POLICY_OPERATORS_JOBSET_STARTUP_H_
