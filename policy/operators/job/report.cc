#include "policy/operators/job/report.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "policy/operators/job/counting.h"
#include "policy/operators/job/finish_time.h"
#include "policy/operators/job/pods.h"

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

}  // namespace

ReportedJob FindReportedJob(const v1::FailureReport& report,
                            const Gates& gates) {
  if (report.jobs().empty()) return {};
  const auto& workload = report.workload();
  for (const Job& job : report.jobs()) {
    if (workload.kind() == "Job" &&
        IsSame(workload.uid(), workload.name(), job)) {
      return WithPods(report, job, gates);
    }
  }
  for (const Job& job : report.jobs()) {
    ReportedJob reported = WithPods(report, job, gates);
    if (reported.failed_pod != nullptr) return reported;
  }
  return WithPods(report, report.jobs(0), gates);
}

}  // namespace mulligan::job
