#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "policy/native/flyte/plugins.h"
#include "policy/native/objects.h"

namespace mulligan::flyte {
namespace {

using ObjectMeta = kubernetes::meta::v1::ObjectMeta;

// In lower case, because propeller writes "flyteworkflow".
constexpr std::array<std::string_view, 2> kOwners = {"flyteworkflow",
                                                     "taskaction"};
constexpr std::string_view kFinalizer = "flyte/flytek8s";
constexpr std::string_view kKeyPrefix = "flyte.org/";

template <typename Map>
bool HasKeyUnderFlyte(const Map& map) {
  return std::ranges::any_of(map, [](const auto& entry) {
    return entry.first.starts_with(kKeyPrefix);
  });
}

bool IsMarked(const ObjectMeta& metadata) {
  const auto& owners = metadata.owner_references();
  const auto& labels = metadata.labels();
  return std::ranges::any_of(
             owners,
             [](const auto& owner) {
               return HasText(kOwners, absl::AsciiStrToLower(owner.kind()));
             }) ||
         HasText(metadata.finalizers(), kFinalizer) ||
         (labels.contains("execution-id") && labels.contains("node-id")) ||
         HasKeyUnderFlyte(labels) || HasKeyUnderFlyte(metadata.annotations());
}

// Returns the reported custom resources that Flyte has plugins for.
std::vector<const ObjectMeta*> FlytesResources(
    const v1::FailureReport& report) {
  std::vector<const ObjectMeta*> found;
  if (report.has_ray_job()) found.push_back(&report.ray_job().metadata());
  if (report.has_spark_application()) {
    found.push_back(&report.spark_application().metadata());
  }
  if (report.has_kubeflow_job()) {
    found.push_back(&report.kubeflow_job().metadata());
  }
  if (report.has_job_set()) found.push_back(&report.job_set().metadata());
  return found;
}

bool RunsOnSpot(const v1::FailureReport& report, const ObjectMeta& metadata) {
  if (report.workload().has_interruptible()) {
    return report.workload().interruptible();
  }
  return ValueAt(metadata.labels(), "interruptible") == "true";
}

ReportedTask Observed(const v1::FailureReport& report,
                      const ObjectMeta& metadata, std::string plugin,
                      PhaseResult result, bool v2) {
  ReportedTask task;
  task.result = std::move(result);
  // checkResourcePhase: a deletion matters unless the task has ended.
  if (metadata.has_deletion_timestamp() && task.result.ok() &&
      !IsFailure(task.result->phase) && task.result->phase != Phase::kSuccess) {
    task.result =
        RetryableFailure(ErrorKind::kSystem, "UnexpectedObjectDeletion",
                         absl::StrFormat("object [%s/%s] terminated %s",
                                         metadata.namespace_(), metadata.name(),
                                         v2 ? "unexpectedly in the background"
                                            : "in the background, manually"));
  }
  task.plugin = std::move(plugin);
  task.created = TimeIfSet(metadata.creation_timestamp());
  task.interruptible = RunsOnSpot(report, metadata);
  if (report.has_creation_error()) {
    task.warnings.emplace_back(
        "creation_error: Flyte does not see what an operator could not create");
  }
  return task;
}

ReportedTask ObservedJobSet(const v1::FailureReport& report,
                            const Surroundings& around) {
  const auto& job_set = report.job_set();
  ReportedTask task =
      Observed(report, job_set.metadata(), "clustered-task",
               JobSetPhase(job_set, around), around.settings.rules.v2);
  const auto max_restarts = job_set.spec().failure_policy().max_restarts();
  if (max_restarts < 0) {
    task.warnings.insert(
        task.warnings.begin(),
        absl::StrFormat(
            "job_set.spec.failurePolicy.maxRestarts: Flyte refuses to make "
            "such a JobSet: failure_policy.max_restarts must be >= 0, got %d",
            max_restarts));
  }
  return task;
}

ReportedTask Launched(const v1::FailureReport& report,
                      const Settings& settings) {
  const std::string& kind = report.creation_error().kind();
  ReportedTask task;
  task.is_launch = true;
  task.is_pod = kind.empty() || kind == "Pod";
  task.plugin = task.is_pod ? "pod" : absl::AsciiStrToLower(kind);
  task.interruptible = RunsOnSpot(report, ObjectMeta());
  task.result = CreationPhase(report.creation_error(), task.is_pod, settings);
  return task;
}

ReportedTask ObservedPods(const v1::FailureReport& report,
                          const Settings& settings, absl::Time now) {
  const Pod* const failed = FindIn(report.pods(), [&](const Pod& pod) {
    return IsFailure(PodPhase(pod, settings, now).phase);
  });
  const Pod& pod = failed == nullptr ? report.pods(0) : *failed;
  PhaseInfo info = PodPhase(pod, settings, now);
  if (settings.rules.gpu_faults && IsFailure(info.phase)) {
    info = WithGpuFaults(std::move(info), pod, report.events(), now);
  }
  ReportedTask task = Observed(report, pod.metadata(), "pod", std::move(info),
                               settings.rules.v2);
  task.is_pod = true;
  if (report.pods_size() > 1) {
    task.warnings.push_back(absl::StrFormat(
        "Flyte judges every pod as a task of its own; this is about %s",
        pod.metadata().name()));
  }
  return task;
}

}  // namespace

bool HasFlyteMarks(const v1::FailureReport& report) {
  const auto objects = FlytesResources(report);
  return std::ranges::any_of(
             objects,
             [](const ObjectMeta* metadata) { return IsMarked(*metadata); }) ||
         std::ranges::any_of(report.pods(), [](const Pod& pod) {
           return IsMarked(pod.metadata());
         });
}

std::optional<ReportedTask> FindReportedTask(const v1::FailureReport& report,
                                             const Settings& settings,
                                             absl::Time now) {
  const Surroundings around = {report.pods(), settings, now};
  const bool v2 = settings.rules.v2;
  if (report.has_ray_job()) {
    return Observed(report, report.ray_job().metadata(), "ray",
                    RayJobPhase(report.ray_job(), around), v2);
  }
  if (report.has_spark_application()) {
    return Observed(report, report.spark_application().metadata(), "spark",
                    SparkApplicationPhase(report.spark_application(), around),
                    v2);
  }
  if (report.has_kubeflow_job() &&
      IsKubeflowKind(report.kubeflow_job().kind())) {
    return Observed(report, report.kubeflow_job().metadata(),
                    absl::AsciiStrToLower(report.kubeflow_job().kind()),
                    KubeflowJobPhase(report.kubeflow_job(), around), v2);
  }
  if (report.has_job_set() && v2) return ObservedJobSet(report, around);
  if (!FlytesResources(report).empty()) return std::nullopt;
  if (report.has_creation_error()) return Launched(report, settings);
  if (report.pods().empty()) return std::nullopt;
  return ObservedPods(report, settings, now);
}

}  // namespace mulligan::flyte
