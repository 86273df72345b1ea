#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/operators/job/report.h"
#include "policy/operators/jobset/actions.h"
#include "policy/operators/jobset/conditions.h"
#include "policy/operators/jobset/creation.h"
#include "policy/operators/jobset/failure_policy.h"
#include "policy/operators/jobset/gates.h"
#include "policy/operators/jobset/reconcile.h"
#include "policy/operators/jobset/restart_budget.h"
#include "policy/operators/jobset/types.h"
#include "policy/operators/jobset/validation.h"
#include "policy/operators/kubernetes_field_error.h"
#include "policy/operators/kubernetes_gates.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace jobset {
namespace {

bool BelongsTo(const Job& job, const JobSet& job_set) {
  const auto& owners = job.metadata().owner_references();
  return std::none_of(owners.begin(), owners.end(), [&](const auto& owner) {
    return owner.kind() == "JobSet" &&
           owner.name() != job_set.metadata().name();
  });
}

bool IsFinished(const Job& job) {
  const auto& conditions = job.status().conditions();
  return std::any_of(
      conditions.begin(), conditions.end(), [](const JobCondition& condition) {
        return condition.status() == kTrue &&
               (condition.type() == kFailed || condition.type() == "Complete");
      });
}

class JobSetOutcome {
 public:
  JobSetOutcome(const NativeInput& input, GateSetup setup)
      : input_(input), job_set_(input.report.job_set()), gates_(setup.gates) {
    outcome_.warnings = std::move(setup.warnings);
    outcome_.verdict.set_operator_("JobSet");
    outcome_.verdict.set_semantics(std::move(setup.semantics));
  }

  NativeOutcome Run() && {
    Warn();
    CollectJobs();
    Pods pods;
    for (const Pod& pod : input_.report.pods()) pods.push_back(&pod);
    Jobs jobs;
    for (const Job& job : jobs_) jobs.push_back(&job);
    const absl::StatusOr<Pass> pass =
        Reconcile({job_set_, jobs, pods, gates_, input_.now});
    if (!pass.ok()) {
      Answer("Error", v1::Decision::WAIT);
      outcome_.verdict.set_message(std::string(pass.status().message()));
      outcome_.warnings.emplace_back(
          "the JobSet controller gets no further: it writes nothing and "
          "repeats the pass for ever");
      return std::move(outcome_);
    }
    Count(pass->status);
    if (pass->verdict.has_value()) {
      if (pass->verdict->patterns_used_up) {
        outcome_.warnings.emplace_back(kPatternsUsedUp);
      }
      Conclude(*pass->verdict, pass->status);
    } else {
      AnswerWithoutVerdict(pass->status);
    }
    return std::move(outcome_);
  }

 private:
  void Warn() {
    JobSetSpecIssues issues = ValidateJobSetSpec(job_set_.spec(), gates_);
    for (std::string& warning : issues.warnings) {
      outcome_.warnings.push_back(std::move(warning));
    }
    for (const FieldError& error : issues.errors) {
      // Reports may leave the groups out.
      if (job_set_.spec().replicated_jobs().empty() &&
          error.field.find("targetReplicatedJobs") != std::string::npos) {
        continue;
      }
      outcome_.refusals.push_back(
          absl::StrFormat("report.jobSet.%s; the webhook refuses such a JobSet",
                          FormatFieldError(error)));
    }
  }

  // The JobSet hears of a failed pod only when the Job controller has given
  // the Job up, so a Job that controller is about to give up counts as failed.
  void CollectJobs() {
    const auto reported = job::FindReportedJob(
        input_.report, job::GatesFor(input_.semantics).gates);
    for (const Job& job : input_.report.jobs()) {
      if (!BelongsTo(job, job_set_)) continue;
      jobs_.push_back(job);
      if (&job == reported.job && !IsFinished(job)) Foresee(jobs_.back());
    }
  }

  void Foresee(Job& job) {
    const auto outcome = KubernetesJobOutcome(input_);
    if (!outcome.has_value() || outcome->action != v1::Decision::FAIL ||
        outcome->scope != v1::Decision::JOB) {
      return;
    }
    JobCondition& failed = *job.mutable_status()->add_conditions();
    failed.set_type(std::string(kFailed));
    failed.set_status(std::string(kTrue));
    failed.set_reason(outcome->verdict.reason());
    failed.set_message(outcome->verdict.message());
    *failed.mutable_last_transition_time() = input_.now;
  }

  void Answer(std::string_view word, v1::Decision::Action action) {
    outcome_.verdict.set_verdict(std::string(word));
    outcome_.action = action;
    outcome_.scope = v1::Decision::JOB_SET;
  }

  void Count(const JobSetStatus& status) {
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["restarts"] = status.restarts();
    counters["restartsCountTowardsMax"] = status.restarts_count_towards_max();
    for (int i = 0; i < status.replicated_jobs_status_size(); ++i) {
      const ReplicatedJobStatus& group = status.replicated_jobs_status(i);
      const auto count = [&](std::string_view name, const auto& values) {
        for (int j = 0; j < values.size(); ++j) {
          counters[absl::StrFormat("replicatedJobsStatus[%d].%s[%d]", i, name,
                                   j)] = values.Get(j);
        }
      };
      count("jobRestarts", group.job_restarts());
      count("jobRestartsCountTowardsMax",
            group.job_restarts_count_towards_max());
    }
  }

  void Conclude(const Verdict& verdict, const JobSetStatus& status) {
    const bool fails = verdict.action == kFailJobSet;
    Answer(verdict.action, fails ? v1::Decision::FAIL : v1::Decision::RETRY);
    outcome_.verdict.set_reason(verdict.reason);
    outcome_.verdict.set_message(verdict.message);
    if (verdict.counted) {
      outcome_.charged_to = "maxRestarts";
      // A failure beyond the budget is in no counter.
      outcome_.used = CountedRestarts(status, gates_) + (fails ? 1 : 0);
      outcome_.limit = std::max<std::int64_t>(
          0, job_set_.spec().failure_policy().max_restarts());
    }
    if (!fails) outcome_.queue = v1::Decision::IN_PLACE;
    if (verdict.restarts_job) {
      outcome_.scope = v1::Decision::JOB;
      NameUnhandled(*verdict.job);
    }
  }

  void NameUnhandled(const Job& handled) {
    std::vector<std::string> names;
    for (const Job& job : jobs_) {
      if (&job != &handled && FailedCondition(job) != nullptr) {
        names.push_back(job.metadata().name());
      }
    }
    if (names.empty()) return;
    outcome_.warnings.push_back(absl::StrFormat(
        "one Job is handled per pass; failed Jobs left to later passes: %s",
        absl::StrJoin(names, ", ")));
  }

  void AnswerWithoutVerdict(const JobSetStatus& status) {
    for (const std::string_view end : {kFailed, kCompleted}) {
      if (!IsConditionTrue(status.conditions(), end) &&
          status.terminal_state() != end) {
        continue;
      }
      Answer(end, end == kFailed ? v1::Decision::FAIL : v1::Decision::IGNORE);
      if (const auto* const why = FindCondition(status.conditions(), end)) {
        outcome_.verdict.set_reason(why->reason());
        outcome_.verdict.set_message(why->message());
      }
      return;
    }
    if (input_.report.has_creation_error()) return AnswerCreationError();
    if (job_set_.spec().suspend())
      return Answer("Suspended", v1::Decision::IGNORE);
    Answer("None", v1::Decision::IGNORE);
    outcome_.warnings.emplace_back(
        "no child Job of the current attempt in the report has the condition "
        "Failed: the JobSet controller does nothing about failed pods");
  }

  void AnswerCreationError() {
    const v1::CreationError& error = input_.report.creation_error();
    Answer("Retry", v1::Decision::RETRY);
    outcome_.queue = v1::Decision::IN_PLACE;
    const auto event = CreationFailedEvent(
        error.kind().empty() ? "Job" : error.kind(), "", error.message());
    if (!event.has_value()) return;
    outcome_.verdict.set_reason(event->reason);
    outcome_.verdict.set_message(event->message);
  }

  const NativeInput& input_;
  const JobSet& job_set_;
  const Gates gates_;
  std::vector<Job> jobs_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace jobset

std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input) {
  if (!input.report.has_job_set()) return std::nullopt;
  return jobset::JobSetOutcome(input, jobset::GatesFor(input.semantics)).Run();
}

}  // namespace mulligan
