#include "tests/stories/signs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "policy/base/conditions.h"
#include "policy/request/kind_names.h"
#include "tests/stories/pod_signs.h"

namespace mulligan::stories {
namespace {

namespace batch = kubernetes::batch::v1;
namespace core = kubernetes::core::v1;

// What a senior object shows about the work.
enum class State { kFine, kActedOn, kOpen };

template <typename Object>
int AttemptOf(const Object& object) {
  const auto& labels = object.metadata().labels();
  const auto label = labels.find("jobset.sigs.k8s.io/restart-attempt");
  int attempt = 0;
  if (label != labels.end() && !absl::SimpleAtoi(label->second, &attempt)) {
    return 0;
  }
  return attempt;
}

// The current attempt of a JobSet, as far as the report shows.
int LatestAttempt(const v1::FailureReport& report) {
  int latest = report.job_set().status().restarts();
  for (const auto& job : report.jobs()) {
    latest = std::max(latest, AttemptOf(job));
  }
  for (const auto& pod : report.pods()) {
    latest = std::max(latest, AttemptOf(pod));
  }
  return latest;
}

bool HasSucceeded(const batch::Job& job) {
  return IsTrue(job.status().conditions(), "Complete") ||
         IsTrue(job.status().conditions(), "SuccessCriteriaMet");
}

// Whether as many pods run as the Job still needs.
bool IsFull(const batch::Job& job) {
  const auto& status = job.status();
  int wanted = job.spec().has_parallelism() ? job.spec().parallelism() : 1;
  if (job.spec().has_completions()) {
    wanted = std::min(wanted,
                      job.spec().completions() - status.succeeded() -
                          status.uncounted_terminated_pods().succeeded_size());
  }
  return status.active() >= wanted;
}

bool IsRefusedPods(const batch::Job& job, const v1::FailureReport& report) {
  return std::ranges::any_of(report.events(), [&job](const auto& event) {
    return event.reason() == "FailedCreate" &&
           event.involved_object().name() == job.metadata().name();
  });
}

State StateOfJob(const batch::Job& job, const v1::FailureReport& report) {
  const auto& status = job.status();
  const bool ended = IsTrue(status.conditions(), "Failed") ||
                     IsTrue(status.conditions(), "FailureTarget");
  if (!ended && status.failed() == 0 &&
      status.uncounted_terminated_pods().failed().empty() &&
      !IsRefusedPods(job, report)) {
    return State::kFine;
  }
  if (HasSucceeded(job) || AttemptOf(job) < LatestAttempt(report)) {
    return State::kActedOn;
  }
  return ended || !IsFull(job) ? State::kOpen : State::kActedOn;
}

State StateOfJobSet(const v1::FailureReport& report) {
  const auto& status = report.job_set().status();
  if (IsTrue(status.conditions(), "Failed")) return State::kOpen;
  if (IsTrue(status.conditions(), "RestartingJobSet")) return State::kActedOn;
  const bool failing =
      std::ranges::any_of(status.replicated_jobs_status(),
                          [](const auto& jobs) { return jobs.failed() > 0; });
  if (failing) return State::kOpen;
  return status.restarts() > 0 ? State::kActedOn : State::kFine;
}

State StateOfTrainJob(const v1::FailureReport& report) {
  const auto& status = report.train_job().status();
  const bool failing = std::ranges::any_of(
      status.jobs_status(), [](const auto& jobs) { return jobs.failed() > 0; });
  return failing || IsTrue(status.conditions(), "Failed") ? State::kOpen
                                                          : State::kFine;
}

State StateOfTrainingJob(const v1::FailureReport& report) {
  const auto& status = report.kubeflow_job().status();
  if (IsTrue(status.conditions(), "Failed")) return State::kOpen;
  if (IsTrue(status.conditions(), "Restarting")) return State::kActedOn;
  const bool failing = std::ranges::any_of(
      status.replica_statuses(),
      [](const auto& replicas) { return replicas.second.failed() > 0; });
  if (!failing) return State::kFine;
  return IsTrue(status.conditions(), "Running") ? State::kActedOn
                                                : State::kOpen;
}

State StateOfRay(const v1::FailureReport& report) {
  const auto& status = report.ray_job().status();
  if (!report.has_ray_job()) {
    const auto& cluster = report.ray_cluster().status();
    return cluster.state() == "failed" ||
                   IsTrue(cluster.conditions(), "ReplicaFailure")
               ? State::kOpen
               : State::kFine;
  }
  if (status.job_deployment_status() == "Retrying") return State::kActedOn;
  if (status.job_status() == "FAILED" || status.job_status() == "STOPPED" ||
      status.job_deployment_status().ends_with("Failed")) {
    return State::kOpen;
  }
  return status.failed() > 0 ? State::kActedOn : State::kFine;
}

State StateOfSpark(const v1::FailureReport& report) {
  const auto& status = report.spark_application().status();
  const std::string& state = status.application_state().state();
  if (state == "PENDING_RERUN") return State::kActedOn;
  if (state.find("FAIL") != std::string::npos || state == "UNKNOWN" ||
      state == "INVALIDATING") {
    return State::kOpen;
  }
  return status.execution_attempts() > 1 || status.submission_attempts() > 1
             ? State::kActedOn
             : State::kFine;
}

State StateOfQueue(const v1::FailureReport& report) {
  const auto& workload = report.kueue_workload();
  const auto& conditions = workload.status().conditions();
  const bool checked = std::ranges::all_of(
      workload.status().admission_checks(), [](const auto& check) {
        return check.state() != "Rejected" && check.state() != "Retry";
      });
  if (IsTrue(conditions, "Evicted") || IsTrue(conditions, "Preempted") ||
      !checked) {
    return IsTrue(conditions, "Admitted") ? State::kActedOn : State::kOpen;
  }
  return State::kFine;
}

std::vector<State> StatesOfOwners(const v1::FailureReport& report) {
  std::vector<State> states = {
      StateOfJobSet(report),      StateOfTrainJob(report),
      StateOfTrainingJob(report), StateOfRay(report),
      StateOfSpark(report),       StateOfQueue(report)};
  for (const auto& job : report.jobs()) {
    states.push_back(StateOfJob(job, report));
  }
  return states;
}

bool IsLost(const core::Node& node) {
  return !IsTrue(node.status().conditions(), "Ready");
}

bool IsOnLostNode(const core::Pod& pod, const v1::FailureReport& report) {
  return std::ranges::any_of(report.nodes(), [&pod](const auto& node) {
    return node.metadata().name() == pod.spec().node_name() && IsLost(node);
  });
}

// Ray restarts its workers, the Spark driver its executors.
bool IsReplacedByTheProgram(const core::Pod& pod,
                            const v1::FailureReport& report) {
  const auto& labels = pod.metadata().labels();
  const auto has = [&labels](const char* key, std::string_view value) {
    const auto label = labels.find(key);
    return label != labels.end() && label->second == value;
  };
  if (report.ray_job().status().job_status() == "RUNNING") {
    return has("ray.io/node-type", "worker");
  }
  return has("spark-role", "executor") &&
         report.spark_application().status().application_state().state() ==
             "RUNNING";
}

PodState StateWithNode(const core::Pod& pod, const v1::FailureReport& report) {
  const PodState state = StateOf(pod, report.observed_at().seconds());
  if (state != PodState::kEnded && IsOnLostNode(pod, report)) {
    return PodState::kTrouble;
  }
  return state;
}

// Whether a container of it ended with an error and runs again.
bool HasRestarted(const core::Pod& pod) {
  return std::ranges::any_of(
      pod.status().container_statuses(), [](const auto& container) {
        return container.last_state().terminated().exit_code() != 0;
      });
}

// Whether an event reports that the pod cannot start, as it does before the
// pod's status.
bool CannotStart(const core::Pod& pod, const v1::FailureReport& report) {
  return pod.status().phase() == "Pending" &&
         std::ranges::any_of(report.events(), [&pod](const auto& event) {
           return event.reason() == "Failed" &&
                  event.involved_object().name() == pod.metadata().name();
         });
}

}  // namespace

bool ShowsTrouble(const v1::FailureReport& report) {
  if (std::ranges::any_of(StatesOfOwners(report),
                          [](State state) { return state != State::kFine; })) {
    return true;
  }
  if (report.pods().empty() && std::ranges::any_of(report.nodes(), IsLost)) {
    return true;
  }
  return std::ranges::any_of(report.pods(), [&report](const auto& pod) {
    return StateWithNode(pod, report) != PodState::kFine || HasRestarted(pod);
  });
}

bool ShowsOpenTrouble(const v1::FailureReport& report) {
  const auto states = StatesOfOwners(report);
  if (std::ranges::find(states, State::kOpen) != states.end()) return true;
  if (report.pods().empty()) {
    return std::ranges::any_of(report.nodes(), IsLost);
  }
  const int latest = LatestAttempt(report);
  std::vector<const core::Pod*> bad;
  for (const core::Pod& pod : report.pods()) {
    const PodState state = StateWithNode(pod, report);
    if ((state < PodState::kTrouble && !CannotStart(pod, report)) ||
        AttemptOf(pod) < latest || IsReplacedByTheProgram(pod, report)) {
      continue;
    }
    bad.push_back(&pod);
  }
  return !WithoutReplaced(bad, report).empty();
}

bool ShowsSuccess(const v1::FailureReport& report, std::string_view top) {
  if (top == "SparkApplication") {
    return report.spark_application().status().application_state().state() ==
           "COMPLETED";
  }
  if (top == "RayJob") {
    return report.ray_job().status().job_status() == "SUCCEEDED";
  }
  if (top == "TrainJob") {
    return IsTrue(report.train_job().status().conditions(), "Complete");
  }
  if (IsTrainingKind(top)) {
    return IsTrue(report.kubeflow_job().status().conditions(), "Succeeded");
  }
  if (top == "JobSet") {
    return IsTrue(report.job_set().status().conditions(), "Completed");
  }
  return top == "Job" && std::ranges::any_of(report.jobs(), HasSucceeded);
}

}  // namespace mulligan::stories
