#include "policy/demystify/odd_values.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "policy/base/excerpt.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Clocks of caller and cluster may differ by this much.
constexpr Seconds kFuture = 60;

using Warnings = std::vector<std::string>;

bool InFuture(const Context& context, Seconds time) {
  return Known(time) && Known(context.now) && time > context.now + kFuture;
}

// Of a pod, or of a Job or custom resource.
template <typename Status>
Seconds NewestCondition(const Status& status) {
  Seconds newest = kUnknownTime;
  for (const auto& condition : status.conditions()) {
    newest = std::max(newest, ToSeconds(condition.last_transition_time()));
  }
  return newest;
}

Seconds Newest(const core::PodStatus& status) {
  Seconds newest =
      std::max(ToSeconds(status.start_time()), NewestCondition(status));
  for (const core::ContainerStatus& container : status.container_statuses()) {
    newest = std::max(newest,
                      ToSeconds(container.state().terminated().finished_at()));
  }
  return newest;
}

bool HasTwo(const core::ContainerState& state) {
  return int{state.has_waiting()} + int{state.has_running()} +
             int{state.has_terminated()} >
         1;
}

bool InTwoStates(const core::ContainerStatus& status) {
  return HasTwo(status.state()) || HasTwo(status.last_state());
}

bool EndedBeforeItStarted(const core::ContainerState& state) {
  const core::ContainerStateTerminated& run = state.terminated();
  return Before(ToSeconds(run.finished_at()), ToSeconds(run.started_at()));
}

// What is odd about containers, each kind once a pod.
class ContainerChecks {
 public:
  ContainerChecks(const core::Pod& pod, Warnings& warnings)
      : pod_(pod), warnings_(warnings) {}

  template <typename Statuses>
  void Check(const Statuses& statuses) {
    for (const core::ContainerStatus& status : statuses) {
      if (InTwoStates(status)) {
        Warn(status, two_states_,
             "more than one of waiting, running and terminated is set");
      }
      if (status.restart_count() < 0) {
        Warn(status, negative_, "restartCount is negative");
      }
      if (EndedBeforeItStarted(status.state()) ||
          EndedBeforeItStarted(status.last_state())) {
        Warn(status, backwards_, "finishedAt is before startedAt");
      }
    }
  }

 private:
  void Warn(const core::ContainerStatus& status, bool& warned,
            const char* what) {
    if (warned) return;
    warned = true;
    warnings_.push_back(absl::StrCat("pod ", Excerpt(pod_.metadata().name()),
                                     ", container ", Excerpt(status.name()),
                                     ": ", what));
  }

  const core::Pod& pod_;
  Warnings& warnings_;
  bool two_states_ = false;
  bool negative_ = false;
  bool backwards_ = false;
};

struct Count {
  const char* field;
  std::int64_t value;
};

// Checks of the objects of one kind.
class ObjectChecks {
 public:
  ObjectChecks(const Context& context, const char* kind, Warnings& warnings)
      : context_(context), kind_(kind), warnings_(warnings) {}

  template <typename Object>
  void Times(const Object& object, std::initializer_list<Seconds> times) {
    if (future_ || !InFuture(context_, std::max(times))) return;
    future_ = true;
    Warn(object, " has times later than observedAt: clocks differ");
  }

  template <typename Object>
  void Counts(const Object& object, std::initializer_list<Count> counts) {
    if (negative_) return;
    std::string found;
    for (const Count& count : counts) {
      if (count.value >= 0) continue;
      absl::StrAppend(&found, negative_ ? ", " : ": ", count.field, " is ",
                      count.value);
      negative_ = true;
    }
    if (negative_) Warn(object, found + ": no count is negative");
  }

 private:
  template <typename Object>
  void Warn(const Object& object, std::string_view what) {
    const std::string& name = object.metadata().name();
    warnings_.push_back(
        absl::StrCat(kind_, name.empty() ? "" : " ", Excerpt(name)));
    warnings_.back().append(what);
  }

  const Context& context_;
  const char* const kind_;
  Warnings& warnings_;
  bool future_ = false;
  bool negative_ = false;
};

void CheckJobs(const Context& context, Warnings& warnings) {
  ObjectChecks checks(context, "Job", warnings);
  for (const auto& job : context.report.jobs()) {
    const auto& spec = job.spec();
    const auto& status = job.status();
    checks.Times(
        job, {ToSeconds(status.start_time()),
              ToSeconds(status.completion_time()), NewestCondition(status)});
    checks.Counts(job,
                  {{"parallelism", spec.parallelism()},
                   {"completions", spec.completions()},
                   {"backoffLimit", spec.backoff_limit()},
                   {"backoffLimitPerIndex", spec.backoff_limit_per_index()},
                   {"maxFailedIndexes", spec.max_failed_indexes()},
                   {"active", status.active()},
                   {"succeeded", status.succeeded()},
                   {"failed", status.failed()}});
  }
}

void CheckRay(const Context& context, Warnings& warnings) {
  if (context.report.has_ray_cluster()) {
    const auto& cluster = context.report.ray_cluster();
    ObjectChecks(context, "RayCluster", warnings)
        .Times(cluster, {NewestCondition(cluster.status())});
  }
  if (!context.report.has_ray_job()) return;
  const auto& job = context.report.ray_job();
  const auto& status = job.status();
  ObjectChecks checks(context, "RayJob", warnings);
  checks.Times(job,
               {ToSeconds(status.start_time()), ToSeconds(status.end_time()),
                NewestCondition(status.ray_cluster_status())});
  checks.Counts(job, {{"backoffLimit", job.spec().backoff_limit()},
                      {"succeeded", status.succeeded()},
                      {"failed", status.failed()}});
}

void CheckSpark(const Context& context, Warnings& warnings) {
  if (!context.report.has_spark_application()) return;
  const auto& application = context.report.spark_application();
  const auto& status = application.status();
  ObjectChecks checks(context, "SparkApplication", warnings);
  checks.Times(application, {ToSeconds(status.last_submission_attempt_time()),
                             ToSeconds(status.termination_time())});
  checks.Counts(application,
                {{"executionAttempts", status.execution_attempts()},
                 {"submissionAttempts", status.submission_attempts()}});
}

void CheckKubeflow(const Context& context, Warnings& warnings) {
  if (!context.report.has_kubeflow_job()) return;
  const auto& job = context.report.kubeflow_job();
  const auto& status = job.status();
  ObjectChecks checks(context, "training job", warnings);
  checks.Times(
      job, {ToSeconds(status.start_time()), ToSeconds(status.completion_time()),
            NewestCondition(status)});
  checks.Counts(job,
                {{"backoffLimit", job.spec().run_policy().backoff_limit()}});
}

}  // namespace

bool ContainerInTwoStates(const core::Pod& pod) {
  const core::PodStatus& status = pod.status();
  return std::any_of(status.container_statuses().begin(),
                     status.container_statuses().end(), InTwoStates) ||
         std::any_of(status.init_container_statuses().begin(),
                     status.init_container_statuses().end(), InTwoStates);
}

void CheckPod(const Context& context, const core::Pod& pod,
              Warnings& warnings) {
  const core::PodStatus& status = pod.status();
  const std::string& phase = status.phase();
  if (!phase.empty() && phase != "Failed" && phase != "Running" &&
      phase != "Pending" && phase != "Succeeded" && phase != "Unknown") {
    warnings.push_back(absl::StrCat("pod ", Excerpt(pod.metadata().name()),
                                    ": phase \"", Excerpt(phase),
                                    "\" is not known"));
  }
  if (Known(context.now) && InFuture(context, Newest(status))) {
    warnings.push_back(
        absl::StrCat("pod ", Excerpt(pod.metadata().name()),
                     " has times later than observedAt: clocks differ"));
  }
  ContainerChecks checks(pod, warnings);
  checks.Check(status.init_container_statuses());
  checks.Check(status.container_statuses());
}

void CheckObjects(const Context& context, Warnings& warnings) {
  const v1::FailureReport& report = context.report;
  CheckJobs(context, warnings);
  if (report.has_job_set()) {
    const auto& job_set = report.job_set();
    const auto& status = job_set.status();
    ObjectChecks checks(context, "JobSet", warnings);
    checks.Times(job_set, {NewestCondition(status)});
    checks.Counts(
        job_set,
        {{"maxRestarts", job_set.spec().failure_policy().max_restarts()},
         {"restarts", status.restarts()},
         {"restartsCountTowardsMax", status.restarts_count_towards_max()}});
  }
  CheckRay(context, warnings);
  if (report.has_train_job()) {
    ObjectChecks(context, "TrainJob", warnings)
        .Times(report.train_job(),
               {NewestCondition(report.train_job().status())});
  }
  if (report.has_kueue_workload()) {
    const auto& workload = report.kueue_workload();
    ObjectChecks checks(context, "Workload", warnings);
    checks.Times(workload, {NewestCondition(workload.status())});
    checks.Counts(workload, {{"requeueState.count",
                              workload.status().requeue_state().count()}});
  }
  CheckSpark(context, warnings);
  CheckKubeflow(context, warnings);
}

}  // namespace mulligan::demystify
