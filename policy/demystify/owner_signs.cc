// What the objects above the pods say of the work: given up, at work, or making
// single pods anew.
#include <algorithm>
#include <string_view>

#include "policy/base/conditions.h"
#include "policy/base/labels.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"
#include "policy/demystify/readers/readers.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Pods that another one has made anew as long as it runs.
struct Following {
  const char* role;
  std::string_view follower;
  std::string_view leader;
  const char* group;
};

constexpr Following kFollowings[] = {
    // KubeRay 1.5, for the head.
    {"ray.io/node-type", "worker", "head", "ray.io/cluster"},
    // Spark 3, the driver itself.
    {"spark-role", "executor", "driver", "spark-app-selector"},
};

// Whether the pod follows one of the report that runs.
bool LeaderRuns(const v1::FailureReport& report, int pod) {
  const auto& labels = report.pods(pod).metadata().labels();
  return std::ranges::any_of(kFollowings, [&](const Following& kind) {
    const std::string_view group = LabelOf(labels, kind.group);
    if (LabelOf(labels, kind.role) != kind.follower || group.empty()) {
      return false;
    }
    return std::ranges::any_of(report.pods(), [&](const core::Pod& other) {
      const auto& of_other = other.metadata().labels();
      return LabelOf(of_other, kind.role) == kind.leader &&
             LabelOf(of_other, kind.group) == group && PodRuns(other) &&
             !IsBeingStopped(other);
    });
  });
}

}  // namespace

bool OwnerGaveUp(const v1::FailureReport& report) {
  if (report.has_train_job()) {
    return HasEnded(report.train_job().status().conditions());
  }
  if (report.has_ray_job()) {
    return report.ray_job().status().job_deployment_status() == "Failed";
  }
  if (report.has_spark_application()) {
    return report.spark_application().status().application_state().state() ==
           "FAILED";
  }
  if (report.has_kubeflow_job()) {
    return HasEnded(report.kubeflow_job().status().conditions());
  }
  if (report.has_job_set()) {
    return HasEnded(report.job_set().status().conditions());
  }
  // Those of an earlier attempt of their JobSet have given up long ago.
  const int newest = NewestRestartAttempt(report);
  return std::ranges::any_of(report.jobs(), [newest](const auto& job) {
    return RestartAttemptOf(job.metadata()) >= newest &&
           HasEnded(job.status().conditions());
  });
}

bool OwnerGivesUp(const v1::FailureReport& report) {
  if (report.has_train_job() || report.has_ray_job() ||
      report.has_spark_application() || report.has_kubeflow_job() ||
      report.has_job_set()) {
    return OwnerGaveUp(report);
  }
  if (report.jobs_size() != 1) return false;
  const auto& conditions = report.jobs(0).status().conditions();
  return IsTrue(conditions, "FailureTarget") || HasEnded(conditions);
}

bool OwnerRuns(const v1::FailureReport& report) {
  if (report.has_ray_job()) {
    return report.ray_job().status().job_deployment_status() == "Running" &&
           report.ray_job().status().job_status() != "FAILED";
  }
  if (report.has_spark_application()) {
    return report.spark_application().status().application_state().state() ==
           "RUNNING";
  }
  if (report.has_kubeflow_job()) {
    const auto& conditions = report.kubeflow_job().status().conditions();
    return IsTrue(conditions, "Running") && !IsTrue(conditions, "Restarting") &&
           !HasEnded(conditions);
  }
  for (const auto& job : report.jobs()) {
    if (job.status().ready() > 0 && !HasEnded(job.status().conditions())) {
      return true;
    }
  }
  const auto& queue = report.kueue_workload().status().conditions();
  return IsTrue(queue, "Admitted") && IsTrue(queue, "PodsReady") &&
         !IsTrue(queue, "Evicted") && !IsTrue(queue, "Finished");
}

bool OwnerGoesOn(const v1::FailureReport& report, int pod) {
  const auto& labels = report.pods(pod).metadata().labels();
  if (report.has_ray_job()) {
    const auto& status = report.ray_job().status();
    return status.job_deployment_status() == "Running" &&
           status.job_status() != "FAILED" &&
           LabelOf(labels, "ray.io/node-type") == "worker";
  }
  if (report.has_spark_application()) {
    return report.spark_application().status().application_state().state() ==
               "RUNNING" &&
           LabelOf(labels, "spark-role") == "executor";
  }
  return LeaderRuns(report, pod);
}

}  // namespace mulligan::demystify
