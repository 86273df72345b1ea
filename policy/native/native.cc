#include "policy/native/native.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/labels.h"
#include "policy/base/times.h"
#include "policy/native/job/objects.h"
#include "policy/native/objects.h"
#include "policy/request/owner_graph.h"
#include "policy/request/recorded.h"

namespace mulligan {
namespace {

using Outcome = std::optional<NativeOutcome> (*)(const NativeInput&);

struct OperatorRow {
  // Value of NativeSemantics.operator.
  std::string_view name;
  // Kind of its workloads; empty if it handles several.
  std::string_view kind;
  Outcome outcome;
};

// Outermost first: each may own objects of later ones.
constexpr std::array<OperatorRow, 9> kOperators = {{
    {"kueue", "", WorkloadOutcome},
    {"flyte", "", FlyteOutcome},
    {"trainjob", "TrainJob", TrainJobOutcome},
    {"rayjob", "RayJob", RayJobOutcome},
    {"mpijob", "", MpiJobOutcome},
    {"kubeflow", "", TrainingJobOutcome},
    {"spark", "SparkApplication", SparkApplicationOutcome},
    {"jobset", "JobSet", JobSetOutcome},
    {"job", "Job", KubernetesJobOutcome},
}};

// Verdicts of an operator that does nothing about a failure for now.
constexpr std::array<std::string_view, 4> kIdle = {"None", "Pending", "Running",
                                                   "Skipped"};

bool IsIdle(const NativeOutcome& outcome) {
  return outcome.action == v1::Decision::IGNORE &&
         HasText(kIdle, outcome.verdict.verdict());
}

const OperatorRow* FindOperator(std::string_view name) {
  return FindIn(kOperators,
                [&](const OperatorRow& row) { return row.name == name; });
}

// 128 + SIGTERM.
constexpr int kTerminated = 143;

// Returns whether the object states how often its operator retries. A Job in a
// handwritten report may lack the API server's defaults.
bool StatesLimit(const v1::FailureReport& report) {
  return report.has_job_set() || report.has_ray_job() ||
         report.has_train_job() || report.has_spark_application() ||
         report.has_kubeflow_job() ||
         std::ranges::any_of(report.jobs(), [](const auto& job) {
           return job.spec().has_backoff_limit() ||
                  job.spec().has_backoff_limit_per_index();
         });
}

// Returns whether the owner of pods[pod] is known to replace failed pods: the
// report or the ledger of the owner, or of the JobSet above it, shows that this
// pod was created after the end of another with the same index. A retry that
// the ledger granted proves it only for pods of the Job controller, because the
// caller may have created others.
bool ReplacesPods(const NativeInput& input, int pod) {
  const auto& meta = input.report.pods(pod).metadata();
  const auto* owner = ControllerOf(meta);
  if (owner == nullptr) return false;
  const absl::Time created = ToTime(meta.creation_timestamp());
  const auto index = LabelOf(meta.annotations(), kCompletionIndexLabel);
  const auto& history = input.ledger.history();
  const std::string& of = input.ledger.workload_uid();
  const bool same_work =
      of == owner->uid() ||
      (!of.empty() && of == LabelOf(meta.labels(), kJobSetUidLabel));
  if (!history.empty() && same_work &&
      (history.rbegin()->part().empty() || history.rbegin()->part() == index) &&
      (history.rbegin()->retried_by() == v1::AttemptRecord::OPERATOR ||
       (LabelOf(meta.labels(), kControllerUidLabel) == owner->uid() &&
        RecordedEnd(*history.rbegin()) <= created))) {
    return true;
  }
  return std::ranges::any_of(input.report.pods(), [&](const auto& other) {
    // An end in time needs an earlier creation, which is cheap to compare.
    if (ToTime(other.metadata().creation_timestamp()) >= created) return false;
    const auto* made_by = ControllerOf(other.metadata());
    // For an unknown end, FinishTime returns the pod's creation.
    const absl::Time end = job::FinishTime(other, {});
    return made_by != nullptr && made_by->uid() == owner->uid() &&
           LabelOf(other.metadata().annotations(), kCompletionIndexLabel) ==
               index &&
           (other.status().phase() == "Failed" ||
            other.metadata().has_deletion_timestamp()) &&
           end > ToTime(other.metadata().creation_timestamp()) &&
           end <= created;
  });
}

// Returns whether the running application ends with the pod, the head of its
// cluster.
bool EndsWith(const kubernetes::ray::v1::RayJob& job,
              const kubernetes::core::v1::Pod& pod) {
  return job.status().job_deployment_status() == "Running" &&
         LabelOf(pod.metadata().labels(), "ray.io/node-type") == "head";
}

// Returns what the Job of the only pod does about its end; empty if it is not
// reported or states no limit.
std::optional<NativeOutcome> OutcomeOfJob(const NativeInput& input,
                                          const v1::FailureReport& seen) {
  v1::FailureReport alone;
  *alone.mutable_pods() = seen.pods();
  const auto* const owner = ControllerOf(seen.pods(0).metadata());
  for (const auto& job : seen.jobs()) {
    if (owner != nullptr && job.metadata().name() == owner->name()) {
      *alone.add_jobs() = job;
    }
  }
  if (alone.jobs().empty() || !StatesLimit(alone)) return std::nullopt;
  return KubernetesJobOutcome(
      {alone, input.ledger, input.semantics, input.now, input.patterns});
}

// Adds the condition of a failed Job; an empty reason means its usual one.
void Fail(const std::string& reason, const std::string& message,
          kubernetes::batch::v1::Job& job) {
  auto& failed = *job.mutable_status()->add_conditions();
  failed.set_type("Failed");
  failed.set_status("True");
  failed.set_reason(reason.empty() ? "BackoffLimitExceeded" : reason);
  failed.set_message(message);
}

// Returns whether KubeRay waits for the submitter although its job failed.
bool AwaitsSubmitter(const v1::FailureReport& report) {
  const auto& status = report.ray_job().status();
  return !report.jobs().empty() && status.job_status() == "FAILED" &&
         status.job_deployment_status() == "Running";
}

// Returns the report once all Jobs have failed.
v1::FailureReport WithFailedJobs(v1::FailureReport report) {
  for (auto& job : *report.mutable_jobs()) Fail("", "", job);
  return report;
}

// Returns what the operator will see once pods[pod] has ended: the ended pod,
// and the failed Job of a JobSet or application of a RayJob.
v1::FailureReport ReportAfterEnd(const NativeInput& input, int pod) {
  const v1::FailureReport& report = input.report;
  v1::FailureReport seen;
  *seen.mutable_workload() = report.workload();
  *seen.mutable_jobs() = report.jobs();
  if (report.has_job_set()) *seen.mutable_job_set() = report.job_set();
  if (report.has_train_job()) *seen.mutable_train_job() = report.train_job();
  if (report.has_kubeflow_job()) {
    *seen.mutable_kubeflow_job() = report.kubeflow_job();
  }
  if (report.has_spark_application()) {
    *seen.mutable_spark_application() = report.spark_application();
  }
  if (report.has_ray_job() && EndsWith(report.ray_job(), report.pods(pod))) {
    // The operator would ask Ray.
    seen.clear_jobs();
    *seen.mutable_ray_job() = report.ray_job();
    seen.mutable_ray_job()->mutable_status()->set_job_status("FAILED");
  }
  auto& ended = *seen.add_pods();
  ended = report.pods(pod);
  ended.mutable_status()->set_phase("Failed");
  for (auto& status : *ended.mutable_status()->mutable_container_statuses()) {
    if (!status.state().has_running()) continue;
    status.mutable_state()->mutable_terminated()->set_exit_code(kTerminated);
    status.mutable_state()->clear_running();
  }
  if (!seen.has_job_set()) return seen;
  const auto of_job = OutcomeOfJob(input, seen);
  if (of_job && of_job->action == v1::Decision::RETRY) return seen;
  const auto* const owner = ControllerOf(ended.metadata());
  for (auto& job : *seen.mutable_jobs()) {
    if (owner == nullptr || job.metadata().name() != owner->name()) continue;
    Fail(of_job ? of_job->verdict.reason() : "",
         of_job ? of_job->verdict.message() : "", job);
  }
  return seen;
}

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& input) {
  const std::string& name = input.semantics.operator_();
  if (!name.empty()) {
    const OperatorRow* const row = FindOperator(name);
    return row == nullptr ? std::nullopt : row->outcome(input);
  }
  const std::string& kind = input.report.workload().kind();
  const OperatorRow* const own =
      FindIn(kOperators, [&](const OperatorRow& row) {
        return !kind.empty() && row.kind == kind;
      });
  std::optional<NativeOutcome> idle;
  for (const OperatorRow& row : kOperators) {
    // Only operators of several kinds can be further out than the stated kind.
    const bool is_further_out = own != nullptr && &row < own;
    if (is_further_out && !row.kind.empty()) continue;
    std::optional<NativeOutcome> outcome = row.outcome(input);
    if (!outcome.has_value()) continue;
    // A refused object cannot exist, so the inner operators do not matter.
    if (IsIdle(*outcome) && outcome->refusals.empty()) {
      if (!idle.has_value()) idle = std::move(outcome);
      continue;
    }
    if (idle.has_value()) {
      outcome->warnings.push_back(absl::StrFormat(
          "%s does nothing about this failure, so %s answers",
          idle->verdict.operator_(), outcome->verdict.operator_()));
    }
    return outcome;
  }
  return idle;
}

std::string RetriesByItself(const NativeInput& input, int pod) {
  if (!StatesLimit(input.report)) {
    const bool says_more =
        !input.report.jobs().empty() || input.report.has_kueue_workload();
    return !says_more && pod >= 0 && ReplacesPods(input, pod)
               ? "its owner replaces pods that fail"
               : "";
  }
  std::optional<NativeOutcome> outcome;
  if (AwaitsSubmitter(input.report)) {
    const v1::FailureReport ended = WithFailedJobs(input.report);
    outcome = AnswerNatively(
        {ended, input.ledger, input.semantics, input.now, input.patterns});
  } else {
    outcome = AnswerNatively(input);
  }
  // A JobSet has not seen yet that its Job is going to fail.
  const bool of_inner = outcome && outcome->verdict.operator_() == "Job" &&
                        input.report.has_job_set();
  if (outcome && pod >= 0 &&
      (outcome->action != v1::Decision::FAIL || of_inner)) {
    // Other pods may have retries left when this pod's index has none.
    const v1::FailureReport seen = ReportAfterEnd(input, pod);
    auto alone = AnswerNatively(
        {seen, input.ledger, input.semantics, input.now, input.patterns});
    if (alone) outcome = std::move(alone);
  }
  if (!outcome || outcome->action != v1::Decision::RETRY ||
      outcome->verdict.operator_() == "kueue" ||
      outcome->verdict.operator_() == "flyte") {
    return {};
  }
  return outcome->charged_to.empty()
             ? "its operator retries it by itself"
             : absl::StrFormat(
                   "its operator retries it by itself: %d of %s %d used",
                   outcome->used, outcome->charged_to, outcome->limit);
}

bool IsNativeOperator(const std::string& name) {
  return FindOperator(name) != nullptr;
}

std::string NativeOperatorNames() {
  std::string names;
  for (const OperatorRow& row : kOperators) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace mulligan
