#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"
#include "policy/request/field_checks.h"
#include "policy/request/ownership.h"
#include "policy/request/validate_parts.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using kubernetes::meta::v1::ObjectMeta;

void CheckName(const std::string& text, const FieldPath& parent,
               const char* field, Violations& violations) {
  if (text.size() > kMaxNameBytes) {
    CheckText(text, kMaxNameBytes, FieldPath(parent, field), violations);
  }
}

void CheckMessage(const std::string& text, const FieldPath& parent,
                  const char* field, Violations& violations) {
  if (text.size() > kMaxTextBytes) {
    CheckText(text, kMaxTextBytes, FieldPath(parent, field), violations);
  }
}

template <typename Map>
void CheckMap(const Map& map, const FieldPath& parent, const char* field,
              Violations& violations) {
  CheckCount(static_cast<int>(map.size()), kMaxLabels, "entries",
             FieldPath(parent, field), violations);
}

void ValidateMeta(const ObjectMeta& meta, const FieldPath& parent,
                  Violations& violations) {
  const FieldPath path(parent, "metadata");
  CheckName(meta.name(), path, "name", violations);
  CheckName(meta.namespace_(), path, "namespace", violations);
  CheckName(meta.uid(), path, "uid", violations);
  CheckMap(meta.labels(), path, "labels", violations);
  CheckMap(meta.annotations(), path, "annotations", violations);
  CheckTime(meta.creation_timestamp(), FieldPath(path, "creationTimestamp"),
            violations);
  CheckTime(meta.deletion_timestamp(), FieldPath(path, "deletionTimestamp"),
            violations);
}

template <typename Conditions>
void ValidateConditions(const Conditions& conditions, const FieldPath& parent,
                        Violations& violations) {
  CheckCount(conditions.size(), kMaxConditionsPerObject, "conditions",
             FieldPath(parent, "conditions"), violations);
  for (int i = 0; i < conditions.size(); ++i) {
    const auto& condition = conditions[i];
    const FieldPath path(parent, "conditions", i);
    CheckName(condition.type(), path, "type", violations);
    CheckName(condition.reason(), path, "reason", violations);
    CheckMessage(condition.message(), path, "message", violations);
    CheckTime(condition.last_transition_time(),
              FieldPath(path, "lastTransitionTime"), violations);
  }
}

void ValidateState(const core::ContainerState& state, const FieldPath& parent,
                   const char* field, Violations& violations) {
  const FieldPath path(parent, field);
  if (state.has_terminated()) {
    const core::ContainerStateTerminated& ended = state.terminated();
    const FieldPath entry(path, "terminated");
    CheckName(ended.reason(), entry, "reason", violations);
    CheckMessage(ended.message(), entry, "message", violations);
    CheckTime(ended.started_at(), FieldPath(entry, "startedAt"), violations);
    CheckTime(ended.finished_at(), FieldPath(entry, "finishedAt"), violations);
  }
  if (state.has_waiting()) {
    const FieldPath entry(path, "waiting");
    CheckName(state.waiting().reason(), entry, "reason", violations);
    CheckMessage(state.waiting().message(), entry, "message", violations);
  }
  if (state.has_running()) {
    const FieldPath entry(path, "running");
    CheckTime(state.running().started_at(), FieldPath(entry, "startedAt"),
              violations);
  }
}

template <typename Statuses>
void ValidateContainers(const Statuses& statuses, const FieldPath& parent,
                        const char* field, Violations& violations) {
  CheckCount(statuses.size(), kMaxContainersPerPod, "containers",
             FieldPath(parent, field), violations);
  for (int i = 0; i < statuses.size(); ++i) {
    const FieldPath path(parent, field, i);
    CheckName(statuses[i].name(), path, "name", violations);
    ValidateState(statuses[i].state(), path, "state", violations);
    ValidateState(statuses[i].last_state(), path, "lastState", violations);
  }
}

void ValidatePod(const core::Pod& pod, const FieldPath& path,
                 Violations& violations) {
  ValidateMeta(pod.metadata(), path, violations);
  CheckName(pod.spec().node_name(), FieldPath(path, "spec"), "nodeName",
            violations);
  const core::PodStatus& status = pod.status();
  const FieldPath entry(path, "status");
  CheckName(status.phase(), entry, "phase", violations);
  CheckName(status.reason(), entry, "reason", violations);
  CheckMessage(status.message(), entry, "message", violations);
  CheckTime(status.start_time(), FieldPath(entry, "startTime"), violations);
  ValidateConditions(status.conditions(), entry, violations);
  ValidateContainers(status.container_statuses(), entry, "containerStatuses",
                     violations);
  ValidateContainers(status.init_container_statuses(), entry,
                     "initContainerStatuses", violations);
  ValidateContainers(status.ephemeral_container_statuses(), entry,
                     "ephemeralContainerStatuses", violations);
}

void ValidateEvent(const core::Event& event, const FieldPath& path,
                   Violations& violations) {
  CheckName(event.reason(), path, "reason", violations);
  CheckName(event.type(), path, "type", violations);
  CheckMessage(event.message(), path, "message", violations);
  CheckTime(event.first_timestamp(), FieldPath(path, "firstTimestamp"),
            violations);
  CheckTime(event.last_timestamp(), FieldPath(path, "lastTimestamp"),
            violations);
  CheckTime(event.event_time(), FieldPath(path, "eventTime"), violations);
}

void ValidateNode(const core::Node& node, const FieldPath& path,
                  Violations& violations) {
  ValidateMeta(node.metadata(), path, violations);
  ValidateConditions(node.status().conditions(), FieldPath(path, "status"),
                     violations);
  CheckCount(node.spec().taints_size(), kMaxConditionsPerObject, "taints",
             FieldPath(path, "spec.taints"), violations);
}

// What is left of an object of another kind, such as a List, when a client
// drops the fields it does not know: metadata without a name, and nothing else.
template <typename Object>
bool IsHollow(const Object& object) {
  const ObjectMeta& meta = object.metadata();
  return !object.has_spec() && !object.has_status() && meta.name().empty() &&
         !meta.has_creation_timestamp() && !meta.has_deletion_timestamp() &&
         meta.generate_name().empty() && meta.uid().empty() &&
         meta.labels().empty() && meta.owner_references().empty();
}

bool IsHollow(const core::Event& event) {
  return event.reason().empty() && event.message().empty() &&
         event.involved_object().name().empty() &&
         event.involved_object().kind().empty();
}

template <typename Objects, typename Check>
void ValidateEach(const Objects& objects, int most, const FieldPath& parent,
                  const char* field, Violations& violations, Check check) {
  CheckCount(objects.size(), most, field, FieldPath(parent, field), violations);
  for (int i = 0; i < objects.size(); ++i) {
    const FieldPath path(parent, field, i);
    if constexpr (requires { objects[i].metadata(); }) {
      if (IsHollow(objects[i])) {
        violations.Add(path,
                       "is empty, expected an object with metadata.name, spec "
                       "or status; of a List give the items");
      }
    }
    check(objects[i], path, violations);
  }
}

// A Job or custom resource: all have metadata and status.conditions.
template <typename Object>
void ValidateObject(const Object& object, const FieldPath& path,
                    Violations& violations) {
  ValidateMeta(object.metadata(), path, violations);
  ValidateConditions(object.status().conditions(), FieldPath(path, "status"),
                     violations);
}

// Compiling a pattern costs more than anything else in a report.
void ValidatePatterns(const kubernetes::jobset::v1alpha2::JobSet& job_set,
                      const FieldPath& path, Violations& violations) {
  int patterns = 0;
  for (const auto& rule : job_set.spec().failure_policy().rules()) {
    patterns += rule.on_job_failure_message_patterns_size();
  }
  CheckCount(patterns, kMaxJobSetPatterns, "onJobFailureMessagePatterns",
             FieldPath(FieldPath(path, "spec"), "failurePolicy"), violations);
}

void ValidateGroups(const kubernetes::jobset::v1alpha2::JobSet& job_set,
                    const FieldPath& path, Violations& violations) {
  const auto& job_spec = job_set.spec();
  const FieldPath spec(path, "spec");
  CheckCount(job_spec.replicated_jobs_size(), kMaxJobSetGroups,
             "replicatedJobs", FieldPath(spec, "replicatedJobs"), violations);
  CheckCount(job_set.status().replicated_jobs_status_size(), kMaxJobSetGroups,
             "replicatedJobsStatus",
             FieldPath(FieldPath(path, "status"), "replicatedJobsStatus"),
             violations);
  CheckCount(job_spec.failure_policy().rules_size(), kMaxJobSetGroups, "rules",
             FieldPath(FieldPath(spec, "failurePolicy"), "rules"), violations);
  int targets = job_spec.success_policy().target_replicated_jobs_size();
  for (const auto& rule : job_spec.failure_policy().rules()) {
    targets += rule.target_replicated_jobs_size();
  }
  CheckCount(targets, kMaxJobSetTargets, "targetReplicatedJobs", spec,
             violations);
}

void ValidateResources(const v1::FailureReport& report, const FieldPath& path,
                       Violations& violations) {
  if (report.has_job_set()) {
    const FieldPath job_set(path, "jobSet");
    ValidateObject(report.job_set(), job_set, violations);
    ValidatePatterns(report.job_set(), job_set, violations);
    ValidateGroups(report.job_set(), job_set, violations);
  }
  if (report.has_train_job()) {
    ValidateObject(report.train_job(), FieldPath(path, "trainJob"), violations);
  }
  if (report.has_kueue_workload()) {
    ValidateObject(report.kueue_workload(), FieldPath(path, "kueueWorkload"),
                   violations);
  }
  if (report.has_kubeflow_job()) {
    ValidateObject(report.kubeflow_job(), FieldPath(path, "kubeflowJob"),
                   violations);
  }
  if (report.has_ray_cluster()) {
    ValidateObject(report.ray_cluster(), FieldPath(path, "rayCluster"),
                   violations);
  }
  if (report.has_ray_job()) {
    const FieldPath object(path, "rayJob");
    ValidateMeta(report.ray_job().metadata(), object, violations);
    const auto& status = report.ray_job().status();
    const FieldPath entry(object, "status");
    CheckName(status.reason(), entry, "reason", violations);
    CheckMessage(status.message(), entry, "message", violations);
    CheckTime(status.start_time(), FieldPath(entry, "startTime"), violations);
    CheckTime(status.end_time(), FieldPath(entry, "endTime"), violations);
  }
  if (report.has_spark_application()) {
    const FieldPath object(path, "sparkApplication");
    ValidateMeta(report.spark_application().metadata(), object, violations);
    CheckMessage(
        report.spark_application().status().application_state().error_message(),
        object, "status.applicationState.errorMessage", violations);
  }
}

void ValidateWorkload(const v1::WorkloadReference& workload,
                      const FieldPath& parent, Violations& violations) {
  const FieldPath path(parent, "workload");
  CheckName(workload.api_group(), path, "apiGroup", violations);
  CheckName(workload.kind(), path, "kind", violations);
  CheckName(workload.namespace_(), path, "namespace", violations);
  CheckName(workload.name(), path, "name", violations);
  CheckText(workload.uid(), kMaxLedgerUidBytes, FieldPath(path, "uid"),
            violations);
  CheckMap(workload.labels(), path, "labels", violations);
  CheckMap(workload.annotations(), path, "annotations", violations);
}

void ValidateFacts(const v1::FailureReport& report, const FieldPath& path,
                   Violations& violations) {
  CheckText(report.failure_id(), kMaxIdBytes, FieldPath(path, "failureId"),
            violations);
  if (report.has_attempt()) {
    CheckNumber(report.attempt(), 1, std::numeric_limits<std::int32_t>::max(),
                FieldPath(path, "attempt"), violations);
  }
  CheckTime(report.observed_at(), FieldPath(path, "observedAt"), violations);
  if (report.has_creation_error()) {
    const v1::CreationError& error = report.creation_error();
    const FieldPath entry(path, "creationError");
    if (error.http_code() != 0) {
      CheckNumber(error.http_code(), 100, 599, FieldPath(entry, "httpCode"),
                  violations);
    }
    CheckName(error.reason(), entry, "reason", violations);
    CheckMessage(error.message(), entry, "message", violations);
    CheckName(error.kind(), entry, "kind", violations);
  }
  const FieldPath progress(path, "progress");
  CheckFinite(report.progress().value(), FieldPath(progress, "value"),
              violations);
  CheckSpan(report.progress().healthy_for(), FieldPath(progress, "healthyFor"),
            violations);
  CheckText(report.progress().artifact(), kMaxArtifactBytes,
            FieldPath(progress, "artifact"), violations);
  const FieldPath exit(path, "exit");
  CheckName(report.exit().reason(), exit, "reason", violations);
  CheckMessage(report.exit().message(), exit, "message", violations);
}

void ValidateUsage(const v1::ContainerUsage& usage, const FieldPath& path,
                   Violations& violations) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CheckName(usage.pod(), path, "pod", violations);
  CheckName(usage.container(), path, "container", violations);
  CheckNumber(usage.memory_peak_bytes(), 0, kMost,
              FieldPath(path, "memoryPeakBytes"), violations);
  CheckNumber(usage.memory_limit_bytes(), 0, kMost,
              FieldPath(path, "memoryLimitBytes"), violations);
}

// A verdict is about one workload.
void ValidateOwners(const v1::FailureReport& report, const FieldPath& path,
                    Violations& violations) {
  const Foreign foreign = FindForeign(report);
  if (!foreign.unknown) return;
  constexpr std::size_t kNamed = 8;
  std::string owners;
  for (std::size_t i = 0; i < foreign.owners.size() && i < kNamed; ++i) {
    absl::StrAppend(&owners, i == 0 ? "" : ", ",
                    SanitizeUtf8(foreign.owners[i].substr(0, 256)));
  }
  if (foreign.owners.size() > kNamed) owners += ", ...";
  const bool named =
      !report.workload().name().empty() || !report.workload().uid().empty();
  violations.Add(
      FieldPath(path, "workload"),
      named
          ? absl::StrCat("names none of the workloads that the objects "
                         "belong to: ",
                         owners, "; expected one of these, or its own objects")
          : absl::StrFormat("is absent, and the objects belong to %d "
                            "workloads: %s; expected the one to decide "
                            "about, or the objects of one only",
                            foreign.owners.size(), owners));
}

bool HasSubject(const v1::FailureReport& report) {
  return report.pods_size() > 0 || report.jobs_size() > 0 ||
         report.has_job_set() || report.has_ray_job() ||
         report.has_train_job() || report.has_kueue_workload() ||
         report.has_spark_application() || report.has_kubeflow_job() ||
         report.has_ray_cluster() || report.has_creation_error() ||
         report.has_exit() || report.events_size() > 0 ||
         report.nodes_size() > 0;
}

}  // namespace

void ValidateReport(const v1::FailureReport& report, Violations& violations) {
  const FieldPath path("report");
  if (!HasSubject(report)) {
    violations.Add(
        path,
        "says nothing about a failure, expected at least one of "
        "pods, jobs, jobSet, rayJob, trainJob, kueueWorkload, "
        "sparkApplication, kubeflowJob, rayCluster, nodes, events, exit or "
        "creationError");
  }
  ValidateFacts(report, path, violations);
  ValidateWorkload(report.workload(), path, violations);
  ValidateEach(report.pods(), kMaxPods, path, "pods", violations, ValidatePod);
  ValidateEach(report.jobs(), kMaxJobs, path, "jobs", violations,
               ValidateObject<kubernetes::batch::v1::Job>);
  ValidateEach(report.nodes(), kMaxNodes, path, "nodes", violations,
               ValidateNode);
  ValidateEach(report.events(), kMaxEvents, path, "events", violations,
               ValidateEvent);
  ValidateEach(report.usage(), kMaxUsage, path, "usage", violations,
               ValidateUsage);
  ValidateResources(report, path, violations);
  ValidateOwners(report, path, violations);
}

}  // namespace mulligan
