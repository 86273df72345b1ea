#include "policy/operators/flyte/report.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "mulligan/kubernetes/meta/v1/object_meta.pb.h"
#include "policy/operators/flyte/api_error.h"
#include "policy/operators/flyte/gpu_fault.h"
#include "policy/operators/flyte/jobset.h"
#include "policy/operators/flyte/kubeflow.h"
#include "policy/operators/flyte/launch.h"
#include "policy/operators/flyte/pod.h"
#include "policy/operators/flyte/ray.h"
#include "policy/operators/flyte/spark.h"
#include "policy/operators/flyte/types.h"
#include "policy/operators/kubernetes_time.h"

namespace mulligan::flyte {
namespace {

using job::IsZero;
using job::TimeOf;
using ObjectMeta = kubernetes::meta::v1::ObjectMeta;
using Event = kubernetes::core::v1::Event;

// In lower case: propeller writes "flyteworkflow".
constexpr std::array<std::string_view, 2> kOwners = {"flyteworkflow",
                                                     "taskaction"};
constexpr std::string_view kFinalizer = "flyte/flytek8s";
constexpr std::string_view kKeyPrefix = "flyte.org/";
constexpr std::string_view kInterruptibleLabel = "interruptible";

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

template <typename Map>
bool HasKeyUnderFlyte(const Map& map) {
  return std::any_of(map.begin(), map.end(), [](const auto& entry) {
    return entry.first.starts_with(kKeyPrefix);
  });
}

bool IsMarked(const ObjectMeta& metadata) {
  for (const auto& owner : metadata.owner_references()) {
    const std::string kind = Lower(owner.kind());
    if (std::find(kOwners.begin(), kOwners.end(), kind) != kOwners.end()) {
      return true;
    }
  }
  const auto& finalizers = metadata.finalizers();
  if (std::find(finalizers.begin(), finalizers.end(), kFinalizer) !=
      finalizers.end()) {
    return true;
  }
  const auto& labels = metadata.labels();
  return (labels.contains("execution-id") && labels.contains("node-id")) ||
         HasKeyUnderFlyte(labels) || HasKeyUnderFlyte(metadata.annotations());
}

// The custom resources Flyte has plugins for, as they are in the report.
std::vector<const ObjectMeta*> CustomResources(
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

std::optional<absl::Time> CreationOf(const ObjectMeta& metadata) {
  if (IsZero(metadata.creation_timestamp())) return std::nullopt;
  return TimeOf(metadata.creation_timestamp());
}

bool RunsOnSpot(const v1::FailureReport& report, const ObjectMeta& metadata) {
  if (report.workload().has_interruptible()) {
    return report.workload().interruptible();
  }
  const auto label = metadata.labels().find(std::string(kInterruptibleLabel));
  return label != metadata.labels().end() && label->second == "true";
}

// When a failed pod's last container ended.
absl::Time FailureTimeOf(const Pod& pod, absl::Time now) {
  absl::Time latest = absl::InfinitePast();
  for (const ContainerStatus& container : pod.status().container_statuses()) {
    const auto& end = container.state().terminated().finished_at();
    if (!IsZero(end)) latest = std::max(latest, TimeOf(end));
  }
  return latest == absl::InfinitePast() ? now : latest;
}

std::optional<absl::Time> TimeIfSet(
    const google::protobuf::Timestamp& timestamp) {
  if (IsZero(timestamp)) return std::nullopt;
  return TimeOf(timestamp);
}

// Faults of the pod's devices that can explain its failure, oldest first.
std::vector<GpuFault> GpuFaultsOf(const Pod& pod,
                                  const v1::FailureReport& report,
                                  absl::Time now) {
  const absl::Time failure = FailureTimeOf(pod, now);
  std::vector<std::pair<absl::Time, GpuFault>> found;
  for (const Event& event : report.events()) {
    const bool faulty =
        event.reason() == kXidEventReason || event.reason() == kSxidEventReason;
    if (!faulty || event.involved_object().uid() != pod.metadata().uid()) {
      continue;
    }
    const auto fault = ParseGpuFaultMessage(event.message());
    const auto from = TimeIfSet(event.first_timestamp());
    const auto until = TimeIfSet(event.last_timestamp());
    if (!fault.has_value() || !IsRelevantToFailure(from, until, failure)) {
      continue;
    }
    found.emplace_back(from.value_or(until.value_or(failure)), *fault);
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GpuFault> faults;
  for (auto& [time, fault] : found) faults.push_back(std::move(fault));
  return faults;
}

class TaskFinder {
 public:
  TaskFinder(const v1::FailureReport& report, const Settings& settings,
             absl::Time now)
      : report_(report), settings_(settings), now_(now) {
    for (const Pod& pod : report.pods()) pods_.push_back(&pod);
  }

  std::optional<ReportedTask> Find() && {
    if (report_.has_ray_job()) {
      Observe(
          report_.ray_job().metadata(), "ray",
          RayJobPhase(report_.ray_job(), pods_, std::nullopt, settings_, now_));
    } else if (report_.has_spark_application()) {
      Observe(report_.spark_application().metadata(), "spark",
              SparkApplicationPhase(report_.spark_application(), pods_,
                                    settings_, now_));
    } else if (report_.has_kubeflow_job() &&
               IsKubeflowKind(report_.kubeflow_job().kind())) {
      Observe(report_.kubeflow_job().metadata(),
              Lower(report_.kubeflow_job().kind()),
              KubeflowJobPhase(report_.kubeflow_job(), pods_, settings_, now_));
    } else if (report_.has_job_set() && settings_.rules.v2) {
      ObserveJobSet();
    } else if (!CustomResources(report_).empty()) {
      return std::nullopt;
    } else if (report_.has_creation_error()) {
      Launch();
    } else if (!pods_.empty()) {
      ObservePods();
    } else {
      return std::nullopt;
    }
    return std::move(task_);
  }

 private:
  void Observe(const ObjectMeta& metadata, std::string plugin,
               PhaseResult phase) {
    ObservedObject object;
    object.name =
        absl::StrFormat("%s/%s", metadata.namespace_(), metadata.name());
    object.plugin = std::move(phase);
    object.is_deleted = metadata.has_deletion_timestamp();
    task_.result = ObservedPhase(object, settings_.rules);
    task_.plugin = std::move(plugin);
    task_.created = CreationOf(metadata);
    task_.interruptible = RunsOnSpot(report_, metadata);
    if (report_.has_creation_error() && !task_.is_pod) {
      task_.warnings.emplace_back(
          "creation_error: Flyte does not see what an operator could not "
          "create");
    }
  }

  void ObserveJobSet() {
    const JobSet& job_set = report_.job_set();
    ClusteredTask task;
    task.max_restarts = job_set.spec().failure_policy().max_restarts();
    const auto policy = BuildFailurePolicy(task);
    if (!policy.ok()) {
      task_.warnings.push_back(absl::StrFormat(
          "job_set.spec.failurePolicy.maxRestarts: Flyte refuses to make such "
          "a JobSet: %s",
          std::string(policy.status().message())));
    }
    Observe(
        job_set.metadata(), "clustered-task",
        JobSetPhase(job_set, pods_, task, Phase::kUndefined, settings_, now_));
  }

  void Launch() {
    const v1::CreationError& creation = report_.creation_error();
    task_.is_launch = true;
    task_.is_pod = creation.kind().empty() || creation.kind() == "Pod";
    task_.plugin = task_.is_pod ? "pod" : Lower(creation.kind());
    task_.interruptible = RunsOnSpot(report_, ObjectMeta());
    if (creation.phase() == v1::CreationError::BUILD) {
      task_.result =
          BuildFailurePhase(creation.reason(), creation.message(), settings_);
      return;
    }
    task_.result = LaunchPhase(
        ApiError{creation.http_code(), creation.reason(), creation.message()},
        task_.is_pod, settings_);
  }

  PhaseInfo Judge(const Pod& pod) const {
    PhaseInfo info = PodPhase(pod, settings_, now_);
    if (!settings_.rules.gpu_faults || !IsFailure(info.phase)) return info;
    return ClassifyGpuFailure(std::move(info), GpuFaultsOf(pod, report_, now_))
        .info;
  }

  void ObservePods() {
    const auto failed = std::find_if(
        pods_.begin(), pods_.end(),
        [&](const Pod* pod) { return IsFailure(Judge(*pod).phase); });
    const Pod& pod = failed == pods_.end() ? *pods_.front() : **failed;
    task_.is_pod = true;
    Observe(pod.metadata(), "pod", Judge(pod));
    if (pods_.size() > 1) {
      task_.warnings.push_back(absl::StrFormat(
          "Flyte judges every pod as a task of its own; this is about %s",
          pod.metadata().name()));
    }
  }

  const v1::FailureReport& report_;
  const Settings& settings_;
  const absl::Time now_;
  Pods pods_;
  ReportedTask task_;
};

}  // namespace

bool HasFlyteMarks(const v1::FailureReport& report) {
  const auto objects = CustomResources(report);
  return std::any_of(
             objects.begin(), objects.end(),
             [](const ObjectMeta* metadata) { return IsMarked(*metadata); }) ||
         std::any_of(report.pods().begin(), report.pods().end(),
                     [](const Pod& pod) { return IsMarked(pod.metadata()); });
}

std::optional<ReportedTask> FindReportedTask(const v1::FailureReport& report,
                                             const Settings& settings,
                                             absl::Time now) {
  return TaskFinder(report, settings, now).Find();
}

}  // namespace mulligan::flyte
