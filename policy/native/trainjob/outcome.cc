
#include "absl/strings/str_cat.h"
#include "policy/native/answer.h"
#include "policy/native/jobset/objects.h"
#include "policy/native/trainjob/reconcile.h"

namespace mulligan {
namespace trainjob {
namespace {

// What the JobSet's controller does; empty without a JobSet.
using Below = std::optional<NativeOutcome>;

// The input of the steps.
struct Seen {
  const TrainJob& job;
  const Pass& pass;
  const Below& below;

  const Conditions& conditions() const { return pass.status.conditions(); }
};

// Returns whether the TrainJob controller creates objects of that kind; the
// layers below create the others. True without a kind.
bool MakesKind(std::string_view kind) {
  return kind != "Job" && kind != "Pod" && kind != "Service" &&
         kind != "PersistentVolumeClaim";
}

bool IsFailed(const Below& below) {
  return below.has_value() && below->action == v1::Decision::FAIL;
}

// A TrainJob sees only its JobSet, so a JobSet about to fail counts as failed.
JobSet Foreseen(const NativeInput& input, const Below& below) {
  JobSet job_set = input.report.job_set();
  if (IsFailed(below) && !jobset::IsFinished(job_set.status())) {
    SetCondition(jobset::kFailed, kTrue, below->verdict.reason(),
                 below->verdict.message(), input.now,
                 *job_set.mutable_status()->mutable_conditions());
  }
  return job_set;
}

Pass PassOver(const NativeInput& input, const Version& version,
              const Below& below) {
  const v1::FailureReport& report = input.report;
  const JobSet job_set = Foreseen(input, below);
  Observed observed{report.train_job(), version, input.now};
  if (report.has_job_set()) observed.job_set = &job_set;
  if (const auto& error = report.creation_error();
      report.has_creation_error() && MakesKind(error.kind())) {
    observed.objects = ObjectsAfter(error);
    observed.error = error.message();
  }
  return Reconcile(observed);
}

// Includes the JobSet's counters.
Counters CountersOf(const Seen& seen) {
  Counters counters;
  if (seen.below.has_value()) {
    const auto& below = seen.below->verdict.counters();
    counters.insert(below.begin(), below.end());
  }
  const auto& groups = seen.pass.status.jobs_status();
  for (int i = 0; i < groups.size(); ++i) {
    const std::string path = absl::StrCat("jobsStatus[", i, "].");
    counters[path + "succeeded"] = groups[i].succeeded();
    counters[path + "failed"] = groups[i].failed();
    counters[path + "active"] = groups[i].active();
  }
  return counters;
}

// Adds the JobSet's charges and the semantics behind them.
OperatorAnswer Charged(const NativeOutcome& below, OperatorAnswer answer) {
  answer = ChargedAs(below, std::move(answer));
  answer.also_by = below.verdict.semantics();
  return answer;
}

OperatorAnswer Failed(const Seen& seen) {
  OperatorAnswer answer =
      AnswerBy(seen.conditions(), kFailed, v1::Decision::FAIL);
  if (answer.reason == kDeadlineExceeded) {
    answer.charge = {"activeDeadlineSeconds"};
    return answer;
  }
  return IsFailed(seen.below) ? Charged(*seen.below, answer) : answer;
}

// Older releases forget that a job has failed.
bool IsRevived(const Seen& seen) {
  return IsTrue(seen.job.status().conditions(), kFailed) &&
         seen.pass.applies_job_set;
}

OperatorAnswer CannotCreate(const std::string& event) {
  return Retries(
      "Retry",
      {.reason = "TrainJobResourcesCreationFailed",
       .message = event,
       .warnings = {"the controller repeats the pass with growing delays for "
                    "ever, whatever the error; only an event shows it"}});
}

// The JobSet's answer is that of the TrainJob.
OperatorAnswer LeftToJobSet(const NativeOutcome& below) {
  const v1::NativeVerdict& verdict = below.verdict;
  return Charged(below, AnswerAs(verdict.verdict(), below.action,
                                 {.reason = verdict.reason(),
                                  .message = verdict.message(),
                                  .scope = below.scope}));
}

OperatorAnswer AnswerAfterPass(const Seen& seen) {
  const Conditions& conditions = seen.conditions();
  if (IsTrue(conditions, kFailed)) return Failed(seen);
  if (IsTrue(conditions, kComplete)) {
    return AnswerBy(conditions, kComplete, v1::Decision::IGNORE);
  }
  if (IsRevived(seen)) {
    return Retries(
        "JobSetRecreated",
        {.warnings = {"this release drops the condition Failed: with the "
                      "JobSet gone, as the report has it, a new one is made, "
                      "with a new budget, for ever"}});
  }
  if (const Condition* const created = FindCondition(conditions, kCreated);
      created != nullptr && created->status() == kFalse) {
    return AnswerAs(
        "Created=False", v1::Decision::WAIT_FOR_SPEC_UPDATE,
        {.reason = created->reason(), .message = created->message()});
  }
  if (!seen.pass.event.empty()) return CannotCreate(seen.pass.event);
  if (seen.job.spec().suspend()) {
    return AnswerBy(conditions, kSuspended, v1::Decision::IGNORE);
  }
  if (seen.below.has_value()) return LeftToJobSet(*seen.below);
  return Idle(
      "a TrainJob has no retry of its own; what happens is in its JobSet, "
      "which is not in the report");
}

OperatorAnswer AnswerTo(const NativeInput& input, const Version& version,
                        const Below& below) {
  const TrainJob& job = input.report.train_job();
  const std::string& manager = job.spec().managed_by();
  if (!version.first_release && !manager.empty() &&
      manager != "trainer.kubeflow.org/trainjob-controller") {
    return LeftTo(manager);
  }
  const Pass pass = PassOver(input, version, below);
  const Seen seen{job, pass, below};
  OperatorAnswer answer = AnswerAfterPass(seen);
  answer.counters = CountersOf(seen);
  return answer;
}

}  // namespace
}  // namespace trainjob

std::optional<NativeOutcome> TrainJobOutcome(const NativeInput& input) {
  if (!input.report.has_train_job()) return std::nullopt;
  const auto setup = trainjob::VersionFor(input.semantics);
  return OutcomeBy(
      "TrainJob", setup.semantics, v1::Decision::WORKLOAD, setup.warnings,
      trainjob::AnswerTo(input, setup.settings, JobSetOutcome(input)));
}

}  // namespace mulligan
