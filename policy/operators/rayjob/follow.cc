#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/operators/rayjob/deadlines.h"
#include "policy/operators/rayjob/pass.h"
#include "policy/operators/rayjob/submitter.h"

namespace mulligan::rayjob {
namespace {

constexpr std::string_view kHeadGone = "Ray head pod not found.";
constexpr std::string_view kRayJobGone =
    "Submitter completed but Ray job not found in RayCluster.";

void StartStatusCheckTimer(PassWriter& pass) {
  if (!pass.world().settings.status_check_timeout ||
      pass.status().has_job_status_check_failure_start_time()) {
    return;
  }
  *pass.status().mutable_job_status_check_failure_start_time() =
      pass.world().now;
}

bool HandleNotFound(PassWriter& pass, bool submitter_finished) {
  if (SubmissionModeOf(pass.spec()) == kHttpMode) {
    if (pass.world().errors.submit.empty()) {
      pass.result().submits_to_ray = true;
      pass.status().clear_job_status_check_failure_start_time();
    } else {
      StartStatusCheckTimer(pass);
    }
    return true;
  }
  if (!HasSubmitter(pass.spec()) || !submitter_finished) return false;
  pass.SetState(kFailed);
  pass.status().set_reason(std::string(kAppFailed));
  pass.status().set_message(std::string(kRayJobGone));
  return true;
}

bool AskRay(PassWriter& pass, bool submitter_finished) {
  switch (pass.world().ray.kind) {
    case RayAnswer::Kind::kNotFound:
      return HandleNotFound(pass, submitter_finished);
    case RayAnswer::Kind::kError:
      StartStatusCheckTimer(pass);
      return true;
    case RayAnswer::Kind::kStatus:
      break;
  }
  pass.status().clear_job_status_check_failure_start_time();
  const bool terminal =
      IsJobTerminal(pass.world().ray.job_status) && submitter_finished;
  const bool failed = terminal && pass.world().ray.job_status == kJobFailed;
  pass.SetState(failed ? kFailed : terminal ? kComplete : kRunning);
  pass.status().set_reason(failed ? std::string(kAppFailed) : "");
  pass.status().set_job_status(pass.world().ray.job_status);
  pass.status().set_message(pass.world().ray.message);
  if (pass.world().cluster != nullptr) {
    *pass.status().mutable_ray_cluster_status() =
        pass.world().cluster->status();
  }
  auto& info = *pass.status().mutable_ray_job_info();
  if (pass.world().ray.start_time.has_value()) {
    *info.mutable_start_time() = *pass.world().ray.start_time;
  }
  if (pass.world().ray.end_time.has_value()) {
    *info.mutable_end_time() = *pass.world().ray.end_time;
  }
  return true;
}

// Nothing: the head pod, and with it the container, is gone, which ends the
// attempt.
std::optional<SubmitterState> Submitter(PassWriter& pass) {
  if (SubmissionModeOf(pass.spec()) == kSidecarMode) {
    if (pass.world().head_pod != nullptr) {
      return StateOfSubmitterContainer(pass.spec(), *pass.world().head_pod,
                                       pass.world().settings);
    }
    pass.SetState(kFailed);
    pass.status().set_reason(std::string(kAppFailed));
    pass.status().set_message(std::string(kHeadGone));
    return std::nullopt;
  }
  if (pass.world().submitter == nullptr) {
    pass.Fail(absl::StrFormat("jobs.batch \"%s\" not found",
                              pass.job().metadata().name()));
    return std::nullopt;
  }
  return StateOfSubmitterJob(*pass.world().submitter);
}

}  // namespace

bool Follow(PassWriter& pass) {
  if (SuspendsNow(pass.spec(), pass.status())) {
    pass.SetState(kSuspending);
    return true;
  }
  if (CheckActiveDeadline(pass.spec(), pass.world().now, pass.status()) ||
      CheckTransitionGracePeriod(pass.world().settings, pass.world().now,
                                 pass.status()) ||
      CheckStatusCheckTimeout(pass.world().settings, pass.world().now,
                              pass.status())) {
    return true;
  }
  if (!EnsureCluster(pass)) return false;
  std::optional<SubmitterState> submitter;
  if (HasSubmitter(pass.spec())) {
    submitter = Submitter(pass);
    if (!pass.result().error.empty()) return false;
    if (!submitter.has_value()) return true;
    if (submitter->failed) FailForSubmitter(*submitter, pass.status());
    // Also after a failure, whose reason it overwrites.
    if (CheckSubmitterFinishedTimeout(submitter->finished_at, pass.world().now,
                                      pass.status()) ||
        submitter->failed) {
      return true;
    }
  }
  return AskRay(pass,
                !submitter.has_value() || submitter->finished_at.has_value());
}

}  // namespace mulligan::rayjob
