#include "policy/operators/job/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "policy/base/times.h"
#include "policy/operators/job/counting.h"
#include "policy/operators/job/defaults.h"
#include "policy/operators/job/finish_time.h"
#include "policy/operators/job/pods.h"
#include "policy/operators/jobset/child_jobs.h"
#include "policy/operators/jobset/gates.h"

namespace mulligan::job {
namespace {

bool IsSame(const std::string& uid, const std::string& name, const Job& job) {
  if (!uid.empty() && !job.metadata().uid().empty()) {
    return uid == job.metadata().uid();
  }
  return name == job.metadata().name();
}

bool Belongs(const Pod& pod, const Job& job, bool is_only_job) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.kind() == "Job") return IsSame(owner.uid(), owner.name(), job);
  }
  const auto& labels = pod.metadata().labels();
  for (const char* const label : {"batch.kubernetes.io/job-name", "job-name"}) {
    const auto found = labels.find(label);
    if (found != labels.end()) return found->second == job.metadata().name();
  }
  return is_only_job;
}

ReportedJob WithPods(const v1::FailureReport& report, const Job& job,
                     const Gates& gates) {
  ReportedJob reported;
  reported.job = &job;
  for (const Pod& pod : report.pods()) {
    if (Belongs(pod, job, report.jobs_size() == 1)) {
      reported.pods.push_back(&pod);
    }
  }
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

// Under which names the pod's Job may be found, the surest first; none: it is
// the only Job's.
std::vector<std::string> OwnerKeys(const Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.kind() == "Job") {
      return {"uid " + owner.uid(), "name " + owner.name()};
    }
  }
  const auto& labels = pod.metadata().labels();
  for (const char* const label : {"batch.kubernetes.io/job-name", "job-name"}) {
    const auto found = labels.find(label);
    if (found != labels.end()) return {"name " + found->second};
  }
  return {};
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
    const std::vector<std::string> keys = OwnerKeys(pod);
    if (keys.empty() && report.jobs_size() == 1) {
      pods[&report.jobs(0)].push_back(&pod);
    }
    for (const std::string& key : keys) {
      const auto found = jobs.find(key);
      if (found == jobs.end()) continue;
      pods[found->second].push_back(&pod);
      break;
    }
  }
  return pods;
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
  const auto& workload = report.workload();
  for (const Job* const job : jobs) {
    if (workload.kind() == "Job" &&
        IsSame(workload.uid(), workload.name(), *job)) {
      return WithPods(report, *job, gates);
    }
  }
  for (const Job* const job : jobs) {
    ReportedJob reported = WithPods(report, *job, gates);
    if (reported.failed_pod != nullptr) return reported;
  }
  return WithPods(report, *jobs.front(), gates);
}

std::map<const Job*, Ending> ForeseeFailures(
    const v1::FailureReport& report, const v1::NativeSemantics& semantics,
    const google::protobuf::Timestamp& now) {
  const Gates gates = GatesFor(semantics).gates;
  const std::map<const Job*, Pods> pods = PodsByJob(report);
  std::map<const Job*, Ending> failures;
  for (const Job& reported : report.jobs()) {
    Job job = reported;
    SetJobDefaults(gates, *job.mutable_spec());
    const auto owned = pods.find(&reported);
    const Decision decision = DecideJob(
        job, owned == pods.end() ? Pods() : owned->second, gates, ToTime(now));
    if (decision.ending.has_value() && decision.ending->failed) {
      failures.emplace(&reported, *decision.ending);
    }
  }
  return failures;
}

}  // namespace mulligan::job
