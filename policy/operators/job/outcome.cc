#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/counts.h"
#include "policy/base/times.h"
#include "policy/operators/job/decision.h"
#include "policy/operators/job/failures.h"
#include "policy/operators/job/indexes.h"
#include "policy/operators/job/objects.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/native.h"

namespace mulligan {
namespace job {
namespace {

// The UID and name of the Job that has the pod, the former empty when only a
// label names it; nothing when nothing does.
std::optional<std::pair<std::string, std::string>> OwnerOf(const Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.kind() == "Job") return std::pair(owner.uid(), owner.name());
  }
  for (const char* const label : {"batch.kubernetes.io/job-name", "job-name"}) {
    const auto* const name = FindValue(pod.metadata().labels(), label);
    if (name != nullptr) return std::pair("", *name);
  }
  return std::nullopt;
}

// Nobody but the Job can have made what has none.
bool HasController(const Pod& pod) {
  return FindIn(pod.metadata().owner_references(), [](const auto& owner) {
           return owner.controller();
         }) != nullptr;
}

// The pods of each Job, in one go over both.
std::map<const Job*, Pods> PodsByJob(const v1::FailureReport& report) {
  std::map<std::string, const Job*> jobs;
  for (const Job& job : report.jobs()) {
    jobs.emplace("name " + job.metadata().name(), &job);
    if (!job.metadata().uid().empty()) {
      jobs.emplace("uid " + job.metadata().uid(), &job);
    }
  }
  std::map<const Job*, Pods> pods;
  for (const Pod& pod : report.pods()) {
    const auto owner = OwnerOf(pod);
    if (!owner.has_value()) {
      if (report.jobs_size() == 1 && !HasController(pod)) {
        pods[&report.jobs(0)].push_back(&pod);
      }
      continue;
    }
    // The surest first.
    for (const auto& key : {"uid " + owner->first, "name " + owner->second}) {
      const auto found = jobs.find(key);
      if (found == jobs.end() ||
          !IsSame(owner->first, owner->second, found->second->metadata())) {
        continue;
      }
      pods[found->second].push_back(&pod);
      break;
    }
  }
  return pods;
}

// Points into the report.
struct ReportedJob {
  // The Job the failure is about; null: there is none.
  const Job* job = nullptr;
  // Its pods in the report.
  Pods pods;
  // Of those the one that failed last, pods that are not accounted yet first;
  // null: none has failed.
  const Pod* failed_pod = nullptr;
};

ReportedJob WithPods(const Job& job, const Pods& pods, const Gates& gates) {
  ReportedJob reported;
  reported.job = &job;
  reported.pods = pods;
  const auto rank = [&](const Pod* pod) {
    return std::tuple(IsPodFailed(*pod, job.spec(), gates),
                      HasTrackingFinalizer(*pod), FinishTime(*pod, gates));
  };
  const auto last = std::max_element(
      reported.pods.begin(), reported.pods.end(),
      [&](const Pod* a, const Pod* b) { return rank(a) < rank(b); });
  if (last != reported.pods.end() && IsPodFailed(**last, job.spec(), gates)) {
    reported.failed_pod = *last;
  }
  return reported;
}

std::vector<const Job*> CurrentJobs(const v1::FailureReport& report,
                                    const v1::NativeSemantics& semantics) {
  const jobset::Gates gates = jobset::GatesFor(semantics).settings;
  std::vector<const Job*> jobs;
  for (const Job& job : report.jobs()) {
    if (!report.has_job_set() ||
        !jobset::IsOfEarlierAttempt(job, report.job_set().status(), gates)
             .value_or(false)) {
      jobs.push_back(&job);
    }
  }
  return jobs;
}

// The Job is the one report.workload names, else the first that has a failed
// pod in the report, else the first. Jobs of an earlier attempt of the reported
// JobSet are left out: their controller deletes them. Pods belong to it by
// owner reference, by their job-name label, or, when they have neither, because
// it is the only Job.
ReportedJob FindReportedJob(const v1::FailureReport& report,
                            const v1::NativeSemantics& semantics,
                            const Gates& gates) {
  const std::vector<const Job*> jobs = CurrentJobs(report, semantics);
  if (jobs.empty()) return {};
  std::map<const Job*, Pods> pods = PodsByJob(report);
  const auto& workload = report.workload();
  for (const Job* const job : jobs) {
    if (workload.kind() == "Job" &&
        IsSame(workload.uid(), workload.name(), job->metadata())) {
      return WithPods(*job, pods[job], gates);
    }
  }
  for (const Job* const job : jobs) {
    ReportedJob reported = WithPods(*job, pods[job], gates);
    if (reported.failed_pod != nullptr) return reported;
  }
  return WithPods(*jobs.front(), pods[jobs.front()], gates);
}

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
             const Setup<Gates>& setup)
      : input_(input),
        reported_(reported),
        gates_(setup.settings),
        job_(*reported.job),
        outcome_("Job", v1::Decision::JOB, setup) {
    SetJobDefaults(gates_, *job_.mutable_spec());
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
      outcome_.Answer("Suspended", v1::Decision::IGNORE);
    } else if (reported_.failed_pod == nullptr) {
      outcome_.Answer("None", v1::Decision::IGNORE);
      outcome_.Warn(
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
    outcome_.Take(ValidateJobSpec(spec()),
                  absl::StrFormat("report.jobs[%d]", JobIndex()),
                  "the API server refuses such a Job");
    const Pod* const pod = reported_.failed_pod;
    if (pod != nullptr && !HasTrackingFinalizer(*pod)) {
      outcome_.Warn(absl::StrFormat(
          "pod %s has no finalizer %s: its failure is taken as counted",
          pod->metadata().name(), kJobTrackingFinalizer));
    }
  }

  void Conclude(const Ending& end) {
    outcome_.Explain(end.reason, end.message);
    if (!end.failed) return outcome_.Answer("Complete", v1::Decision::IGNORE);
    outcome_.Answer("Failed", v1::Decision::FAIL);
    for (const auto& [reason, budget] : kReasons) {
      if (reason == end.reason) Charge(budget);
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
      outcome_.scope = v1::Decision::INDEX;
      return outcome_.Answer("FailIndex", v1::Decision::FAIL);
    }
    outcome_.scope = v1::Decision::POD;
    const std::string word = match.action.empty() ? "Count" : match.action;
    // One success is enough for a Job without completions: nothing new starts.
    if (!spec().has_completions() && decision_.succeeded > 0) {
      return outcome_.Answer(word, v1::Decision::IGNORE);
    }
    outcome_.Answer(word, v1::Decision::RETRY);
    const absl::Duration delay =
        ReplacementDelay(job_, reported_.pods, pod, gates_, ToTime(input_.now));
    if (delay != absl::ZeroDuration()) outcome_.Delay(delay);
  }

  void Charge(std::string_view budget) {
    if (budget == "backoffLimit") {
      outcome_.Charge(
          budget,
          std::max(decision_.failures, CountedRestarts(spec(), reported_.pods)),
          spec().backoff_limit());
    } else if (budget == "maxFailedIndexes") {
      outcome_.Charge(budget, decision_.failed_indexes,
                      spec().max_failed_indexes());
    } else {
      const Pod* const pod = reported_.failed_pod;
      outcome_.Charge(budget, pod == nullptr ? 0 : IndexFailureCount(*pod) + 1,
                      spec().backoff_limit_per_index());
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

std::map<const Job*, Ending> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now) {
  const Gates gates = GatesFor(semantics).settings;
  std::map<const Job*, Pods> pods = PodsByJob(report);
  std::map<const Job*, Ending> failures;
  for (const Job& reported : report.jobs()) {
    Job job = reported;
    SetJobDefaults(gates, *job.mutable_spec());
    const Decision decision =
        DecideJob(job, pods[&reported], gates, ToTime(now));
    if (decision.ending.has_value() && decision.ending->failed) {
      failures.emplace(&reported, *decision.ending);
    }
  }
  return failures;
}

}  // namespace job

std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input) {
  const auto setup = job::GatesFor(input.semantics);
  const job::ReportedJob reported =
      job::FindReportedJob(input.report, input.semantics, setup.settings);
  if (reported.job == nullptr) return std::nullopt;
  return job::JobOutcome(input, reported, setup).Run();
}

}  // namespace mulligan
