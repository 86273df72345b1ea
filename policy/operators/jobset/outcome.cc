#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/limits.h"
#include "policy/operators/go_text.h"
#include "policy/operators/job/decision.h"
#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace jobset {
namespace {

using Pods = google::protobuf::RepeatedPtrField<Pod>;

constexpr std::string_view kController = "jobset.sigs.k8s.io/jobset-controller";
// Annotation of pods: the attempt their restart agent is at.
constexpr char kInPlaceRestartAttemptKey[] =
    "jobset.sigs.k8s.io/in-place-restart-attempt";

// Reasons of the events about objects that cannot be created.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3>
    kCreationReasons = {{{"Job", "JobCreationFailed"},
                         {"Service", "HeadlessServiceCreationFailed"},
                         {"PersistentVolumeClaim", "PVCCreationFailed"}}};

bool BelongsTo(const Job& job, const JobSet& job_set) {
  const auto& owners = job.metadata().owner_references();
  return std::none_of(owners.begin(), owners.end(), [&](const auto& owner) {
    return owner.kind() == "JobSet" &&
           owner.name() != job_set.metadata().name();
  });
}

bool IsLeftAlone(const JobSet& job_set) {
  const JobSetSpec& spec = job_set.spec();
  return job_set.metadata().has_deletion_timestamp() ||
         (spec.has_managed_by() && spec.managed_by() != kController) ||
         IsFinished(job_set.status());
}

bool IsTarget(const SuccessPolicy& policy, std::string_view group) {
  const auto& targets = policy.target_replicated_jobs();
  return targets.empty() || HasText(targets, group);
}

bool MeetsSuccessPolicy(const JobSetSpec& spec, const Jobs& successful) {
  if (successful.empty()) return false;
  const SuccessPolicy& policy = spec.success_policy();
  std::int64_t wanted = 0;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (IsTarget(policy, group.name())) wanted += ReplicasOf(group);
  }
  if (policy.operator_() == "Any") wanted = 1;
  return std::count_if(successful.begin(), successful.end(),
                       [&](const Job* job) {
                         return IsTarget(policy, ReplicatedJobNameOf(*job));
                       }) >= wanted;
}

std::int64_t MostContainerRestarts(const Pods& pods) {
  std::int64_t most = 0;
  for (const Pod& pod : pods) {
    for (const auto* const statuses : {&pod.status().init_container_statuses(),
                                       &pod.status().container_statuses()}) {
      for (const auto& container : *statuses) {
        most = std::max<std::int64_t>(most, container.restart_count());
      }
    }
  }
  return most;
}

// The highest attempt that a restart agent has written on a pod; 0 without.
absl::StatusOr<std::int64_t> HighestAttempt(const Pods& pods) {
  std::int64_t highest = 0;
  for (const Pod& pod : pods) {
    const std::string* const text =
        FindValue(pod.metadata().annotations(), kInPlaceRestartAttemptKey);
    if (HasPhase(pod, "Failed") || text == nullptr) continue;
    const std::int64_t attempt = GoInteger(*text).value_or(-1);
    if (attempt < 0 || attempt > std::numeric_limits<std::int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "invalid value for annotation %s, must be non-negative integer",
          kInPlaceRestartAttemptKey));
    }
    highest = std::max(highest, attempt);
  }
  return highest;
}

// Lists status.replicatedJobsStatus as the controller does: an entry for each
// group of the spec.
void KeepAttempts(const JobSetSpec& spec, JobSetStatus& status) {
  if (spec.replicated_jobs().empty()) return;
  google::protobuf::RepeatedPtrField<ReplicatedJobStatus> groups;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    ReplicatedJobStatus& entry = *groups.Add();
    if (const auto* const old =
            FindNamed(status.replicated_jobs_status(), group.name())) {
      entry = *old;
    }
    entry.set_name(group.name());
  }
  status.mutable_replicated_jobs_status()->Swap(&groups);
}

class JobSetAnswer {
 public:
  JobSetAnswer(const NativeInput& input, const Setup<Gates>& setup)
      : input_(input),
        job_set_(input.report.job_set()),
        gates_(setup.settings),
        patterns_(input.patterns != nullptr ? *input.patterns : own_patterns_),
        outcome_("JobSet", v1::Decision::JOB_SET, setup) {
    for (const Job& job : input.report.jobs()) {
      if (BelongsTo(job, job_set_)) jobs_.push_back(&job);
    }
  }

  NativeOutcome Run() && {
    Warn();
    const absl::StatusOr<std::optional<Decision>> decision = Decide();
    if (!decision.ok()) {
      outcome_.Answer("Error", v1::Decision::WAIT);
      outcome_.Explain("", std::string(decision.status().message()));
      outcome_.Warn(
          "the JobSet controller gets no further: it writes nothing and "
          "repeats the pass for ever");
      return std::move(outcome_);
    }
    Count();
    if (decision->has_value()) {
      Conclude(**decision);
    } else {
      AnswerWithoutDecision();
    }
    return std::move(outcome_);
  }

 private:
  const JobSetSpec& spec() const { return job_set_.spec(); }

  void Warn() {
    ObjectIssues issues = ValidateJobSetSpec(spec(), gates_, patterns_);
    // Reports may leave the groups out.
    if (spec().replicated_jobs().empty()) {
      std::erase_if(issues.errors, [](const FieldError& error) {
        return absl::StrContains(error.field, "targetReplicatedJobs");
      });
    }
    outcome_.Take(issues, "report.jobSet", "the webhook refuses such a JobSet");
  }

  // Reconcile of JobSet 0.12, with restarts counted in status_. The first that
  // applies:
  //   a JobSet being deleted, managed by another controller or at its end is
  //   left alone, and so are Jobs of earlier attempts
  //   a failed Job: the failure policy, suspended or not
  //   enough successful Jobs: action "Completed"
  //   with gate and strategy InPlaceRestart, too many restarts of the pods
  //   a Job that is about to fail: as a failed one, a pass later
  // Absent: nothing is done. An error is one of the controller's own: it writes
  // nothing and tries again for ever.
  absl::StatusOr<std::optional<Decision>> Decide() {
    if (IsLeftAlone(job_set_)) return std::nullopt;
    Jobs failed;
    Jobs successful;
    Jobs running;
    for (const Job* const job : jobs_) {
      const auto earlier = IsOfEarlierAttempt(*job, status_, gates_);
      if (!earlier.ok()) return earlier.status();
      if (*earlier) continue;
      const JobCondition* const finished = FinishedCondition(*job);
      Jobs& bucket = finished == nullptr           ? running
                     : finished->type() == kFailed ? failed
                                                   : successful;
      bucket.push_back(job);
    }
    KeepAttempts(spec(), status_);
    if (failed.empty()) {
      auto decision = DecideWithoutFailure(successful);
      if (!decision.ok() || decision->has_value()) return decision;
      failed = Foresee(running);
      if (failed.empty()) return std::nullopt;
    }
    return ApplyFailurePolicy(spec(), failed, gates_, patterns_, status_);
  }

  absl::StatusOr<std::optional<Decision>> DecideWithoutFailure(
      const Jobs& successful) {
    Decision decision;
    if (MeetsSuccessPolicy(spec(), successful)) {
      decision.action = std::string(kCompleted);
      decision.reason = "AllJobsCompleted";
      decision.message = "jobset completed successfully";
      return decision;
    }
    const auto& policy = spec().failure_policy();
    if (!gates_.in_place_restart ||
        policy.restart_strategy() != "InPlaceRestart") {
      return std::nullopt;
    }
    decision.used = MostContainerRestarts(input_.report.pods());
    if (decision.used <= policy.max_restarts()) {
      const auto highest = HighestAttempt(input_.report.pods());
      if (!highest.ok()) return highest.status();
      decision.used = *highest - (status_.restarts() -
                                  status_.restarts_count_towards_max());
    }
    if (decision.used <= policy.max_restarts()) return std::nullopt;
    decision.action = std::string(kFailJobSet);
    decision.reason = kReachedMaxRestarts;
    decision.message = kReachedMaxRestartsMessage;
    decision.counted = true;
    return decision;
  }

  // The JobSet hears of a failed pod only when the Job controller has given
  // the Job up, so Jobs that controller is about to give up are asked for.
  Jobs Foresee(const Jobs& running) {
    const std::map<const Job*, job::Ending> failures =
        job::ForeseeFailures(input_.report, input_.semantics, input_.now);
    Jobs failing;
    for (const Job* const job : running) {
      const auto found = failures.find(job);
      if (found == failures.end()) continue;
      Job& made = foreseen_.emplace_back(*job);
      JobCondition& failed = *made.mutable_status()->add_conditions();
      failed.set_type(std::string(kFailed));
      failed.set_status("True");
      failed.set_reason(found->second.reason);
      failed.set_message(found->second.message);
      *failed.mutable_last_transition_time() = input_.now;
      failing.push_back(&made);
    }
    return failing;
  }

  void Count() {
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["restarts"] = status_.restarts();
    counters["restartsCountTowardsMax"] = status_.restarts_count_towards_max();
    for (int i = 0; i < status_.replicated_jobs_status_size(); ++i) {
      const ReplicatedJobStatus& group = status_.replicated_jobs_status(i);
      const auto count = [&](std::string_view name, const auto& values) {
        for (int j = 0; j < values.size(); ++j) {
          if (counters.size() >= kMaxNativeCounters) return;
          counters[absl::StrFormat("replicatedJobsStatus[%d].%s[%d]", i, name,
                                   j)] = values.Get(j);
        }
      };
      count("jobRestarts", group.job_restarts());
      count("jobRestartsCountTowardsMax",
            group.job_restarts_count_towards_max());
    }
    if (counters.size() >= kMaxNativeCounters) {
      outcome_.Warn(
          absl::StrFormat("status.replicatedJobsStatus: only %d "
                          "counters are shown",
                          kMaxNativeCounters));
    }
  }

  void Conclude(const Decision& decision) {
    outcome_.Answer(decision.action,
                    decision.action == kFailJobSet  ? v1::Decision::FAIL
                    : decision.action == kCompleted ? v1::Decision::IGNORE
                                                    : v1::Decision::RETRY);
    outcome_.Explain(decision.reason, decision.message);
    if (decision.counted) {
      outcome_.Charge("maxRestarts", decision.used,
                      std::max(0, spec().failure_policy().max_restarts()));
    }
    if (IsJobAction(decision.action)) {
      outcome_.scope = v1::Decision::JOB;
      NameUnhandled(*decision.job);
    }
  }

  void NameUnhandled(const Job& handled) {
    std::vector<std::string> names;
    for (const Job* const job : jobs_) {
      if (job->metadata().name() != handled.metadata().name() &&
          FailedCondition(*job) != nullptr) {
        names.push_back(job->metadata().name());
      }
    }
    if (names.empty()) return;
    outcome_.Warn(absl::StrFormat(
        "one Job is handled per pass; failed Jobs left to later passes: %s",
        absl::StrJoin(names, ", ")));
  }

  void AnswerWithoutDecision() {
    for (const std::string_view end : {kFailed, kCompleted}) {
      if (!IsTrue(status_.conditions(), end) &&
          status_.terminal_state() != end) {
        continue;
      }
      if (const auto* const why = FindCondition(status_.conditions(), end)) {
        outcome_.Explain(why->reason(), why->message());
      }
      return outcome_.Answer(
          end, end == kFailed ? v1::Decision::FAIL : v1::Decision::IGNORE);
    }
    if (input_.report.has_creation_error()) return AnswerCreationError();
    if (spec().suspend()) {
      return outcome_.Answer("Suspended", v1::Decision::IGNORE);
    }
    outcome_.Answer("None", v1::Decision::IGNORE);
    outcome_.Warn(
        "no child Job of the current attempt in the report has the condition "
        "Failed: the JobSet controller does nothing about failed pods");
  }

  void AnswerCreationError() {
    const v1::CreationError& error = input_.report.creation_error();
    outcome_.Answer("Retry", v1::Decision::RETRY);
    for (const auto& [kind, reason] : kCreationReasons) {
      if (kind == (error.kind().empty() ? "Job" : error.kind())) {
        outcome_.Explain(reason, error.message());
      }
    }
  }

  const NativeInput& input_;
  const JobSet& job_set_;
  const Gates gates_;
  PatternAllowance own_patterns_;
  PatternAllowance& patterns_;
  // Child Jobs of all attempts.
  Jobs jobs_;
  JobSetStatus status_ = job_set_.status();
  // Jobs with the condition Failed that they will get.
  std::deque<Job> foreseen_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace jobset

std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input) {
  if (!input.report.has_job_set()) return std::nullopt;
  return jobset::JobSetAnswer(input, jobset::GatesFor(input.semantics)).Run();
}

}  // namespace mulligan
