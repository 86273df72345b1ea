#include "policy/operators/rayjob/reconcile.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/operators/rayjob/deadlines.h"
#include "policy/operators/rayjob/pass.h"
#include "policy/operators/rayjob/retry_gate.h"
#include "policy/operators/rayjob/validation.h"

namespace mulligan::rayjob {
namespace {

using ::google::protobuf::util::MessageDifferencer;

constexpr std::string_view kOwnManager = "ray.io/kuberay-operator";

// A step returns whether the pass goes on to the retry gate and the write.
using Step = bool (*)(PassWriter& pass);

struct StateRow {
  std::string_view state;
  Step step;
};

bool Start(PassWriter& pass) {
  RayJobStatus& status = pass.status();
  const RayJobSpec& spec = pass.spec();
  if (SubmissionModeOf(spec) != kInteractiveMode && status.job_id().empty()) {
    status.set_job_id(spec.job_id().empty() ? JobIdFor(pass.job())
                                            : spec.job_id());
  }
  if (status.ray_cluster_name().empty()) {
    status.set_ray_cluster_name(ClusterNameFor(pass.job()));
  }
  pass.SetState(kInitializing);
  *status.mutable_start_time() = pass.world().now;
  return true;
}

// The address of a ready cluster's dashboard. False: not ready yet.
bool FindDashboard(PassWriter& pass) {
  if (!pass.status().dashboard_url().empty()) return true;
  const RayCluster* const cluster = pass.world().cluster;
  if (cluster == nullptr) return false;
  if (cluster->status().state() != kClusterReady) {
    *pass.status().mutable_ray_cluster_status() = cluster->status();
    return false;
  }
  pass.status().set_dashboard_url(absl::StrCat(
      pass.status().ray_cluster_name(), "-head-svc.",
      pass.job().metadata().namespace_(), ".svc.cluster.local:8265"));
  return true;
}

bool Initialize(PassWriter& pass) {
  const World& world = pass.world();
  if (SuspendsNow(pass.spec(), pass.status())) {
    pass.SetState(kSuspending);
    return true;
  }
  if (CheckActiveDeadline(pass.spec(), world.now, pass.status()) ||
      CheckPreRunningDeadline(pass.spec(), world.settings, world.now,
                              pass.status())) {
    return true;
  }
  if (!EnsureCluster(pass)) return false;
  if (!FindDashboard(pass)) return true;
  const std::string_view mode = SubmissionModeOf(pass.spec());
  if (mode == kK8sJobMode && !EnsureSubmitterJob(pass)) return false;
  pass.SetState(mode == kInteractiveMode ? kWaiting : kRunning);
  return true;
}

bool Wait(PassWriter& pass) {
  if (CheckPreRunningDeadline(pass.spec(), pass.world().settings,
                              pass.world().now, pass.status())) {
    return true;
  }
  if (pass.spec().job_id().empty()) return false;
  pass.status().set_job_id(pass.spec().job_id());
  pass.SetState(kRunning);
  return true;
}

bool Resume(PassWriter& pass) {
  if (pass.spec().suspend()) {
    pass.result().waits_for_change = true;
    return false;
  }
  pass.status().clear_job_status();
  pass.SetState(kNew);
  return true;
}

// A state without a row, ValidationFailed among them, has no way out.
constexpr std::array<StateRow, 9> kStates = {{
    {kNew, Start},
    {kInitializing, Initialize},
    {kWaiting, Wait},
    {kRunning, Follow},
    {kSuspending, TearDown},
    {kRetrying, TearDown},
    {kSuspended, Resume},
    {kComplete, CleanUpAtEnd},
    {kFailed, CleanUpAtEnd},
}};

bool TakeStep(PassWriter& pass) {
  for (const StateRow& row : kStates) {
    if (row.state == pass.status().job_deployment_status()) {
      return row.step(pass);
    }
  }
  return false;
}

bool Validate(PassWriter& pass) {
  struct Check {
    std::string_view event;
    FieldErrors errors;
  };
  for (const Check& check :
       {Check{"InvalidRayJobMetadata", ValidateRayJobMetadata(pass.job())},
        Check{"InvalidRayJobSpec",
              ValidateRayJobSpec(pass.spec(), pass.world().settings)},
        Check{"InvalidRayJobStatus", ValidateRayJobStatus(pass.job())}}) {
    if (check.errors.empty()) continue;
    const std::string& detail = check.errors.front().detail;
    pass.result().events.push_back(
        {"Warning", std::string(check.event),
         absl::StrCat(pass.Named(pass.job().metadata().name()), ": ", detail)});
    pass.SetState(kValidationFailed);
    pass.status().set_reason(std::string(kValidationFailed));
    pass.status().set_message(detail);
    pass.result().waits_for_change = true;
    return false;
  }
  return true;
}

void Write(PassWriter& pass) {
  RayJobStatus& status = pass.status();
  pass.result().writes_status = WritesStatus(pass.job().status(), status);
  if (pass.result().writes_status &&
      IsDeploymentTerminal(status.job_deployment_status())) {
    *status.mutable_end_time() = pass.world().now;
  }
}

}  // namespace

std::string ClusterNameFor(const RayJob& job) {
  const auto selected =
      job.spec().cluster_selector().find(std::string(kClusterSelectorKey));
  if (selected != job.spec().cluster_selector().end() &&
      !selected->second.empty()) {
    return selected->second;
  }
  return absl::StrCat(job.metadata().name(), "-", job.status().failed());
}

std::string JobIdFor(const RayJob& job) {
  return absl::StrCat(job.metadata().name(), "-", job.status().failed());
}

bool SuspendsNow(const RayJobSpec& spec, const RayJobStatus& status) {
  return spec.suspend() && (status.job_deployment_status() == kInitializing ||
                            status.job_deployment_status() == kRunning);
}

bool WritesStatus(const RayJobStatus& before, const RayJobStatus& after) {
  if (before.job_status() != after.job_status() ||
      before.job_deployment_status() != after.job_deployment_status() ||
      !MessageDifferencer::Equals(
          before.job_status_check_failure_start_time(),
          after.job_status_check_failure_start_time())) {
    return true;
  }
  RayClusterStatus old_cluster = before.ray_cluster_status();
  RayClusterStatus new_cluster = after.ray_cluster_status();
  old_cluster.clear_last_update_time();
  new_cluster.clear_last_update_time();
  return !MessageDifferencer::Equals(old_cluster, new_cluster);
}

Pass Reconcile(const World& world) {
  PassWriter pass(world);
  if ((pass.spec().has_managed_by() &&
       pass.spec().managed_by() != kOwnManager) ||
      pass.job().metadata().has_deletion_timestamp()) {
    pass.result().left_alone = pass.result().waits_for_change = true;
  } else if (!Validate(pass)) {
    Write(pass);
  } else if (TakeStep(pass)) {
    ApplyRetryGate(pass.spec(), world.settings, pass.status());
    Write(pass);
  }
  return std::move(pass.result());
}

}  // namespace mulligan::rayjob
