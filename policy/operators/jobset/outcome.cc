#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/operators/job/report.h"
#include "policy/operators/jobset/decision.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/jobset/validation.h"
#include "policy/operators/kubernetes_field_error.h"
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

// Reasons of the events about objects that cannot be created.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3>
    kCreationReasons = {{{"Job", "JobCreationFailed"},
                         {"Service", "HeadlessServiceCreationFailed"},
                         {"PersistentVolumeClaim", "PVCCreationFailed"}}};

class JobSetAnswer {
 public:
  JobSetAnswer(const NativeInput& input, GateSetup<Gates> setup)
      : input_(input),
        job_set_(input.report.job_set()),
        gates_(setup.gates),
        patterns_(input.patterns != nullptr ? *input.patterns : own_patterns_) {
    outcome_.warnings = std::move(setup.warnings);
    outcome_.verdict.set_operator_("JobSet");
    outcome_.verdict.set_semantics(std::move(setup.semantics));
  }

  NativeOutcome Run() && {
    Warn();
    Jobs jobs;
    for (const Job& job : input_.report.jobs()) {
      if (BelongsTo(job, job_set_)) jobs.push_back(&job);
    }
    Pods pods;
    for (const Pod& pod : input_.report.pods()) pods.push_back(&pod);
    const absl::StatusOr<Decision> decision = DecideJobSet(
        {job_set_, jobs, pods, gates_,
         [this](const Jobs& running) { return Foresee(running); }, patterns_});
    if (!decision.ok()) {
      Answer("Error", v1::Decision::WAIT);
      outcome_.verdict.set_message(std::string(decision.status().message()));
      outcome_.warnings.emplace_back(
          "the JobSet controller gets no further: it writes nothing and "
          "repeats the pass for ever");
      return std::move(outcome_);
    }
    Count(decision->status);
    if (decision->verdict.has_value()) {
      Conclude(*decision->verdict, jobs);
    } else {
      AnswerWithoutVerdict(decision->status);
    }
    return std::move(outcome_);
  }

 private:
  void Warn() {
    JobSetSpecIssues issues =
        ValidateJobSetSpec(job_set_.spec(), gates_, patterns_);
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
      failed.set_status(std::string(kTrue));
      failed.set_reason(found->second.reason);
      failed.set_message(found->second.message);
      *failed.mutable_last_transition_time() = input_.now;
      failing.push_back(&made);
    }
    return failing;
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

  void Conclude(const Verdict& verdict, const Jobs& jobs) {
    const bool fails = verdict.action == kFailJobSet;
    const bool ends = fails || verdict.action == kCompleted;
    Answer(verdict.action, fails  ? v1::Decision::FAIL
                           : ends ? v1::Decision::IGNORE
                                  : v1::Decision::RETRY);
    outcome_.verdict.set_reason(verdict.reason);
    outcome_.verdict.set_message(verdict.message);
    if (verdict.counted) {
      outcome_.charged_to = "maxRestarts";
      outcome_.used = verdict.used;
      outcome_.limit = std::max<std::int64_t>(
          0, job_set_.spec().failure_policy().max_restarts());
    }
    if (!ends) outcome_.queue = v1::Decision::IN_PLACE;
    if (IsJobAction(verdict.action)) {
      outcome_.scope = v1::Decision::JOB;
      NameUnhandled(*verdict.job, jobs);
    }
  }

  void NameUnhandled(const Job& handled, const Jobs& jobs) {
    std::vector<std::string> names;
    for (const Job* const job : jobs) {
      if (job->metadata().name() != handled.metadata().name() &&
          FailedCondition(*job) != nullptr) {
        names.push_back(job->metadata().name());
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
    for (const auto& [kind, reason] : kCreationReasons) {
      if (kind != (error.kind().empty() ? "Job" : error.kind())) continue;
      outcome_.verdict.set_reason(std::string(reason));
      outcome_.verdict.set_message(error.message());
    }
  }

  const NativeInput& input_;
  const JobSet& job_set_;
  const Gates gates_;
  PatternAllowance own_patterns_;
  PatternAllowance& patterns_;
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
