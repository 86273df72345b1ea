#include "absl/strings/str_cat.h"
#include "policy/operators/rayjob/deletion.h"
#include "policy/operators/rayjob/pass.h"

namespace mulligan::rayjob {
namespace {

bool DeleteCluster(PassWriter& pass) {
  if (pass.world().cluster == nullptr ||
      !pass.spec().cluster_selector().empty()) {
    return true;
  }
  if (!pass.world().errors.delete_cluster.empty()) {
    pass.Warn("FailedToDeleteRayCluster", "Failed to delete cluster",
              pass.status().ray_cluster_name(),
              pass.world().errors.delete_cluster);
    return pass.Fail(pass.world().errors.delete_cluster);
  }
  pass.result().deletes_cluster = true;
  return true;
}

bool DeleteSubmitter(PassWriter& pass) {
  if (pass.world().submitter == nullptr) return true;
  if (!pass.world().errors.delete_submitter.empty()) {
    pass.Warn(
        "FailedToDeleteRayJobSubmitter", "Failed to delete submitter K8s Job",
        pass.job().metadata().name(), pass.world().errors.delete_submitter);
    return pass.Fail(pass.world().errors.delete_submitter);
  }
  pass.result().deletes_submitter = true;
  return true;
}

bool CleanUpScheduler(PassWriter& pass) {
  if (!pass.world().errors.clean_up_scheduler.empty()) {
    pass.Warn("FailedToCleanupBatchScheduler",
              "Failed to cleanup batch scheduler resources for RayJob",
              pass.job().metadata().name(),
              pass.world().errors.clean_up_scheduler);
    return false;
  }
  if (pass.world().scheduler_has_resources) {
    pass.result().events.push_back(
        {"Normal", "BatchSchedulerCleanedUp",
         absl::StrCat("Cleaned up batch scheduler resources for RayJob ",
                      pass.Named(pass.job().metadata().name()))});
  }
  return true;
}

}  // namespace

bool TearDown(PassWriter& pass) {
  if (!DeleteCluster(pass) || !DeleteSubmitter(pass)) return false;
  if (pass.result().deletes_cluster || pass.result().deletes_submitter) {
    return false;
  }
  if (!CleanUpScheduler(pass)) {
    return pass.Fail(pass.world().errors.clean_up_scheduler);
  }
  const bool retry = pass.status().job_deployment_status() == kRetrying;
  pass.status().clear_ray_cluster_status();
  pass.status().clear_ray_cluster_name();
  pass.status().clear_dashboard_url();
  pass.status().clear_job_id();
  pass.status().clear_message();
  pass.status().clear_reason();
  pass.status().clear_ray_job_info();
  pass.status().clear_job_status();
  pass.status().clear_job_status_check_failure_start_time();
  pass.SetState(retry ? kNew : kSuspended);
  return true;
}

bool CleanUpAtEnd(PassWriter& pass) {
  // Here an error is only an event.
  CleanUpScheduler(pass);
  Leftovers left;
  if (pass.world().cluster != nullptr) {
    left.cluster = !pass.world().cluster->metadata().has_deletion_timestamp();
    left.workers_suspended = true;
    for (const auto& group :
         pass.world().cluster->spec().worker_group_specs()) {
      left.workers_suspended &= group.suspend();
    }
  }
  pass.result().clean_up = NextCleanUp(pass.spec(), pass.status(), left,
                                       pass.world().settings, pass.world().now);
  pass.result().waits_for_change = !pass.result().clean_up.next.has_value();
  return false;
}

}  // namespace mulligan::rayjob
