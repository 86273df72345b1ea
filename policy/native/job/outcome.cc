#include <algorithm>
#include <array>
#include <tuple>

#include "absl/strings/str_format.h"
#include "policy/base/times.h"
#include "policy/native/answer.h"
#include "policy/native/job/decision.h"
#include "policy/native/job/failures.h"
#include "policy/native/job/indexes.h"
#include "policy/native/job/objects.h"
#include "policy/native/jobset/objects.h"

namespace mulligan {
namespace job {
namespace {

// Returns UID and name of the pod's Job; the UID is empty if only a label names
// the Job. Empty if nothing does.
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

// A pod without a controller can only have been created by the Job.
bool HasController(const Pod& pod) {
  return FindIn(pod.metadata().owner_references(), [](const auto& owner) {
           return owner.controller();
         }) != nullptr;
}

// Returns the pods of each Job in one pass over both.
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
    // The most reliable key first.
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
  // The Job of the failure; null if there is none.
  const Job* job = nullptr;
  Pods pods;
  // The one of them that failed last, preferring pods not counted yet; null if
  // none failed.
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
  const auto last = std::ranges::max_element(
      reported.pods,
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

// Returns the Job that report.workload names, else the first with a failed pod
// in the report, else the first. Skips Jobs of earlier attempts of the reported
// JobSet, which its controller deletes. Pods belong to a Job by owner reference
// or job-name label, or, without both, because it is the only Job.
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

// The budget that a terminal reason reports as used up.
constexpr std::array<std::pair<const char*, const char*>, 4> kReasons = {{
    {"PodFailurePolicy", "backoffLimit"},
    {"BackoffLimitExceeded", "backoffLimit"},
    {"MaxFailedIndexesExceeded", "maxFailedIndexes"},
    {"FailedIndexes", "backoffLimitPerIndex"},
}};

// The input of the steps.
struct Seen {
  const ReportedJob& reported;
  // With its defaults.
  const Job& job;
  const Gates& gates;
  const Decision& decision;
  const absl::Time now;

  const JobSpec& spec() const { return job.spec(); }
};

NativeCharge ChargeOf(const std::string& budget, const Seen& seen) {
  if (budget == "backoffLimit") {
    return {budget,
            std::max(seen.decision.failures,
                     CountedRestarts(seen.spec(), seen.reported.pods)),
            seen.spec().backoff_limit()};
  }
  if (budget == "maxFailedIndexes") {
    return {budget, seen.decision.failed_indexes,
            seen.spec().max_failed_indexes()};
  }
  const Pod* const pod = seen.reported.failed_pod;
  return {budget, pod == nullptr ? 0 : IndexFailureCount(*pod) + 1,
          seen.spec().backoff_limit_per_index()};
}

OperatorAnswer Ended(const Ending& end, const Seen& seen) {
  OperatorAnswer rest{.reason = end.reason, .message = end.message};
  if (!end.failed) return Ignores("Complete", rest);
  for (const auto& [reason, budget] : kReasons) {
    if (reason == end.reason) rest.charge = ChargeOf(budget, seen);
  }
  return Quits("Failed", rest);
}

OperatorAnswer PodFailed(const Pod& pod, const Seen& seen) {
  const JobSpec& spec = seen.spec();
  const PodFailureMatch match = MatchPodFailurePolicy(pod, spec, seen.gates);
  const bool per_index =
      IsIndexed(spec) && HasBackoffLimitPerIndex(spec, seen.gates);
  OperatorAnswer rest{.scope = v1::Decision::POD};
  if (!match.action.empty()) rest.reason = "PodFailurePolicy";
  if (match.counts) {
    rest.charge =
        ChargeOf(per_index ? "backoffLimitPerIndex" : "backoffLimit", seen);
  }
  if (per_index && FailsIndex(pod, spec, seen.gates)) {
    rest.scope = v1::Decision::INDEX;
    return Quits("FailIndex", rest);
  }
  const std::string verdict = match.action.empty() ? "Count" : match.action;
  // One success is enough for a Job without completions: nothing restarts.
  if (!spec.has_completions() && seen.decision.succeeded > 0) {
    return Ignores(verdict, rest);
  }
  const absl::Duration delay =
      ReplacementDelay(seen.job, seen.reported.pods, pod, seen.gates, seen.now);
  if (delay != absl::ZeroDuration()) rest.delay = delay;
  return Retries(verdict, rest);
}

OperatorAnswer AnswerTo(const Seen& seen) {
  const auto& end = seen.decision.ending;
  if (end.has_value()) return Ended(*end, seen);
  if (seen.spec().suspend()) return Ignores("Suspended");
  const Pod* const failed = seen.reported.failed_pod;
  if (failed != nullptr) return PodFailed(*failed, seen);
  return Idle(
      "no pod of the Job in the report has failed: the Job controller does "
      "nothing about pods that wait or run");
}

std::vector<std::string> JobRefusals(const FieldErrors& errors,
                                     const v1::FailureReport& report,
                                     const Job* refused) {
  const auto index =
      std::ranges::find_if(report.jobs(),
                           [&](const Job& job) { return &job == refused; }) -
      report.jobs().begin();
  return RefusalsOf(errors, absl::StrFormat("report.jobs[%d]", index),
                    "the API server refuses such a Job");
}

NativeOutcome OutcomeOf(const NativeInput& input, const ReportedJob& reported,
                        const Setup<Gates>& setup) {
  const Gates& gates = setup.settings;
  const absl::Time now = ToTime(input.now);
  Job job = *reported.job;
  SetJobDefaults(gates, *job.mutable_spec());
  const ObjectIssues issues = ValidateJobSpec(job.spec());
  std::vector<std::string> warnings = Appended(setup.warnings, issues.warnings);
  const Pod* const failed = reported.failed_pod;
  if (failed != nullptr && !HasTrackingFinalizer(*failed)) {
    warnings.push_back(absl::StrFormat(
        "pod %s has no finalizer %s: its failure is taken as counted",
        failed->metadata().name(), kJobTrackingFinalizer));
  }
  const Decision decision = DecideJob(job, reported.pods, gates, now);
  OperatorAnswer answer = AnswerTo({reported, job, gates, decision, now});
  answer.counters = {{"failed", decision.failed},
                     {"succeeded", decision.succeeded}};
  NativeOutcome outcome =
      OutcomeBy("Job", setup.semantics, v1::Decision::JOB, warnings, answer);
  outcome.refusals = JobRefusals(issues.errors, input.report, reported.job);
  return outcome;
}

}  // namespace

std::map<const Job*, Job> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now) {
  const Gates gates = GatesFor(semantics).settings;
  std::map<const Job*, Pods> pods = PodsByJob(report);
  std::map<const Job*, Job> failures;
  for (const Job& reported : report.jobs()) {
    Job job = reported;
    SetJobDefaults(gates, *job.mutable_spec());
    const std::optional<Ending> end =
        DecideJob(job, pods[&reported], gates, ToTime(now)).ending;
    if (!end.has_value() || !end->failed) continue;
    auto& failed = *failures.emplace(&reported, reported)
                        .first->second.mutable_status()
                        ->add_conditions();
    failed.set_type("Failed");
    failed.set_status("True");
    failed.set_reason(end->reason);
    failed.set_message(end->message);
    *failed.mutable_last_transition_time() = now;
  }
  return failures;
}

}  // namespace job

std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input) {
  const auto setup = job::GatesFor(input.semantics);
  const job::ReportedJob reported =
      job::FindReportedJob(input.report, input.semantics, setup.settings);
  if (reported.job == nullptr) return std::nullopt;
  return job::OutcomeOf(input, reported, setup);
}

}  // namespace mulligan
