#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/native.h"
#include "policy/operators/trainjob/reconcile.h"

namespace mulligan {
namespace trainjob {
namespace {

// Whether the TrainJob controller makes objects of that kind; the others are
// made by the layers below. Without a kind it is taken to be the one meant.
bool MakesKind(std::string_view kind) {
  return kind != "Job" && kind != "Pod" && kind != "Service" &&
         kind != "PersistentVolumeClaim";
}

class Outcome {
 public:
  Outcome(const NativeInput& input, const Setup<Version>& setup)
      : input_(input),
        job_(input.report.train_job()),
        version_(setup.settings),
        below_(JobSetOutcome(input)),
        outcome_("TrainJob", v1::Decision::WORKLOAD, setup) {}

  NativeOutcome Run() && {
    const std::string& manager = job_.spec().managed_by();
    if (!version_.first_release && !manager.empty() &&
        manager != "trainer.kubeflow.org/trainjob-controller") {
      outcome_.Answer("Skipped", v1::Decision::IGNORE);
      outcome_.Explain("", "managed by " + manager);
      return std::move(outcome_);
    }
    const JobSet job_set = ForeseenJobSet();
    Observed observed{job_, version_, input_.now};
    if (input_.report.has_job_set()) observed.job_set = &job_set;
    if (input_.report.has_creation_error() &&
        MakesKind(input_.report.creation_error().kind())) {
      observed.objects = ObjectsAfter(input_.report.creation_error());
      observed.error = input_.report.creation_error().message();
    }
    const Pass pass = Reconcile(observed);
    Count(pass.status);
    Conclude(pass);
    return std::move(outcome_);
  }

 private:
  // A TrainJob sees only its JobSet, so one that its controller is about to
  // fail counts as failed.
  JobSet ForeseenJobSet() const {
    JobSet job_set = input_.report.job_set();
    if (!below_.has_value() || below_->action != v1::Decision::FAIL ||
        jobset::IsFinished(job_set.status())) {
      return job_set;
    }
    SetCondition(jobset::kFailed, kTrue, below_->verdict.reason(),
                 below_->verdict.message(), input_.now,
                 *job_set.mutable_status()->mutable_conditions());
    return job_set;
  }

  void AnswerBy(const Condition& condition, std::string_view word,
                v1::Decision::Action action) {
    outcome_.Answer(word, action);
    outcome_.Explain(condition.reason(), condition.message());
  }

  void Count(const TrainJobStatus& status) {
    auto& counters = *outcome_.verdict.mutable_counters();
    if (below_.has_value()) counters = below_->verdict.counters();
    for (int i = 0; i < status.jobs_status_size(); ++i) {
      const std::string path = absl::StrCat("jobsStatus[", i, "].");
      counters[path + "succeeded"] = status.jobs_status(i).succeeded();
      counters[path + "failed"] = status.jobs_status(i).failed();
      counters[path + "active"] = status.jobs_status(i).active();
    }
  }

  void Conclude(const Pass& pass) {
    const Conditions& conditions = pass.status.conditions();
    if (IsTrue(conditions, kFailed)) return Fail(conditions);
    if (IsTrue(conditions, kComplete)) {
      return AnswerBy(*FindCondition(conditions, kComplete), kComplete,
                      v1::Decision::IGNORE);
    }
    if (IsRevived(pass)) return Revive();
    const Condition* const created = FindCondition(conditions, kCreated);
    if (created != nullptr && created->status() == kFalse) {
      return AnswerBy(*created, "Created=False",
                      v1::Decision::WAIT_FOR_SPEC_UPDATE);
    }
    if (!pass.event.empty()) return RepeatPass(pass);
    if (job_.spec().suspend()) {
      return AnswerBy(*FindCondition(conditions, kSuspended), kSuspended,
                      v1::Decision::IGNORE);
    }
    if (below_.has_value()) return TakeOver();
    outcome_.Answer("None", v1::Decision::IGNORE);
    outcome_.Warn(
        "a TrainJob has no retry of its own; what happens is in its JobSet, "
        "which is not in the report");
  }

  void Fail(const Conditions& conditions) {
    const Condition& failed = *FindCondition(conditions, kFailed);
    AnswerBy(failed, kFailed, v1::Decision::FAIL);
    if (failed.reason() == kDeadlineExceeded) {
      outcome_.charged_to = "activeDeadlineSeconds";
    } else if (below_.has_value() && below_->action == v1::Decision::FAIL) {
      TakeCharges();
    }
  }

  // What the JobSet does is what happens to the TrainJob.
  void TakeOver() {
    outcome_.scope = below_->scope;
    outcome_.Answer(below_->verdict.verdict(), below_->action);
    outcome_.Explain(below_->verdict.reason(), below_->verdict.message());
    TakeCharges();
  }

  void TakeCharges() {
    outcome_.Charge(below_->charged_to, below_->used, below_->limit);
    outcome_.verdict.set_semantics(absl::StrCat(
        outcome_.verdict.semantics(), ", ", below_->verdict.semantics()));
    for (const std::string& warning : below_->warnings) outcome_.Warn(warning);
  }

  // Older releases forget that a job had failed.
  bool IsRevived(const Pass& pass) const {
    return IsTrue(job_.status().conditions(), kFailed) && pass.applies_job_set;
  }

  void Revive() {
    outcome_.Answer("JobSetRecreated", v1::Decision::RETRY);
    outcome_.Warn(
        "this release drops the condition Failed: with the JobSet gone, as the "
        "report has it, a new one is made, with a new budget, for ever");
  }

  void RepeatPass(const Pass& pass) {
    outcome_.Answer("Retry", v1::Decision::RETRY);
    outcome_.Explain("TrainJobResourcesCreationFailed", pass.event);
    outcome_.Warn(
        "the controller repeats the pass with growing delays for ever, "
        "whatever the error; nothing but an event tells");
  }

  const NativeInput& input_;
  const TrainJob& job_;
  const Version version_;
  // What the JobSet's controller does; nothing without a JobSet.
  const std::optional<NativeOutcome> below_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace trainjob

std::optional<NativeOutcome> TrainJobOutcome(const NativeInput& input) {
  if (!input.report.has_train_job()) return std::nullopt;
  return trainjob::Outcome(input, trainjob::VersionFor(input.semantics)).Run();
}

}  // namespace mulligan
