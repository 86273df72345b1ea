#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/operators/native.h"
#include "policy/operators/objects.h"
#include "policy/operators/rayjob/decision.h"
#include "policy/operators/rayjob/report.h"
#include "policy/operators/rayjob/validation.h"

namespace mulligan {
namespace rayjob {
namespace {

// The longest google.protobuf.Duration.
const absl::Duration kLongestDuration = absl::Seconds(315576000000);

// Whether KubeRay deletes anything after this end, at once or later. onSuccess
// and onFailure go by jobStatus: nothing is deleted after an attempt that Ray
// did not end.
bool DeletesAfter(const RayJobSpec& spec, const RayJobStatus& status,
                  const Settings& settings) {
  const DeletionStrategy& strategy = spec.deletion_strategy();
  if (!settings.deletion_policy || !spec.has_deletion_strategy()) {
    return spec.shutdown_after_job_finishes();
  }
  const auto deletes = [](const std::string& policy) {
    return !policy.empty() && policy != "DeleteNone";
  };
  if (strategy.deletion_rules().empty()) {
    return (status.job_status() == kJobSucceeded &&
            deletes(strategy.on_success().policy())) ||
           (status.job_status() == kJobFailed &&
            deletes(strategy.on_failure().policy()));
  }
  const auto& rules = strategy.deletion_rules();
  return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) {
    const auto& when = rule.condition();
    const bool applies =
        when.has_job_status()
            ? when.job_status() == status.job_status()
            : when.job_deployment_status() == status.job_deployment_status();
    return applies && deletes(rule.policy());
  });
}

class RayJobAnswer {
 public:
  RayJobAnswer(const NativeInput& input, const Setup<Settings>& setup)
      : input_(input),
        settings_(setup.settings),
        found_(FindReportedRayJob(input.report, input.now)),
        refusals_(ValidateRayJob(found_.job, settings_)),
        outcome_("RayJob", v1::Decision::WORKLOAD, setup) {}

  NativeOutcome Run() && {
    Warn();
    Foresee();
    const RayJobStatus status = Look();
    Count(status);
    if (IsLeftAlone(found_.job)) {
      outcome_.Answer("None", v1::Decision::IGNORE);
      outcome_.Warn(
          "managed by another controller, or being deleted: the KubeRay "
          "operator does not look at it");
    } else {
      Conclude(status);
    }
    return std::move(outcome_);
  }

 private:
  void Warn() {
    for (std::string& warning : found_.warnings)
      outcome_.Warn(std::move(warning));
    for (std::string& warning : RayJobSpecWarnings(found_.job.spec())) {
      outcome_.Warn(std::move(warning));
    }
    for (const FieldError& refusal : refusals_) {
      outcome_.Warn(absl::StrFormat("%s; KubeRay refuses such a RayJob",
                                    FormatFieldError(refusal)));
    }
  }

  // A submitter Job that its controller is about to give up counts as failed.
  // Where the report has none, it ends with the application whose logs it
  // follows.
  void Foresee() {
    if (SubmissionModeOf(found_.job.spec()) != kK8sJobMode) return;
    const RayJobStatus& status = found_.job.status();
    if (!found_.submitter.has_value()) {
      if (status.job_deployment_status() != kRunning) return;
      found_.submitter.emplace();
      if (!IsJobTerminal(status.job_status())) return;
      End("Complete", "", "");
      outcome_.Warn(
          "the submitter Job is not in the report: it is taken to end with "
          "the application");
      return;
    }
    if (StateOfSubmitterJob(*found_.submitter).finished_at.has_value()) return;
    const v1::FailureReport alone = SubmitterReport(input_.report, found_);
    submitter_ = KubernetesJobOutcome(
        {alone, input_.ledger, input_.semantics, input_.now, input_.patterns});
    if (submitter_.has_value() && submitter_->action == v1::Decision::FAIL &&
        submitter_->scope == v1::Decision::JOB) {
      End("Failed", submitter_->verdict.reason(),
          submitter_->verdict.message());
    }
  }

  void End(const std::string& type, const std::string& reason,
           const std::string& message) {
    auto& condition = *found_.submitter->mutable_status()->add_conditions();
    condition.set_type(type);
    condition.set_status("True");
    condition.set_reason(reason);
    condition.set_message(message);
    *condition.mutable_last_transition_time() = input_.now;
  }

  RayJobStatus Look() const {
    if (IsLeftAlone(found_.job)) return found_.job.status();
    Observed observed{found_, settings_, refusals_, input_.now};
    const RayJobStatus status = StatusAfterPass(observed);
    // The head is deleted and, having been up once, not made again.
    observed.head_is_gone =
        status.job_deployment_status() == kRunning &&
        SubmissionModeOf(found_.job.spec()) == kSidecarMode &&
        found_.head != nullptr && ShouldDeletePod(*found_.head);
    return observed.head_is_gone ? StatusAfterPass(observed) : status;
  }

  void AnswerRetry(std::string_view word, v1::Decision::Scope scope) {
    outcome_.Answer(word, v1::Decision::RETRY);
    outcome_.scope = scope;
  }

  void Count(const RayJobStatus& status) {
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["failed"] = status.failed();
    counters["succeeded"] = status.succeeded();
  }

  void Conclude(const RayJobStatus& status) {
    const std::string& state = status.job_deployment_status();
    outcome_.Explain(status.reason(), status.message());
    if (state == kRetrying) {
      AnswerRetry(state, v1::Decision::CLUSTER);
      Charge(status);
    } else if (state == kFailed) {
      outcome_.Answer(state, v1::Decision::FAIL);
      Charge(status);
      WarnOfLeftovers(status);
    } else if (state == kValidationFailed) {
      ConcludeRefused();
    } else if (state == kComplete || state == kSuspending ||
               state == kSuspended) {
      outcome_.Answer(state, v1::Decision::IGNORE);
    } else if (state == kNew &&
               found_.job.status().job_deployment_status() == kRetrying) {
      // Nothing is left of the last attempt: the next one begins.
      AnswerRetry("None", v1::Decision::CLUSTER);
      Charge(status);
    } else {
      AnswerWithoutEnd(status);
    }
  }

  void Charge(const RayJobStatus& status) {
    outcome_.Charge("backoffLimit", std::max(1, status.failed()),
                    std::max<std::int64_t>(
                        0, BackoffLimitOf(found_.job.spec(), settings_)));
    if (status.failed() <= 0) {
      outcome_.Warn(
          "status.failed is 0 although the attempt has failed; 1 is used");
    }
  }

  void WarnOfLeftovers(const RayJobStatus& status) {
    const RayJobSpec& spec = found_.job.spec();
    if (spec.cluster_selector().empty() &&
        !DeletesAfter(spec, status, settings_)) {
      outcome_.Warn(
          "nothing in the spec deletes the cluster after this end: it keeps "
          "its nodes");
    }
  }

  void ConcludeRefused() {
    const bool by_name = std::any_of(refusals_.begin(), refusals_.end(),
                                     [](const FieldError& refusal) {
                                       return refusal.field == "metadata.name";
                                     });
    outcome_.Answer(
        kValidationFailed,
        by_name ? v1::Decision::FAIL : v1::Decision::WAIT_FOR_SPEC_UPDATE);
    if (found_.job.status().job_deployment_status() == kValidationFailed) {
      outcome_.Warn(
          "a repaired spec is not enough: KubeRay has no way out of "
          "ValidationFailed but to delete and create the RayJob");
    }
  }

  // The attempt goes on; what becomes of calls and pods below it?
  void AnswerWithoutEnd(const RayJobStatus& status) {
    if (input_.report.has_creation_error()) return AnswerCreationError(status);
    if (AnswerForSubmitterPod()) return;
    if (AnswerForClusterPod()) return;
    const std::string& state = status.job_deployment_status();
    outcome_.Answer(state.empty() ? "None" : state, v1::Decision::IGNORE);
    if (status.has_job_status_check_failure_start_time() &&
        settings_.status_check_timeout) {
      outcome_.action = v1::Decision::WAIT;
      WaitUntil(ToTime(status.job_status_check_failure_start_time()) +
                absl::Seconds(settings_.status_check_timeout_seconds));
      outcome_.Warn(
          "Ray's dashboard does not answer: the attempt ends when it stays so");
    } else if (state == kInitializing || state == kWaiting) {
      outcome_.action = v1::Decision::WAIT;
      const absl::Time deadline = Deadline(status);
      if (deadline != absl::InfiniteFuture()) WaitUntil(deadline);
      WarnWithoutDeadline(status);
    } else if (const auto ended = SubmitterEnd();
               state == kRunning && ended.has_value()) {
      outcome_.action = v1::Decision::WAIT;
      if (settings_.submitter_finished_timeout) {
        WaitUntil(ToTime(*ended) +
                  absl::Seconds(kSubmitterFinishedTimeoutSeconds));
      }
      outcome_.Warn(
          "the submitter has ended, and Ray does not say yet how the "
          "application did");
    } else {
      outcome_.Warn(
          "nothing in the report ends the attempt: the KubeRay operator does "
          "nothing");
    }
  }

  [[nodiscard]] std::optional<google::protobuf::Timestamp> SubmitterEnd()
      const {
    if (found_.submitter.has_value()) {
      return StateOfSubmitterJob(*found_.submitter).finished_at;
    }
    if (SubmissionModeOf(found_.job.spec()) != kSidecarMode ||
        found_.head == nullptr) {
      return std::nullopt;
    }
    return StateOfSubmitterContainer(found_.job.spec(), *found_.head, settings_)
        .finished_at;
  }

  void AnswerCreationError(const RayJobStatus& status) {
    outcome_.Answer("None", v1::Decision::RETRY);
    outcome_.verdict.set_message(input_.report.creation_error().message());
    outcome_.Warn(
        "objects that cannot be created are tried again without end and "
        "without a count");
    WarnWithoutDeadline(status);
  }

  bool AnswerForSubmitterPod() {
    if (!submitter_.has_value() || submitter_->action != v1::Decision::RETRY) {
      return false;
    }
    AnswerRetry(kRunning, v1::Decision::POD);
    outcome_.verdict.set_message(submitter_->verdict.message());
    if (submitter_->verdict.has_delay()) {
      *outcome_.verdict.mutable_delay() = submitter_->verdict.delay();
    }
    if (!submitter_->charged_to.empty()) {
      outcome_.Charge("submitterConfig.backoffLimit", submitter_->used,
                      submitter_->limit);
    }
    return true;
  }

  bool AnswerForClusterPod() {
    const auto* const bad = FindIn(found_.cluster_pods, [](const Pod* pod) {
      return ShouldDeletePod(*pod);
    });
    if (bad == nullptr) return false;
    const bool head = *bad == found_.head;
    AnswerRetry(head ? "DeletedHeadPod" : "DeletedWorkerPod",
                v1::Decision::POD);
    outcome_.Warn(
        "pods of a cluster are replaced at once, without end and without a "
        "count");
    const RayJobStatus& status = found_.job.status();
    if (status.job_deployment_status() == kInitializing) {
      WarnWithoutDeadline(status);
    } else if (head) {
      outcome_.Warn(
          "the application is lost with its head: the attempt ends with "
          "AppFailed, SubmissionFailed or a grace period, or is submitted "
          "again unnoticed");
    }
    return true;
  }

  // Infinitely far away where none is set.
  absl::Time Deadline(const RayJobStatus& status) const {
    const RayJobSpec& spec = found_.job.spec();
    absl::Duration limit = absl::InfiniteDuration();
    // In Waiting only the second is looked at.
    if (spec.has_active_deadline_seconds() &&
        status.job_deployment_status() != kWaiting) {
      limit = absl::Seconds(spec.active_deadline_seconds());
    }
    if (spec.has_pre_running_deadline_seconds() &&
        settings_.pre_running_deadline) {
      limit =
          std::min(limit, absl::Seconds(spec.pre_running_deadline_seconds()));
    }
    return ToTime(status.start_time()) + limit;
  }

  void WarnWithoutDeadline(const RayJobStatus& status) {
    if (Deadline(status) != absl::InfiniteFuture()) return;
    outcome_.Warn(
        "neither activeDeadlineSeconds nor preRunningDeadlineSeconds ends an "
        "attempt that never runs");
  }

  void WaitUntil(absl::Time time) {
    const absl::Duration delay = std::clamp(
        time - ToTime(input_.now), absl::ZeroDuration(), kLongestDuration);
    auto& field = *outcome_.verdict.mutable_delay();
    field.set_seconds(absl::ToInt64Seconds(delay));
  }

  const NativeInput& input_;
  const Settings settings_;
  ReportedRayJob found_;
  const FieldErrors refusals_;
  // What the Job controller does about the submitter Job.
  std::optional<NativeOutcome> submitter_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace rayjob

std::optional<NativeOutcome> RayJobOutcome(const NativeInput& input) {
  if (!input.report.has_ray_job()) return std::nullopt;
  return rayjob::RayJobAnswer(input, rayjob::SettingsFor(input.semantics))
      .Run();
}

}  // namespace mulligan
