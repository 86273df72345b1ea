#include "policy/operators/job/report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "policy/base/times.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/jobset/objects.h"
#include "policy/operators/jobset/settings.h"

namespace mulligan::job {
namespace {

bool IsSame(const std::string& uid, const std::string& name, const Job& job) {
  if (!uid.empty() && !job.metadata().uid().empty()) {
    return uid == job.metadata().uid();
  }
  return name == job.metadata().name();
}

// The UID and name of the Job that has the pod, the former empty when only a
// label names it; nothing when nothing does.
std::optional<std::pair<std::string, std::string>> OwnerOf(const Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.kind() == "Job") return std::pair(owner.uid(), owner.name());
  }
  const auto& labels = pod.metadata().labels();
  for (const char* const label : {"batch.kubernetes.io/job-name", "job-name"}) {
    const auto found = labels.find(label);
    if (found != labels.end()) return std::pair("", found->second);
  }
  return std::nullopt;
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
      if (report.jobs_size() == 1) pods[&report.jobs(0)].push_back(&pod);
      continue;
    }
    // The surest first.
    for (const auto& key : {"uid " + owner->first, "name " + owner->second}) {
      const auto found = jobs.find(key);
      if (found == jobs.end() ||
          !IsSame(owner->first, owner->second, *found->second)) {
        continue;
      }
      pods[found->second].push_back(&pod);
      break;
    }
  }
  return pods;
}

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
  const jobset::Gates gates = jobset::GatesFor(semantics).gates;
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

}  // namespace

ReportedJob FindReportedJob(const v1::FailureReport& report,
                            const v1::NativeSemantics& semantics,
                            const Gates& gates) {
  const std::vector<const Job*> jobs = CurrentJobs(report, semantics);
  if (jobs.empty()) return {};
  std::map<const Job*, Pods> pods = PodsByJob(report);
  const auto& workload = report.workload();
  for (const Job* const job : jobs) {
    if (workload.kind() == "Job" &&
        IsSame(workload.uid(), workload.name(), *job)) {
      return WithPods(*job, pods[job], gates);
    }
  }
  for (const Job* const job : jobs) {
    ReportedJob reported = WithPods(*job, pods[job], gates);
    if (reported.failed_pod != nullptr) return reported;
  }
  return WithPods(*jobs.front(), pods[jobs.front()], gates);
}

std::map<const Job*, Ending> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now) {
  const Gates gates = GatesFor(semantics).gates;
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

}  // namespace mulligan::job
