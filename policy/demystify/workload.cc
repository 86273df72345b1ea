#include "policy/demystify/demystify.h"
#include "policy/demystify/text.h"

namespace mulligan {
namespace {

using demystify::Excerpt;

template <typename From>
void CopyMap(const From& from,
             google::protobuf::Map<std::string, std::string>& to) {
  if (!to.empty()) return;
  for (const auto& [key, value] : from) to[Excerpt(key)] = Excerpt(value);
}

template <typename Metadata>
void CopyLabels(const Metadata& metadata, v1::WorkloadReference& workload) {
  CopyMap(metadata.labels(), *workload.mutable_labels());
  CopyMap(metadata.annotations(), *workload.mutable_annotations());
}

// Fills what the caller left empty.
template <typename Metadata>
void FillFrom(std::string_view group, std::string_view kind,
              const Metadata& metadata, bool with_labels,
              v1::WorkloadReference& workload) {
  if (workload.namespace_().empty()) {
    workload.set_namespace_(Excerpt(metadata.namespace_()));
  }
  // The caller decides about another object: this one lends it no identity.
  if (!workload.kind().empty() && workload.kind() != kind) return;
  if (workload.kind().empty()) {
    workload.set_kind(std::string(kind));
    if (workload.api_group().empty()) {
      workload.set_api_group(std::string(group));
    }
  }
  if (workload.name().empty()) workload.set_name(Excerpt(metadata.name()));
  if (workload.uid().empty()) workload.set_uid(Excerpt(metadata.uid()));
  if (with_labels) CopyLabels(metadata, workload);
}

std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : api_version.substr(0, slash);
}

// The pod's controller owner is the workload; without one the pod is. Labels
// are the pod's either way: they come from the owner's template.
void FillFromPod(const kubernetes::core::v1::Pod& pod, bool with_labels,
                 v1::WorkloadReference& workload) {
  const auto& metadata = pod.metadata();
  for (const auto& owner : metadata.owner_references()) {
    if (!owner.controller()) continue;
    if (workload.namespace_().empty()) {
      workload.set_namespace_(Excerpt(metadata.namespace_()));
    }
    if (!workload.kind().empty() && workload.kind() != owner.kind()) return;
    if (workload.kind().empty()) {
      workload.set_kind(Excerpt(owner.kind()));
      workload.set_api_group(Excerpt(GroupOf(owner.api_version())));
    }
    if (workload.name().empty()) workload.set_name(Excerpt(owner.name()));
    if (workload.uid().empty()) workload.set_uid(Excerpt(owner.uid()));
    if (with_labels) CopyLabels(metadata, workload);
    return;
  }
  FillFrom("", "Pod", metadata, with_labels, workload);
}

void FillFromEvent(const kubernetes::core::v1::Event& event,
                   v1::WorkloadReference& workload) {
  const auto& about = event.involved_object();
  if (workload.kind().empty()) {
    workload.set_kind(Excerpt(about.kind()));
    workload.set_api_group(Excerpt(GroupOf(about.api_version())));
  }
  if (workload.namespace_().empty()) {
    workload.set_namespace_(Excerpt(about.namespace_()));
  }
  if (workload.name().empty()) workload.set_name(Excerpt(about.name()));
}

void FillFromObjects(const v1::FailureReport& report, bool with_labels,
                     v1::WorkloadReference& workload) {
  if (report.has_train_job()) {
    FillFrom("trainer.kubeflow.org", "TrainJob", report.train_job().metadata(),
             with_labels, workload);
  } else if (report.has_ray_job()) {
    FillFrom("ray.io", "RayJob", report.ray_job().metadata(), with_labels,
             workload);
  } else if (report.has_spark_application()) {
    FillFrom("sparkoperator.k8s.io", "SparkApplication",
             report.spark_application().metadata(), with_labels, workload);
  } else if (report.has_kubeflow_job()) {
    const std::string& kind = report.kubeflow_job().kind();
    FillFrom("kubeflow.org", kind.empty() ? "TrainingJob" : Excerpt(kind),
             report.kubeflow_job().metadata(), with_labels, workload);
  } else if (report.has_job_set()) {
    FillFrom("jobset.x-k8s.io", "JobSet", report.job_set().metadata(),
             with_labels, workload);
  } else if (report.has_ray_cluster()) {
    FillFrom("ray.io", "RayCluster", report.ray_cluster().metadata(),
             with_labels, workload);
  } else if (report.jobs_size() > 0) {
    FillFrom("batch", "Job", report.jobs(0).metadata(), with_labels, workload);
  } else if (report.pods_size() > 0) {
    FillFromPod(report.pods(0), with_labels, workload);
  } else if (report.has_kueue_workload()) {
    FillFrom("kueue.x-k8s.io", "Workload", report.kueue_workload().metadata(),
             with_labels, workload);
  } else if (report.has_creation_error()) {
    if (workload.kind().empty()) {
      workload.set_kind(report.creation_error().kind());
    }
  } else if (report.events_size() > 0) {
    FillFromEvent(report.events(0), workload);
  }
}

}  // namespace

void FillWorkload(const v1::FailureReport& report, bool with_labels,
                  v1::WorkloadReference& workload) {
  workload = report.workload();
  FillFromObjects(report, with_labels, workload);
  if (!workload.has_replicas() && report.pods_size() > 0) {
    workload.set_replicas(report.pods_size());
  }
}

v1::WorkloadReference WorkloadOf(const v1::FailureReport& report) {
  v1::WorkloadReference workload;
  FillWorkload(report, true, workload);
  return workload;
}

}  // namespace mulligan
