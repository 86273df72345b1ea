#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/answer.h"
#include "policy/native/rayjob/decision.h"
#include "policy/native/rayjob/report.h"
#include "policy/native/rayjob/validation.h"

namespace mulligan {
namespace rayjob {
namespace {

// Returns whether KubeRay deletes anything after this end, now or later.
// onSuccess and onFailure depend on jobStatus, so nothing is deleted after an
// attempt that Ray did not end.
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
  return std::ranges::any_of(rules, [&](const auto& rule) {
    const auto& when = rule.condition();
    const bool applies =
        when.has_job_status()
            ? when.job_status() == status.job_status()
            : when.job_deployment_status() == status.job_deployment_status();
    return applies && deletes(rule.policy());
  });
}

// The input of the steps.
struct Seen {
  const NativeInput& input;
  const Settings& settings;
  const ReportedRayJob& found;
  const FieldErrors& refusals;
  // What the Job controller does about the submitter Job.
  const std::optional<NativeOutcome>& submitter;
  // After the pass; gives reason and message of most answers.
  const RayJobStatus& status;
  const OperatorAnswer base = {.reason = status.reason(),
                               .message = status.message()};

  const RayJobSpec& spec() const { return found.job.spec(); }
  const std::string& state() const { return status.job_deployment_status(); }
  const std::string& old_state() const {
    return found.job.status().job_deployment_status();
  }
};

// Returns whether a submitter Job must exist although the report has none.
bool IsSubmitterPresumed(const ReportedRayJob& found) {
  return SubmissionModeOf(found.job.spec()) == kK8sJobMode &&
         !found.submitter.has_value() &&
         found.job.status().job_deployment_status() == kRunning;
}

// Returns what the Job controller does about an unfinished submitter Job.
std::optional<NativeOutcome> AskForSubmitter(const NativeInput& input,
                                             const ReportedRayJob& found) {
  if (SubmissionModeOf(found.job.spec()) != kK8sJobMode ||
      !found.submitter.has_value() ||
      StateOfSubmitterJob(*found.submitter).finished_at.has_value()) {
    return std::nullopt;
  }
  const v1::FailureReport alone = SubmitterReport(input.report, found);
  return KubernetesJobOutcome(
      {alone, input.ledger, input.semantics, input.now, input.patterns});
}

// Treats a submitter Job that its controller is about to fail as failed. If the
// report has none, it ends with the application whose logs it follows.
std::optional<Job> ForeseenSubmitter(
    const ReportedRayJob& found, const std::optional<NativeOutcome>& outcome,
    const google::protobuf::Timestamp& now) {
  const bool presumed = IsSubmitterPresumed(found);
  const bool completes =
      presumed && IsJobTerminal(found.job.status().job_status());
  const bool fails = outcome.has_value() &&
                     outcome->action == v1::Decision::FAIL &&
                     outcome->scope == v1::Decision::JOB;
  std::optional<Job> submitter = presumed ? Job() : found.submitter;
  if (!completes && !fails) return submitter;
  auto& condition = *submitter->mutable_status()->add_conditions();
  condition.set_type(fails ? "Failed" : "Complete");
  condition.set_status("True");
  *condition.mutable_last_transition_time() = now;
  if (!fails) return submitter;
  condition.set_reason(outcome->verdict.reason());
  condition.set_message(outcome->verdict.message());
  return submitter;
}

RayJobStatus StatusAfter(Observed observed) {
  const RayJob& job = observed.job();
  const Pod* const head = observed.reported.head;
  if (IsLeftAlone(job)) return job.status();
  const RayJobStatus status = StatusAfterPass(observed);
  // The head is deleted and, because it was up before, not recreated.
  observed.head_is_gone = status.job_deployment_status() == kRunning &&
                          SubmissionModeOf(job.spec()) == kSidecarMode &&
                          head != nullptr && ShouldDeletePod(*head);
  return observed.head_is_gone ? StatusAfterPass(observed) : status;
}

// For an ended attempt, which counts towards the limit.
OperatorAnswer AttemptEnded(std::string_view verdict,
                            v1::Decision::Action action, const Seen& seen) {
  const std::int64_t limit = BackoffLimitOf(seen.spec(), seen.settings);
  const std::int32_t failed = seen.status.failed();
  OperatorAnswer rest = seen.base;
  rest.charge = {"backoffLimit", std::max(1, failed),
                 std::max<std::int64_t>(0, limit)};
  if (action == v1::Decision::RETRY) rest.scope = v1::Decision::CLUSTER;
  if (failed <= 0) {
    rest.warnings = {
        "status.failed is 0 although the attempt has failed; 1 is used"};
  }
  if (action == v1::Decision::FAIL && seen.spec().cluster_selector().empty() &&
      !DeletesAfter(seen.spec(), seen.status, seen.settings)) {
    rest.warnings.emplace_back(
        "nothing in the spec deletes the cluster after this end: it keeps its "
        "nodes");
  }
  return AnswerAs(verdict, action, rest);
}

OperatorAnswer Refused(const Seen& seen) {
  const bool by_name =
      std::ranges::any_of(seen.refusals, [](const FieldError& refusal) {
        return refusal.field == "metadata.name";
      });
  OperatorAnswer rest = seen.base;
  if (seen.old_state() == kValidationFailed) {
    rest.warnings = {
        "a repaired spec is not enough: KubeRay has no way out of "
        "ValidationFailed but to delete and create the RayJob"};
  }
  return AnswerAs(
      kValidationFailed,
      by_name ? v1::Decision::FAIL : v1::Decision::WAIT_FOR_SPEC_UPDATE, rest);
}

// Returns an infinite time if no deadline is set.
absl::Time Deadline(const RayJobStatus& status, const Seen& seen) {
  const RayJobSpec& spec = seen.spec();
  absl::Duration limit = absl::InfiniteDuration();
  // In Waiting, only preRunningDeadlineSeconds applies.
  if (spec.has_active_deadline_seconds() &&
      status.job_deployment_status() != kWaiting) {
    limit = absl::Seconds(spec.active_deadline_seconds());
  }
  if (spec.has_pre_running_deadline_seconds() &&
      seen.settings.pre_running_deadline) {
    limit = std::min(limit, absl::Seconds(spec.pre_running_deadline_seconds()));
  }
  return ToTime(status.start_time()) + limit;
}

std::vector<std::string> WarningWithoutDeadline(const RayJobStatus& status,
                                                const Seen& seen) {
  if (Deadline(status, seen) != absl::InfiniteFuture()) return {};
  return {
      "neither activeDeadlineSeconds nor preRunningDeadlineSeconds ends an "
      "attempt that never runs"};
}

OperatorAnswer CannotCreate(const Seen& seen) {
  OperatorAnswer rest = seen.base;
  rest.message = seen.input.report.creation_error().message();
  rest.warnings = Appended({"objects that cannot be created are tried again "
                            "without end and without a count"},
                           WarningWithoutDeadline(seen.status, seen));
  return Retries("None", rest);
}

OperatorAnswer SubmitterPodFailed(const NativeOutcome& below,
                                  const Seen& seen) {
  OperatorAnswer rest = seen.base;
  rest.scope = v1::Decision::POD;
  rest.message = below.verdict.message();
  if (below.verdict.has_delay()) {
    rest.delay = ToDuration(below.verdict.delay());
  }
  if (!below.charged_to.empty()) {
    rest.charge = {"submitterConfig.backoffLimit", below.used, below.limit};
  }
  return Retries(kRunning, rest);
}

std::optional<OperatorAnswer> ClusterPodDeleted(const Seen& seen) {
  const auto* const bad = FindIn(seen.found.cluster_pods, [](const Pod* pod) {
    return ShouldDeletePod(*pod);
  });
  if (bad == nullptr) return std::nullopt;
  const bool head = *bad == seen.found.head;
  OperatorAnswer rest = seen.base;
  rest.scope = v1::Decision::POD;
  rest.warnings = {
      "pods of a cluster are replaced at once, without end and without a "
      "count"};
  if (seen.old_state() == kInitializing) {
    rest.warnings = Appended(
        rest.warnings, WarningWithoutDeadline(seen.found.job.status(), seen));
  } else if (head) {
    rest.warnings.emplace_back(
        "the application is lost with its head: the attempt ends with "
        "AppFailed, SubmissionFailed or a grace period, or is submitted again "
        "unnoticed");
  }
  return Retries(head ? "DeletedHeadPod" : "DeletedWorkerPod", rest);
}

std::optional<google::protobuf::Timestamp> SubmitterEnd(const Seen& seen) {
  const ReportedRayJob& found = seen.found;
  if (found.submitter.has_value()) {
    return StateOfSubmitterJob(*found.submitter).finished_at;
  }
  if (SubmissionModeOf(found.job.spec()) != kSidecarMode ||
      found.head == nullptr) {
    return std::nullopt;
  }
  return StateOfSubmitterContainer(found.job.spec(), *found.head, seen.settings)
      .finished_at;
}

// Returns whole seconds.
absl::Duration DelayUntil(absl::Time time, const Seen& seen) {
  const absl::Duration delay = time - ToTime(seen.input.now);
  return absl::Trunc(std::max(delay, absl::ZeroDuration()), absl::Seconds(1));
}

// For an unfinished attempt: returns what it waits for.
OperatorAnswer AttemptGoesOn(const Seen& seen) {
  const RayJobStatus& status = seen.status;
  const std::string verdict = seen.state().empty() ? "None" : seen.state();
  OperatorAnswer rest = seen.base;
  if (status.has_job_status_check_failure_start_time() &&
      seen.settings.status_check_timeout) {
    rest.delay = DelayUntil(
        ToTime(status.job_status_check_failure_start_time()) +
            absl::Seconds(seen.settings.status_check_timeout_seconds),
        seen);
    rest.warnings = {
        "Ray's dashboard does not answer: the attempt ends when it stays so"};
    return Waits(verdict, rest);
  }
  if (seen.state() == kInitializing || seen.state() == kWaiting) {
    const absl::Time deadline = Deadline(status, seen);
    if (deadline != absl::InfiniteFuture()) {
      rest.delay = DelayUntil(deadline, seen);
    }
    rest.warnings = WarningWithoutDeadline(status, seen);
    return Waits(verdict, rest);
  }
  const auto ended = SubmitterEnd(seen);
  if (seen.state() == kRunning && ended.has_value()) {
    if (seen.settings.submitter_finished_timeout) {
      rest.delay = DelayUntil(
          ToTime(*ended) + absl::Seconds(kSubmitterFinishedTimeoutSeconds),
          seen);
    }
    rest.warnings = {
        "the submitter has ended, and Ray does not say yet how the application "
        "did"};
    return Waits(verdict, rest);
  }
  rest.warnings = {
      "nothing in the report ends the attempt: the KubeRay operator does "
      "nothing"};
  return Ignores(verdict, rest);
}

OperatorAnswer AnswerTo(const Seen& seen) {
  if (IsLeftAlone(seen.found.job)) {
    return Idle(
        "managed by another controller, or being deleted: the KubeRay operator "
        "does not look at it");
  }
  const std::string& state = seen.state();
  if (state == kRetrying) {
    return AttemptEnded(state, v1::Decision::RETRY, seen);
  }
  if (state == kFailed) return AttemptEnded(state, v1::Decision::FAIL, seen);
  if (state == kValidationFailed) return Refused(seen);
  if (state == kComplete || state == kSuspending || state == kSuspended) {
    return Ignores(state, seen.base);
  }
  if (state == kNew && seen.old_state() == kRetrying) {
    // Nothing is left of the last attempt, so the next one begins.
    return AttemptEnded("None", v1::Decision::RETRY, seen);
  }
  // The attempt goes on; check API calls and pods below it.
  if (seen.input.report.has_creation_error()) return CannotCreate(seen);
  if (seen.submitter.has_value() &&
      seen.submitter->action == v1::Decision::RETRY) {
    return SubmitterPodFailed(*seen.submitter, seen);
  }
  if (const auto deleted = ClusterPodDeleted(seen)) return *deleted;
  return AttemptGoesOn(seen);
}

std::vector<std::string> WarningsOf(const ReportedRayJob& found,
                                    const FieldErrors& refusals) {
  std::vector<std::string> warnings =
      Appended(found.warnings, RayJobSpecWarnings(found.job.spec()));
  for (const FieldError& refusal : refusals) {
    warnings.push_back(absl::StrFormat("%s; KubeRay refuses such a RayJob",
                                       FormatFieldError(refusal)));
  }
  if (IsSubmitterPresumed(found) &&
      IsJobTerminal(found.job.status().job_status())) {
    warnings.emplace_back(
        "the submitter Job is not in the report: it is taken to end with the "
        "application");
  }
  return warnings;
}

NativeOutcome OutcomeOf(const NativeInput& input) {
  const Setup<Settings> setup = SettingsFor(input.semantics);
  ReportedRayJob found = FindReportedRayJob(input.report, input.now);
  const FieldErrors refusals = ValidateRayJob(found.job, setup.settings);
  const std::vector<std::string> warnings =
      Appended(setup.warnings, WarningsOf(found, refusals));
  const auto submitter = AskForSubmitter(input, found);
  found.submitter = ForeseenSubmitter(found, submitter, input.now);
  const RayJobStatus status =
      StatusAfter({found, setup.settings, refusals, input.now});
  OperatorAnswer answer =
      AnswerTo({input, setup.settings, found, refusals, submitter, status});
  answer.counters = {{"failed", status.failed()},
                     {"succeeded", status.succeeded()}};
  return OutcomeBy("RayJob", setup.semantics, v1::Decision::WORKLOAD, warnings,
                   answer);
}

}  // namespace
}  // namespace rayjob

std::optional<NativeOutcome> RayJobOutcome(const NativeInput& input) {
  if (!input.report.has_ray_job()) return std::nullopt;
  return rayjob::OutcomeOf(input);
}

}  // namespace mulligan
