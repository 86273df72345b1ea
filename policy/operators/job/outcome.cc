#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/operators/job/backoff.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/decision.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/pod_failure_policy.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/job/report.h"
#include "policy/operators/job/settings.h"
#include "policy/operators/job/validation.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace job {
namespace {

// Budget that a terminal reason says is used up.
constexpr std::array<std::pair<const char*, const char*>, 4> kReasons = {{
    {"PodFailurePolicy", "backoffLimit"},
    {"BackoffLimitExceeded", "backoffLimit"},
    {"MaxFailedIndexesExceeded", "maxFailedIndexes"},
    {"FailedIndexes", "backoffLimitPerIndex"},
}};

class JobOutcome {
 public:
  JobOutcome(const NativeInput& input, const ReportedJob& reported,
             GateSetup<Gates> setup)
      : input_(input),
        reported_(reported),
        gates_(setup.gates),
        job_(*reported.job) {
    SetJobDefaults(gates_, *job_.mutable_spec());
    outcome_.warnings = std::move(setup.warnings);
    outcome_.verdict.set_operator_("Job");
    outcome_.verdict.set_semantics(std::move(setup.semantics));
  }

  NativeOutcome Run() && {
    Warn();
    decision_ = DecideJob(job_, reported_.pods, gates_, ToTime(input_.now));
    auto& counters = *outcome_.verdict.mutable_counters();
    counters["failed"] = CountOf(decision_.failed);
    counters["succeeded"] = CountOf(decision_.succeeded);
    if (decision_.ending.has_value()) {
      Conclude(*decision_.ending);
    } else if (spec().suspend()) {
      Answer("Suspended", v1::Decision::IGNORE, v1::Decision::JOB);
    } else if (reported_.failed_pod == nullptr) {
      Answer("None", v1::Decision::IGNORE, v1::Decision::JOB);
      outcome_.warnings.emplace_back(
          "no pod of the Job in the report has failed: the Job controller does "
          "nothing about pods that wait or run");
    } else {
      Continue(*reported_.failed_pod);
    }
    return std::move(outcome_);
  }

 private:
  const JobSpec& spec() const { return job_.spec(); }

  int JobIndex() const {
    const auto& jobs = input_.report.jobs();
    const auto found =
        std::find_if(jobs.begin(), jobs.end(),
                     [this](const Job& job) { return &job == reported_.job; });
    return static_cast<int>(found - jobs.begin());
  }

  void Warn() {
    const JobSpecIssues issues = ValidateJobSpec(spec());
    outcome_.warnings.insert(outcome_.warnings.end(), issues.warnings.begin(),
                             issues.warnings.end());
    for (const FieldError& error : issues.errors) {
      outcome_.refusals.push_back(absl::StrFormat(
          "report.jobs[%d].%s; the API server refuses such a Job", JobIndex(),
          FormatFieldError(error)));
    }
    const Pod* const pod = reported_.failed_pod;
    if (pod != nullptr && !HasTrackingFinalizer(*pod)) {
      outcome_.warnings.push_back(absl::StrFormat(
          "pod %s has no finalizer %s: its failure is taken as counted",
          pod->metadata().name(), kJobTrackingFinalizer));
    }
  }

  void Answer(const std::string& word, v1::Decision::Action action,
              v1::Decision::Scope scope) {
    outcome_.verdict.set_verdict(word);
    outcome_.action = action;
    outcome_.scope = scope;
  }

  void Conclude(const Ending& end) {
    Answer(end.failed ? "Failed" : "Complete",
           end.failed ? v1::Decision::FAIL : v1::Decision::IGNORE,
           v1::Decision::JOB);
    outcome_.verdict.set_reason(end.reason);
    outcome_.verdict.set_message(end.message);
    for (const auto& [reason, budget] : kReasons) {
      if (end.failed && reason == end.reason) Charge(budget);
    }
  }

  void Continue(const Pod& pod) {
    const PodFailureMatch match = MatchPodFailurePolicy(pod, spec(), gates_);
    if (!match.action.empty()) outcome_.verdict.set_reason("PodFailurePolicy");
    const bool per_index =
        IsIndexed(spec()) && HasBackoffLimitPerIndex(spec(), gates_);
    if (match.counts) {
      Charge(per_index ? "backoffLimitPerIndex" : "backoffLimit");
    }
    if (per_index && FailsIndex(pod, spec(), gates_)) {
      return Answer("FailIndex", v1::Decision::FAIL, v1::Decision::INDEX);
    }
    const std::string word = match.action.empty() ? "Count" : match.action;
    // One success is enough for a Job without completions: nothing new starts.
    if (!spec().has_completions() && decision_.succeeded > 0) {
      return Answer(word, v1::Decision::IGNORE, v1::Decision::POD);
    }
    Answer(word, v1::Decision::RETRY, v1::Decision::POD);
    outcome_.queue = v1::Decision::IN_PLACE;
    const absl::Duration delay =
        ReplacementDelay(job_, reported_.pods, pod, gates_, ToTime(input_.now));
    if (delay != absl::ZeroDuration()) {
      SetDuration(delay, *outcome_.verdict.mutable_delay());
    }
  }

  void Charge(const std::string& budget) {
    outcome_.charged_to = budget;
    if (budget == "backoffLimit") {
      outcome_.limit = spec().backoff_limit();
      outcome_.used =
          std::max(decision_.failures, CountedRestarts(spec(), reported_.pods));
    } else if (budget == "maxFailedIndexes") {
      outcome_.limit = spec().max_failed_indexes();
      outcome_.used = decision_.failed_indexes;
    } else {
      outcome_.limit = spec().backoff_limit_per_index();
      const Pod* const pod = reported_.failed_pod;
      outcome_.used = pod == nullptr ? 0 : IndexFailureCount(*pod) + 1;
    }
  }

  const NativeInput& input_;
  const ReportedJob& reported_;
  const Gates gates_;
  Job job_;
  Decision decision_;
  NativeOutcome outcome_;
};

}  // namespace
}  // namespace job

std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input) {
  auto setup = job::GatesFor(input.semantics);
  const job::ReportedJob reported =
      job::FindReportedJob(input.report, input.semantics, setup.gates);
  if (reported.job == nullptr) return std::nullopt;
  return job::JobOutcome(input, reported, std::move(setup)).Run();
}

}  // namespace mulligan
