#include "policy/operators/rayjob/decision.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "google/protobuf/util/message_differencer.h"
#include "policy/operators/rayjob/deadlines.h"
#include "policy/operators/rayjob/retry_gate.h"
#include "policy/operators/rayjob/submitter.h"
#include "policy/operators/rayjob/validation.h"

namespace mulligan::rayjob {
namespace {

using ::google::protobuf::util::MessageDifferencer;

constexpr std::string_view kOwnManager = "ray.io/kuberay-operator";

// Whether the pass gets to the retry gate and the write.
enum class Next { kStays, kIsWritten };

// What a state leads to. Changes the status.
using Step = Next (*)(const World& world, RayJobStatus& status);

Next SetState(std::string_view state, RayJobStatus& status) {
  status.set_job_deployment_status(std::string(state));
  return Next::kIsWritten;
}

// Such a cluster is never created.
bool IsSelectedClusterMissing(const World& world) {
  return world.cluster == nullptr &&
         !world.job.spec().cluster_selector().empty();
}

Next Start(const World& world, RayJobStatus& status) {
  *status.mutable_start_time() = world.now;
  return SetState(kInitializing, status);
}

Next Initialize(const World& world, RayJobStatus& status) {
  const RayJobSpec& spec = world.job.spec();
  if (spec.suspend()) return SetState(kSuspending, status);
  if (CheckActiveDeadline(spec, world.now, status) ||
      CheckPreRunningDeadline(spec, world.settings, world.now, status)) {
    return Next::kIsWritten;
  }
  if (IsSelectedClusterMissing(world)) return Next::kStays;
  const bool is_ready = world.cluster != nullptr &&
                        world.cluster->status().state() == kClusterReady;
  if (status.dashboard_url().empty() && !is_ready) return Next::kStays;
  const bool interactive = SubmissionModeOf(spec) == kInteractiveMode;
  return SetState(interactive ? kWaiting : kRunning, status);
}

Next Wait(const World& world, RayJobStatus& status) {
  const RayJobSpec& spec = world.job.spec();
  if (CheckPreRunningDeadline(spec, world.settings, world.now, status)) {
    return Next::kIsWritten;
  }
  return spec.job_id().empty() ? Next::kStays : SetState(kRunning, status);
}

// Ends the attempt; the gate decides whether there is another.
Next EndForApplication(std::string_view message, RayJobStatus& status) {
  status.set_reason(std::string(kAppFailed));
  status.set_message(std::string(message));
  return SetState(kFailed, status);
}

Next AskRay(const World& world, bool submitter_finished, RayJobStatus& status) {
  if (world.ray_is_silent) {
    if (world.settings.status_check_timeout &&
        !status.has_job_status_check_failure_start_time()) {
      *status.mutable_job_status_check_failure_start_time() = world.now;
    }
    return Next::kIsWritten;
  }
  status.clear_job_status_check_failure_start_time();
  if (world.cluster != nullptr) {
    *status.mutable_ray_cluster_status() = world.cluster->status();
  }
  status.clear_reason();
  if (!submitter_finished || !IsJobTerminal(status.job_status())) {
    return Next::kIsWritten;
  }
  return status.job_status() == kJobFailed
             ? EndForApplication(status.message(), status)
             : SetState(kComplete, status);
}

std::optional<SubmitterState> StateOfSubmitter(const World& world) {
  const RayJobSpec& spec = world.job.spec();
  if (SubmissionModeOf(spec) == kK8sJobMode && world.submitter != nullptr) {
    return StateOfSubmitterJob(*world.submitter);
  }
  if (SubmissionModeOf(spec) == kSidecarMode && world.head_pod != nullptr) {
    return StateOfSubmitterContainer(spec, *world.head_pod, world.settings);
  }
  return std::nullopt;
}

Next Follow(const World& world, RayJobStatus& status) {
  const RayJobSpec& spec = world.job.spec();
  if (spec.suspend()) return SetState(kSuspending, status);
  if (CheckActiveDeadline(spec, world.now, status) ||
      CheckTransitionGracePeriod(world.settings, world.now, status) ||
      CheckStatusCheckTimeout(world.settings, world.now, status)) {
    return Next::kIsWritten;
  }
  if (IsSelectedClusterMissing(world)) return Next::kStays;
  if (!HasSubmitter(spec)) return AskRay(world, true, status);
  const std::optional<SubmitterState> submitter = StateOfSubmitter(world);
  if (!submitter.has_value()) {
    return SubmissionModeOf(spec) == kSidecarMode
               ? EndForApplication("Ray head pod not found.", status)
               : Next::kStays;
  }
  if (submitter->failed) FailForSubmitter(*submitter, status);
  // Also after a failure, whose reason it overwrites.
  if (world.settings.submitter_finished_timeout &&
      CheckSubmitterFinishedTimeout(submitter->finished_at, world.now,
                                    status)) {
    return Next::kIsWritten;
  }
  return submitter->failed
             ? Next::kIsWritten
             : AskRay(world, submitter->finished_at.has_value(), status);
}

// The flag suspend is not read again: what was begun is finished. A cluster
// that was selected is not the RayJob's own.
Next TearDown(const World& world, RayJobStatus& status) {
  const bool own_cluster =
      world.cluster != nullptr && world.job.spec().cluster_selector().empty();
  if (own_cluster || world.submitter != nullptr) return Next::kStays;
  const bool retry = status.job_deployment_status() == kRetrying;
  status.clear_message();
  status.clear_reason();
  status.clear_job_status();
  return SetState(retry ? kNew : kSuspended, status);
}

Next Resume(const World& world, RayJobStatus& status) {
  if (world.job.spec().suspend()) return Next::kStays;
  status.clear_job_status();
  return SetState(kNew, status);
}

struct StateRow {
  std::string_view state;
  Step step;
};

// A state without a row, ValidationFailed among them, has no way out.
constexpr std::array<StateRow, 7> kStates = {{
    {kNew, Start},
    {kInitializing, Initialize},
    {kWaiting, Wait},
    {kRunning, Follow},
    {kSuspending, TearDown},
    {kRetrying, TearDown},
    {kSuspended, Resume},
}};

Next TakeStep(const World& world, RayJobStatus& status) {
  for (const StateRow& row : kStates) {
    if (row.state == status.job_deployment_status()) {
      return row.step(world, status);
    }
  }
  return Next::kStays;
}

// What KubeRay finds first; null: nothing.
const FieldError* FirstOf(const FieldErrors& errors) {
  return errors.empty() ? nullptr : &errors.front();
}

// The words of the first refusal; nothing: the RayJob is valid.
std::optional<std::string> RefusalOf(const World& world) {
  for (const FieldErrors& errors :
       {ValidateRayJobMetadata(world.job),
        ValidateRayJobSpec(world.job.spec(), world.settings),
        ValidateRayJobStatus(world.job)}) {
    if (const FieldError* const first = FirstOf(errors)) return first->detail;
  }
  return std::nullopt;
}

bool IsStored(const RayJobStatus& before, const RayJobStatus& after) {
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

}  // namespace

RayJobStatus StatusAfterPass(const World& world) {
  const RayJobStatus& before = world.job.status();
  RayJobStatus after = before;
  if (const std::optional<std::string> refusal = RefusalOf(world)) {
    if (!world.settings.validation_failed) return before;
    SetState(kValidationFailed, after);
    after.set_reason(std::string(kValidationFailed));
    after.set_message(*refusal);
  } else {
    if (TakeStep(world, after) == Next::kStays) return before;
    ApplyRetryGate(world.job.spec(), world.settings, after);
  }
  return IsStored(before, after) ? after : before;
}

bool IsLeftAlone(const RayJob& job) {
  return (job.spec().has_managed_by() &&
          job.spec().managed_by() != kOwnManager) ||
         job.metadata().has_deletion_timestamp();
}

}  // namespace mulligan::rayjob
