#include "policy/request/workload.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "policy/base/conditions.h"
#include "policy/base/utf8.h"
#include "policy/request/kind_names.h"
#include "policy/request/owner_graph.h"
#include "policy/request/owners.h"
#include "policy/request/workload_view.h"

namespace mulligan {
namespace {

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

// Fills fields that the caller left empty.
template <typename Metadata>
void FillFrom(std::string_view group, std::string_view kind,
              const Metadata& metadata, bool with_labels,
              v1::WorkloadReference& workload) {
  if (workload.namespace_().empty()) {
    workload.set_namespace_(Excerpt(metadata.namespace_()));
  }
  // The workload is another object.
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

// The workload is the pod's controller, or the pod itself if it has none.
// Labels are the pod's in both cases: they come from the owner's template.
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
      workload.set_api_group(Excerpt(ApiGroup(owner.api_version())));
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
    workload.set_api_group(Excerpt(ApiGroup(about.api_version())));
  }
  if (workload.namespace_().empty()) {
    workload.set_namespace_(Excerpt(about.namespace_()));
  }
  if (workload.name().empty()) workload.set_name(Excerpt(about.name()));
}

// Returns the most senior object above the pods; empty if none.
std::optional<WorkloadView> SeniorOf(const Owners& owners) {
  const v1::FailureReport& report = owners.report;
  if (!owners.views.empty()) return owners.views.front();
  if (report.jobs_size() > 0) return ViewOf(report.jobs(0));
  // Pods take precedence over the queue's object because they have owners.
  return report.pods_size() == 0 ? QueueIn(report) : std::nullopt;
}

std::string_view OwnerKind(const kubernetes::core::v1::Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.controller()) return owner.kind();
  }
  return "Pod";
}

void FillFromObjects(const Owners& owners, bool with_labels,
                     v1::WorkloadReference& workload) {
  const v1::FailureReport& report = owners.report;
  if (const auto senior = SeniorOf(owners)) {
    FillFrom(senior->kind->group, Excerpt(senior->kind_name), *senior->meta,
             with_labels, workload);
  } else if (report.pods_size() > 0) {
    FillFromPod(report.pods(0), with_labels, workload);
  } else if (report.has_creation_error()) {
    if (workload.kind().empty()) {
      workload.set_kind(report.creation_error().kind());
    }
  } else if (report.events_size() > 0) {
    FillFromEvent(report.events(0), workload);
  }
}

// Returns the Job that is the workload: the only one, or the one with its name.
const kubernetes::batch::v1::Job* OwnJob(
    const v1::FailureReport& report, const v1::WorkloadReference& workload) {
  if (report.jobs_size() == 1) return &report.jobs(0);
  for (const auto& job : report.jobs()) {
    if (job.metadata().name() == workload.name()) return &job;
  }
  return nullptr;
}

v1::Decision::Scope JobScope(const v1::FailureReport& report,
                             const v1::WorkloadReference& workload,
                             v1::Decision::Action action) {
  const auto* job = OwnJob(report, workload);
  const bool indexed =
      job != nullptr && job->spec().completion_mode() == "Indexed";
  const bool failed =
      job != nullptr && ReportsFailed(job->status().conditions());
  if (action == v1::Decision::RETRY || action == v1::Decision::WAIT) {
    if (failed) return v1::Decision::JOB;
    return indexed ? v1::Decision::INDEX : v1::Decision::POD;
  }
  return indexed && !failed && job->spec().has_backoff_limit_per_index()
             ? v1::Decision::INDEX
             : v1::Decision::JOB;
}

}  // namespace

void FillWorkload(const Owners& owners, bool with_labels,
                  v1::WorkloadReference& workload) {
  const v1::FailureReport& report = owners.report;
  const v1::WorkloadReference& stated = report.workload();
  if (with_labels) {
    workload = stated;
  } else {
    // Copying labels costs more than the rest of the reference.
    workload.set_api_group(stated.api_group());
    workload.set_kind(stated.kind());
    workload.set_namespace_(stated.namespace_());
    workload.set_name(stated.name());
    workload.set_uid(stated.uid());
    if (stated.has_interruptible()) {
      workload.set_interruptible(stated.interruptible());
    }
    if (stated.has_priority()) workload.set_priority(stated.priority());
    if (stated.has_replicas()) workload.set_replicas(stated.replicas());
  }
  FillFromObjects(owners, with_labels, workload);
  if (!workload.has_replicas() && report.pods_size() > 0) {
    workload.set_replicas(report.pods_size());
  }
}

v1::WorkloadReference WorkloadOf(const Owners& owners) {
  v1::WorkloadReference workload;
  FillWorkload(owners, true, workload);
  return workload;
}

v1::WorkloadReference WorkloadOf(const v1::FailureReport& report) {
  return WorkloadOf(Owners(report));
}

std::string_view WorkloadKindOf(const v1::FailureReport& report) {
  const std::string& stated = report.workload().kind();
  if (!stated.empty()) return stated;
  if (const auto senior = SeniorOf(Owners(report))) {
    return senior->kind_name;
  }
  if (report.pods_size() > 0) return OwnerKind(report.pods(0));
  if (report.has_creation_error()) return report.creation_error().kind();
  if (report.events_size() > 0) {
    return report.events(0).involved_object().kind();
  }
  return {};
}

bool IsInFinalState(const Owners& owners,
                    const v1::WorkloadReference& workload) {
  const v1::FailureReport& report = owners.report;
  const std::string_view kind = workload.kind();
  if (kind == "Job") {
    const auto* job = OwnJob(report, workload);
    return job != nullptr && ViewOf(*job).phase == WorkloadPhase::kGivenUp;
  }
  if (kind == "Pod") {
    return report.pods_size() == 1 &&
           report.pods(0).status().phase() == "Failed";
  }
  return std::ranges::any_of(owners.views, [kind](const WorkloadView& view) {
    return SameKind(view.kind_name, kind) &&
           view.phase == WorkloadPhase::kGivenUp;
  });
}

v1::Decision::Scope DefaultScope(const v1::FailureReport& report,
                                 const v1::WorkloadReference& workload,
                                 v1::Decision::Action action) {
  if (workload.kind() == "Job") return JobScope(report, workload, action);
  const Kind* const kind = FindKind(workload.kind());
  if (kind == nullptr) return v1::Decision::WORKLOAD;
  const bool continues =
      action == v1::Decision::RETRY || action == v1::Decision::WAIT;
  return continues ? kind->retried : kind->given_up;
}

bool LimitsEachIndex(const v1::FailureReport& report,
                     const v1::WorkloadReference& workload) {
  if (workload.kind() != "Job") return false;
  const auto* job = OwnJob(report, workload);
  return job != nullptr && job->spec().has_backoff_limit_per_index();
}

}  // namespace mulligan
