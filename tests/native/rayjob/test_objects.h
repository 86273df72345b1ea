// Objects for the tests of the KubeRay operator's logic.
#ifndef MULLIGAN_TESTS_NATIVE_RAYJOB_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_RAYJOB_TEST_OBJECTS_H_

#include <cstdint>
#include <string>

#include "policy/native/rayjob/decision.h"
#include "policy/native/rayjob/settings.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::rayjob {

using job::Parse;

inline google::protobuf::Timestamp Second(std::int64_t seconds) {
  google::protobuf::Timestamp time;
  time.set_seconds(seconds);
  return time;
}

// A RayJob that passes validation, in state `state` since second 0.
inline RayJob RayJobIn(std::string_view state,
                       const std::string& spec = std::string()) {
  RayJob job;
  job.mutable_metadata()->set_name("train");
  job.mutable_metadata()->set_namespace_("ml");
  *job.mutable_spec() = Parse<RayJobSpec>(spec);
  if (job.spec().cluster_selector().empty() &&
      !job.spec().has_ray_cluster_spec()) {
    job.mutable_spec()
        ->mutable_ray_cluster_spec()
        ->mutable_head_group_spec()
        ->mutable_template_()
        ->mutable_spec()
        ->add_containers()
        ->set_name("ray-head");
  }
  RayJobStatus& status = *job.mutable_status();
  status.set_job_deployment_status(std::string(state));
  if (state == kNew) return job;
  *status.mutable_start_time() = Second(0);
  status.set_ray_cluster_name("train-0");
  status.set_job_id("train-0");
  status.set_dashboard_url("dashboard");
  return job;
}

// The submitter Job, ended by `condition` at second `at`; running if empty.
inline Job SubmitterJob(const std::string& condition = "",
                        std::int64_t at = 1) {
  Job job;
  job.mutable_metadata()->set_name("train");
  if (condition.empty()) return job;
  auto& end = *job.mutable_status()->add_conditions();
  end.set_type(condition);
  end.set_status("True");
  end.set_reason("BackoffLimitExceeded");
  end.set_message("too often");
  *end.mutable_last_transition_time() = Second(at);
  return job;
}

// A head pod whose submitter container ended with `exit_code` at second 1; it
// runs if `exit_code` is negative.
inline Pod HeadPod(int exit_code = -1, int restarts = 0) {
  Pod pod;
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name("ray-job-submitter");
  container.set_restart_count(restarts);
  if (exit_code < 0) {
    container.mutable_state()->mutable_running();
    return pod;
  }
  auto& end = *container.mutable_state()->mutable_terminated();
  end.set_exit_code(exit_code);
  end.set_reason("Error");
  *end.mutable_finished_at() = Second(1);
  return pod;
}

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_TESTS_NATIVE_RAYJOB_TEST_OBJECTS_H_
