#include <algorithm>
#include <array>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/limits.h"
#include "policy/native/answer.h"
#include "policy/native/job/decision.h"
#include "policy/native/jobset/failure_policy.h"
#include "policy/native/jobset/objects.h"

namespace mulligan {
namespace jobset {
namespace {

using Pods = google::protobuf::RepeatedPtrField<Pod>;

// Pod annotation with the attempt of the restart agent.
constexpr char kInPlaceRestartAttemptKey[] =
    "jobset.sigs.k8s.io/in-place-restart-attempt";

// Event reasons for objects that cannot be created.
constexpr std::array<std::pair<const char*, const char*>, 3> kCreationReasons =
    {{{"Job", "JobCreationFailed"},
      {"Service", "HeadlessServiceCreationFailed"},
      {"PersistentVolumeClaim", "PVCCreationFailed"}}};

// Returns the reported Jobs that no other JobSet owns.
Jobs ChildJobs(const v1::FailureReport& report) {
  const std::string& name = report.job_set().metadata().name();
  Jobs jobs;
  for (const Job& job : report.jobs()) {
    const bool others = std::ranges::any_of(
        job.metadata().owner_references(), [&](const auto& owner) {
          return owner.kind() == "JobSet" && owner.name() != name;
        });
    if (!others) jobs.push_back(&job);
  }
  return jobs;
}

bool IsLeftAlone(const JobSet& job_set) {
  const JobSetSpec& spec = job_set.spec();
  return job_set.metadata().has_deletion_timestamp() ||
         (spec.has_managed_by() &&
          spec.managed_by() != "jobset.sigs.k8s.io/jobset-controller") ||
         IsFinished(job_set.status());
}

bool MeetsSuccessPolicy(const JobSetSpec& spec, const Jobs& successful) {
  if (successful.empty()) return false;
  const SuccessPolicy& policy = spec.success_policy();
  const auto is_target = [&](std::string_view group) {
    return policy.target_replicated_jobs().empty() ||
           HasText(policy.target_replicated_jobs(), group);
  };
  std::int64_t wanted = 0;
  for (const ReplicatedJob& group : spec.replicated_jobs()) {
    if (is_target(group.name())) wanted += ReplicasOf(group);
  }
  if (policy.operator_() == "Any") wanted = 1;
  return std::ranges::count_if(successful, [&](const Job* job) {
           return is_target(ReplicatedJobNameOf(*job));
         }) >= wanted;
}

std::int64_t MostContainerRestarts(const Pods& pods) {
  std::int64_t max = 0;
  for (const Pod& pod : pods) {
    for (const auto* const statuses : {&pod.status().init_container_statuses(),
                                       &pod.status().container_statuses()}) {
      for (const auto& container : *statuses) {
        max = std::max<std::int64_t>(max, container.restart_count());
      }
    }
  }
  return max;
}

// Returns the highest attempt that a restart agent wrote on a pod; 0 if none.
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

// Returns the status with an entry in replicatedJobsStatus for each group of
// the spec, as the controller keeps it.
JobSetStatus WithGroups(const JobSetSpec& spec, JobSetStatus status) {
  if (spec.replicated_jobs().empty()) return status;
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
  return status;
}

struct Observed {
  const NativeInput& input;
  const JobSet& job_set;
  const Gates& gates;
  PatternAllowance& patterns;
  // Child Jobs of all attempts.
  const Jobs& jobs;
};

struct Pass {
  // Includes the restarts that the decision counts.
  JobSetStatus status;
  // Empty if nothing is done.
  std::optional<Decision> decision = {};
};

// Child Jobs of the current attempt.
struct Children {
  Jobs failed;
  Jobs successful;
  Jobs running;
};

absl::StatusOr<Children> ChildrenOf(const Observed& observed) {
  Children children;
  for (const Job* const job : observed.jobs) {
    const auto earlier =
        IsOfEarlierAttempt(*job, observed.job_set.status(), observed.gates);
    if (!earlier.ok()) return earlier.status();
    if (*earlier) continue;
    const JobCondition* const finished = FinishedCondition(*job);
    Jobs& bucket = finished == nullptr           ? children.running
                   : finished->type() == kFailed ? children.failed
                                                 : children.successful;
    bucket.push_back(job);
  }
  return children;
}

absl::StatusOr<std::optional<Decision>> DecideWithoutFailure(
    const Observed& observed, const Children& children,
    const JobSetStatus& status) {
  if (MeetsSuccessPolicy(observed.job_set.spec(), children.successful)) {
    return Decision{.action = std::string(kCompleted),
                    .reason = "AllJobsCompleted",
                    .message = "jobset completed successfully"};
  }
  const auto& policy = observed.job_set.spec().failure_policy();
  if (!observed.gates.in_place_restart ||
      policy.restart_strategy() != "InPlaceRestart") {
    return std::nullopt;
  }
  const Pods& pods = observed.input.report.pods();
  std::int64_t used = MostContainerRestarts(pods);
  if (used <= policy.max_restarts()) {
    const auto highest = HighestAttempt(pods);
    if (!highest.ok()) return highest.status();
    used = *highest - (status.restarts() - status.restarts_count_towards_max());
  }
  if (used <= policy.max_restarts()) return std::nullopt;
  return Decision{.action = std::string(kFailJobSet),
                  .reason = kReachedMaxRestarts,
                  .message = kReachedMaxRestartsMessage,
                  .counted = true,
                  .used = used};
}

// Reconcile of JobSet 0.12. The first that applies:
//   a JobSet that is being deleted, managed by another controller or final is
//   ignored, as are Jobs of earlier attempts
//   a failed Job: the failure policy, even if suspended
//   enough successful Jobs: action "Completed"
//   with gate and strategy InPlaceRestart, too many restarts of the pods
//   a Job that is about to fail: as a failed one, a pass later
// Returns an error where the controller has one, writes nothing and retries
// forever.
absl::StatusOr<Pass> Reconcile(const Observed& observed) {
  const JobSetSpec& spec = observed.job_set.spec();
  Pass pass{observed.job_set.status()};
  if (IsLeftAlone(observed.job_set)) return pass;
  absl::StatusOr<Children> children = ChildrenOf(observed);
  if (!children.ok()) return children.status();
  pass.status = WithGroups(spec, std::move(pass.status));
  std::map<const Job*, Job> foreseen;
  if (children->failed.empty()) {
    auto decision = DecideWithoutFailure(observed, *children, pass.status);
    if (!decision.ok()) return decision.status();
    pass.decision = *std::move(decision);
    if (pass.decision.has_value()) return pass;
    // The JobSet sees a failed pod only after the Job controller has failed the
    // Job, so include Jobs about to fail.
    foreseen = job::ForeseeFailures(
        observed.input.report, observed.input.semantics, observed.input.now);
    for (const Job* const job : children->running) {
      const auto found = foreseen.find(job);
      if (found != foreseen.end()) children->failed.push_back(&found->second);
    }
  }
  if (children->failed.empty()) return pass;
  auto decision = ApplyFailurePolicy(spec, children->failed, observed.gates,
                                     observed.patterns, pass.status);
  if (!decision.ok()) return decision.status();
  pass.decision = *std::move(decision);
  return pass;
}

Counters CountersOf(const JobSetStatus& status) {
  Counters counters = {
      {"restarts", status.restarts()},
      {"restartsCountTowardsMax", status.restarts_count_towards_max()}};
  const auto count = [&](int group, std::string_view name, const auto& values) {
    for (int i = 0; i < values.size(); ++i) {
      if (counters.size() >= kMaxNativeCounters) return;
      counters[absl::StrFormat("replicatedJobsStatus[%d].%s[%d]", group, name,
                               i)] = values.Get(i);
    }
  };
  const auto& groups = status.replicated_jobs_status();
  for (int i = 0; i < groups.size(); ++i) {
    count(i, "jobRestarts", groups[i].job_restarts());
    count(i, "jobRestartsCountTowardsMax",
          groups[i].job_restarts_count_towards_max());
  }
  return counters;
}

std::vector<std::string> WarningOfUnhandled(const std::string& handled,
                                            const Jobs& jobs) {
  std::vector<std::string> names;
  for (const Job* const job : jobs) {
    if (job->metadata().name() != handled && FailedCondition(*job) != nullptr) {
      names.push_back(job->metadata().name());
    }
  }
  if (names.empty()) return {};
  return {absl::StrFormat(
      "one Job is handled per pass; failed Jobs left to later passes: %s",
      absl::StrJoin(names, ", "))};
}

OperatorAnswer AsDecided(const Decision& decision, const Observed& observed) {
  OperatorAnswer rest{.reason = decision.reason, .message = decision.message};
  if (decision.counted) {
    const auto limit = observed.job_set.spec().failure_policy().max_restarts();
    rest.charge = {"maxRestarts", decision.used, std::max(0, limit)};
  }
  if (IsJobAction(decision.action)) {
    rest.scope = v1::Decision::JOB;
    rest.warnings = WarningOfUnhandled(decision.job, observed.jobs);
  }
  return AnswerAs(decision.action,
                  decision.action == kFailJobSet  ? v1::Decision::FAIL
                  : decision.action == kCompleted ? v1::Decision::IGNORE
                                                  : v1::Decision::RETRY,
                  rest);
}

std::optional<OperatorAnswer> Ended(const JobSetStatus& status) {
  for (const auto& [end, action] :
       {std::pair(kFailed, v1::Decision::FAIL),
        std::pair(kCompleted, v1::Decision::IGNORE)}) {
    if (IsTrue(status.conditions(), end) || status.terminal_state() == end) {
      return AnswerBy(status.conditions(), end, action);
    }
  }
  return std::nullopt;
}

OperatorAnswer CannotCreate(const v1::CreationError& error) {
  const std::string kind = error.kind().empty() ? "Job" : error.kind();
  const auto* const row = FindIn(
      kCreationReasons, [&](const auto& each) { return each.first == kind; });
  if (row == nullptr) return Retries("Retry");
  return Retries("Retry", {.reason = row->second, .message = error.message()});
}

OperatorAnswer AnswerAfterPass(const Pass& pass, const Observed& observed) {
  if (pass.decision.has_value()) return AsDecided(*pass.decision, observed);
  if (const auto end = Ended(pass.status)) return *end;
  const v1::FailureReport& report = observed.input.report;
  if (report.has_creation_error()) return CannotCreate(report.creation_error());
  if (observed.job_set.spec().suspend()) {
    return Ignores("Suspended");
  }
  return Idle(
      "no child Job of the current attempt in the report has the condition "
      "Failed: the JobSet controller does nothing about failed pods");
}

OperatorAnswer AnswerTo(const Observed& observed) {
  const absl::StatusOr<Pass> pass = Reconcile(observed);
  if (!pass.ok()) {
    return Waits(
        "Error",
        {.message = std::string(pass.status().message()),
         .warnings = {"the JobSet controller is stuck: it writes nothing "
                      "and repeats the pass for ever"}});
  }
  OperatorAnswer answer = AnswerAfterPass(*pass, observed);
  answer.counters = CountersOf(pass->status);
  if (answer.counters.size() >= kMaxNativeCounters) {
    answer.warnings.insert(
        answer.warnings.begin(),
        absl::StrFormat(
            "status.replicatedJobsStatus: only %d counters are shown",
            kMaxNativeCounters));
  }
  return answer;
}

NativeOutcome OutcomeOf(const NativeInput& input) {
  const JobSet& job_set = input.report.job_set();
  const Setup<Gates> setup = GatesFor(input.semantics);
  PatternAllowance own_patterns;
  PatternAllowance& patterns =
      input.patterns == nullptr ? own_patterns : *input.patterns;
  ObjectIssues issues =
      ValidateJobSetSpec(job_set.spec(), setup.settings, patterns);
  // Reports may omit the groups.
  if (job_set.spec().replicated_jobs().empty()) {
    std::erase_if(issues.errors, [](const FieldError& error) {
      return absl::StrContains(error.field, "targetReplicatedJobs");
    });
  }
  const Jobs jobs = ChildJobs(input.report);
  NativeOutcome outcome =
      OutcomeBy("JobSet", setup.semantics, v1::Decision::JOB_SET,
                Appended(setup.warnings, issues.warnings),
                AnswerTo({input, job_set, setup.settings, patterns, jobs}));
  outcome.refusals = RefusalsOf(issues.errors, "report.jobSet",
                                "the webhook refuses such a JobSet");
  return outcome;
}

}  // namespace
}  // namespace jobset

std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input) {
  if (!input.report.has_job_set()) return std::nullopt;
  return jobset::OutcomeOf(input);
}

}  // namespace mulligan
