#include "policy/request/validate_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/issue.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"
#include "policy/request/accelerators.h"
#include "policy/request/kinds.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/owners.h"
#include "policy/request/ownership.h"
#include "policy/request/workload_view.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using kubernetes::meta::v1::ObjectMeta;

// Causes that are not failures, so that no rule applies.
bool IsNoFailure(v1::Cause cause) {
  return cause == v1::STALE_REPORT || cause == v1::NOT_FAILED ||
         cause == v1::SUCCEEDED || cause == v1::CANCELLED ||
         cause == v1::SUSPENDED;
}

void CheckMap(const auto& map, const FieldPath& parent, const char* field) {
  parent.Count(field, static_cast<int>(map.size()), kMaxLabels, "entries");
}

void ValidateMeta(const ObjectMeta& meta, const FieldPath& parent) {
  const FieldPath path = parent.In("metadata");
  path.Name("name", meta.name());
  path.Name("namespace", meta.namespace_());
  path.Name("uid", meta.uid());
  CheckMap(meta.labels(), path, "labels");
  CheckMap(meta.annotations(), path, "annotations");
  path.Time("creationTimestamp", meta.creation_timestamp());
  path.Time("deletionTimestamp", meta.deletion_timestamp());
}

void ValidateConditions(const auto& conditions, const FieldPath& parent) {
  parent.Count("conditions", conditions.size(), kMaxConditionsPerObject,
               "conditions");
  for (int i = 0; i < conditions.size(); ++i) {
    const auto& condition = conditions[i];
    const FieldPath path = parent.In("conditions", i);
    path.Name("type", condition.type());
    path.Name("reason", condition.reason());
    path.Message("message", condition.message());
    path.Time("lastTransitionTime", condition.last_transition_time());
  }
}

void ValidateState(const core::ContainerState& state, const FieldPath& parent,
                   const char* field) {
  const FieldPath path = parent.In(field);
  if (state.has_terminated()) {
    const core::ContainerStateTerminated& ended = state.terminated();
    const FieldPath entry = path.In("terminated");
    entry.Name("reason", ended.reason());
    entry.Message("message", ended.message());
    entry.Time("startedAt", ended.started_at());
    entry.Time("finishedAt", ended.finished_at());
  }
  if (state.has_waiting()) {
    const FieldPath entry = path.In("waiting");
    entry.Name("reason", state.waiting().reason());
    entry.Message("message", state.waiting().message());
  }
  if (state.has_running()) {
    const FieldPath entry = path.In("running");
    entry.Time("startedAt", state.running().started_at());
  }
}

void ValidateContainers(const auto& statuses, const FieldPath& parent,
                        const char* field) {
  parent.Count(field, statuses.size(), kMaxContainersPerPod, "containers");
  for (int i = 0; i < statuses.size(); ++i) {
    const FieldPath path = parent.In(field, i);
    path.Name("name", statuses[i].name());
    ValidateState(statuses[i].state(), path, "state");
    ValidateState(statuses[i].last_state(), path, "lastState");
  }
}

void ValidatePod(const core::Pod& pod, const FieldPath& path) {
  ValidateMeta(pod.metadata(), path);
  path.In("spec").Name("nodeName", pod.spec().node_name());
  const core::PodStatus& status = pod.status();
  const FieldPath entry = path.In("status");
  entry.Name("phase", status.phase());
  entry.Name("reason", status.reason());
  entry.Message("message", status.message());
  entry.Time("startTime", status.start_time());
  ValidateConditions(status.conditions(), entry);
  ValidateContainers(status.container_statuses(), entry, "containerStatuses");
  ValidateContainers(status.init_container_statuses(), entry,
                     "initContainerStatuses");
  ValidateContainers(status.ephemeral_container_statuses(), entry,
                     "ephemeralContainerStatuses");
}

void ValidateEvent(const core::Event& event, const FieldPath& path) {
  path.Name("reason", event.reason());
  path.Name("type", event.type());
  path.Message("message", event.message());
  path.Time("firstTimestamp", event.first_timestamp());
  path.Time("lastTimestamp", event.last_timestamp());
  path.Time("eventTime", event.event_time());
}

void ValidateNode(const core::Node& node, const FieldPath& path) {
  ValidateMeta(node.metadata(), path);
  ValidateConditions(node.status().conditions(), path.In("status"));
  path.Count("spec.taints", node.spec().taints_size(), kMaxConditionsPerObject,
             "taints");
}

// Returns whether the object has no name, spec or status, as when a client
// drops the unknown fields of another kind, such as a List.
bool IsHollow(const auto& object) {
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

void ValidateEach(const auto& objects, int limit, const FieldPath& parent,
                  const char* field, const auto& check) {
  parent.Count(field, objects.size(), limit, field);
  for (int i = 0; i < objects.size(); ++i) {
    const FieldPath path = parent.In(field, i);
    if constexpr (requires { objects[i].metadata(); }) {
      if (IsHollow(objects[i])) {
        path.Violate(
            "is empty, expected an object with metadata.name, spec "
            "or status; of a List give the items");
      }
    }
    check(objects[i], path);
  }
}

// Jobs and custom resources all have metadata and status.conditions.
template <typename Object>
void ValidateObject(const Object& object, const FieldPath& path) {
  ValidateMeta(object.metadata(), path);
  ValidateConditions(object.status().conditions(), path.In("status"));
}

void ValidateOwners(const Owners& owners, const FieldPath& path) {
  for (const WorkloadView& view : owners.views) {
    const FieldPath object = path.In(view.kind->field.data());
    ValidateMeta(*view.meta, object);
    ValidateConditions(view.conditions, object.In(view.conditions_of));
    if (view.kind->bound != nullptr) view.kind->bound(owners.report, object);
  }
  if (owners.report.has_kueue_workload()) {
    ValidateObject(owners.report.kueue_workload(), path.In("kueueWorkload"));
  }
}

void ValidateWorkload(const v1::WorkloadReference& workload,
                      const FieldPath& parent) {
  const FieldPath path = parent.In("workload");
  path.Name("apiGroup", workload.api_group());
  path.Name("kind", workload.kind());
  path.Name("namespace", workload.namespace_());
  path.Name("name", workload.name());
  path.Text("uid", workload.uid(), kMaxLedgerUidBytes);
  CheckMap(workload.labels(), path, "labels");
  CheckMap(workload.annotations(), path, "annotations");
}

void ValidateFacts(const v1::FailureReport& report, const FieldPath& path) {
  path.Text("failureId", report.failure_id(), kMaxIdBytes);
  if (report.has_attempt()) {
    path.Number("attempt", report.attempt(), 1,
                std::numeric_limits<std::int32_t>::max());
  }
  path.Time("observedAt", report.observed_at());
  if (report.has_creation_error()) {
    const v1::CreationError& error = report.creation_error();
    const FieldPath entry = path.In("creationError");
    if (error.http_code() != 0) {
      entry.Number("httpCode", error.http_code(), 100, 599);
    }
    entry.Name("reason", error.reason());
    entry.Message("message", error.message());
    entry.Name("kind", error.kind());
  }
  const FieldPath progress = path.In("progress");
  progress.Finite("value", report.progress().value());
  progress.Span("healthyFor", report.progress().healthy_for());
  progress.Text("artifact", report.progress().artifact(), kMaxArtifactBytes);
  progress.Time("advancedAt", report.progress().advanced_at());
  const FieldPath exit = path.In("exit");
  exit.Name("reason", report.exit().reason());
  exit.Message("message", report.exit().message());
}

void ValidateHint(const v1::Hint& hint, const FieldPath& path) {
  const std::string& source = hint.source();
  path.Text("source", source, kMaxHintSourceBytes);
  if (source.empty() || !IsPrintableAscii(source) ||
      source.find(' ') != std::string::npos) {
    path.In("source").Violate(
        absl::StrCat(source.empty() ? "is missing" : "is no name",
                     ", expected who says so in printable characters without "
                     "spaces, for example node-health"));
  }
  if (!v1::Cause_IsValid(hint.cause()) ||
      hint.cause() == v1::CAUSE_UNSPECIFIED) {
    path.In("cause").Violate(
        "is missing or unknown, expected a cause, for example GPU_FAULT");
  } else if (IsNoFailure(hint.cause())) {
    path.In("cause").Violate(absl::StrCat(
        v1::Cause_Name(hint.cause()),
        " is no failure, expected what happened to the work that failed"));
  }
  if (!v1::Diagnosis::Confidence_IsValid(hint.confidence())) {
    path.In("confidence").Violate("is unknown, expected LOW, MEDIUM or HIGH");
  }
  path.Text("text", hint.text(), kMaxHintTextBytes);
}

void ValidateCounts(const v1::PodCounts& counts, const FieldPath& parent) {
  const FieldPath path = parent.In("omittedPods");
  path.Number("failed", counts.failed(), 0, kMaxOmittedPods);
  path.Number("running", counts.running(), 0, kMaxOmittedPods);
  path.Number("pending", counts.pending(), 0, kMaxOmittedPods);
  path.Number("succeeded", counts.succeeded(), 0, kMaxOmittedPods);
}

void ValidateUsage(const v1::ContainerUsage& usage, const FieldPath& path) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  path.Name("pod", usage.pod());
  path.Name("container", usage.container());
  path.Number("memoryPeakBytes", usage.memory_peak_bytes(), 0, kMax);
  path.Number("memoryLimitBytes", usage.memory_limit_bytes(), 0, kMax);
}

// Reports the first pod of the workload in another namespace than those before
// it. Later stages find pods by name, which is unique in a namespace.
void ValidateNamespaces(const v1::FailureReport& report, const Unread& foreign,
                        const FieldPath& path) {
  std::string_view common;
  for (int i = 0; i < report.pods_size(); ++i) {
    const std::string& name_space = report.pods(i).metadata().namespace_();
    if (name_space.empty() || std::ranges::binary_search(foreign.pods, i)) {
      continue;
    }
    if (common.empty()) common = name_space;
    if (name_space == common) continue;
    path.In("pods", i)
        .In("metadata.namespace")
        .Violate(absl::StrCat(
            "is ", Visible(name_space), ", expected ",
            Visible(std::string(common)),
            " as of the pods before it: a workload has one namespace"));
    return;
  }
}

// Reports a violation if the workload is ambiguous.
void ValidateForeign(const Owners& owners, const FieldPath& path) {
  const Unread foreign = FindForeign(owners);
  if (!foreign.unknown) {
    if (owners.report.pods_size() > 1) {
      ValidateNamespaces(owners.report, foreign, path);
    }
    return;
  }
  constexpr std::size_t kNamed = 8;
  std::string names;
  for (std::size_t i = 0; i < foreign.owners.size() && i < kNamed; ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ",
                    Visible(foreign.owners[i].substr(0, 256)));
  }
  if (foreign.owners.size() > kNamed) names += ", ...";
  const v1::WorkloadReference& workload = owners.report.workload();
  const bool named = !workload.name().empty() || !workload.uid().empty();
  path.In("workload")
      .Violate(
          named ? absl::StrCat("names none of the workloads that the objects "
                               "belong to: ",
                               names,
                               "; expected one of these, or its own objects")
                : absl::StrFormat("is absent, and the objects belong to %d "
                                  "workloads: %s; expected the one to decide "
                                  "about, or the objects of one only",
                                  foreign.owners.size(), names));
}

// Reports objects that are given in addition to an ended attempt.
void ValidateAlone(const Owners& owners, const FieldPath& path) {
  const v1::FailureReport& report = owners.report;
  const std::pair<bool, const char*> fields[] = {
      {report.pods_size() > 0, "pods"},
      {report.jobs_size() > 0, "jobs"},
      {report.has_kueue_workload(), "kueueWorkload"},
      {report.nodes_size() > 0, "nodes"},
      {report.events_size() > 0, "events"},
      {report.has_creation_error(), "creationError"},
      {report.has_exit(), "exit"},
      {report.has_omitted_pods(), "omittedPods"}};
  const auto violate = [&path](const char* field) {
    path.In(field).Violate(
        "is there beside endedAttempt, expected one of them: an attempt stands "
        "in the place of Kubernetes objects");
  };
  for (const auto& [is_there, field] : fields) {
    if (is_there) violate(field);
  }
  for (const WorkloadView& view : owners.views) {
    if (view.kind->field != std::string_view("jobs")) {
      violate(view.kind->field.data());
    }
  }
}

void ValidateAttempt(const v1::EndedAttempt& attempt, const FieldPath& path) {
  const std::string& scheduler = attempt.scheduler();
  if (!scheduler.empty() && !IsDnsLabel(scheduler)) {
    path.In("scheduler")
        .Violate(absl::StrCat("\"", Visible(scheduler.substr(0, 80)),
                              "\" is no name of a scheduler, expected at most "
                              "63 lower-case letters, digits and '-'"));
  }
  if (!attempt.has_exit_code() && attempt.signal() == 0 &&
      attempt.state().empty() && attempt.reason().empty() &&
      attempt.log_tail().empty()) {
    path.Violate(
        "says nothing about how it ended, expected at least one of exitCode, "
        "signal, state, reason and logTail");
  }
  path.Text("id", attempt.id(), kMaxLedgerUidBytes);
  path.Number("signal", attempt.signal(), 0, kMaxSignal);
  path.Name("state", attempt.state());
  path.Message("reason", attempt.reason());
  path.Message("logTail", attempt.log_tail());
  path.Count("nodes", attempt.nodes_size(), kMaxNodes, "nodes");
  for (int i = 0; i < attempt.nodes_size(); ++i) {
    const FieldPath node = path.In("nodes", i);
    const std::size_t size = attempt.nodes(i).size();
    if (size == 0 || size > kMaxLedgerNodeBytes) {
      node.Violate(absl::StrCat("has ", size,
                                " bytes, expected a name of 1 to ",
                                kMaxLedgerNodeBytes));
    }
  }
  path.Text("failedNode", attempt.failed_node(), kMaxLedgerNodeBytes);
  if (!attempt.failed_node().empty() && attempt.nodes_size() > 0 &&
      std::ranges::find(attempt.nodes(), attempt.failed_node()) ==
          attempt.nodes().end()) {
    path.In("failedNode")
        .Violate(absl::StrCat(Visible(attempt.failed_node().substr(0, 253)),
                              " is not in nodes, expected one of them"));
  }
  path.Time("startedAt", attempt.started_at());
  path.Time("endedAt", attempt.ended_at());
  if (IsSet(attempt.started_at()) && IsSet(attempt.ended_at()) &&
      ToTime(attempt.ended_at()) < ToTime(attempt.started_at())) {
    path.In("endedAt").Violate(
        "is before startedAt, expected the same time or a later one");
  }
  path.Number("accelerators", attempt.accelerators(), 0,
              kMaxAcceleratorsPerPod);
  path.Number("memoryBytes", attempt.memory_bytes(), 0,
              std::numeric_limits<std::int64_t>::max());
  path.Number("maxAttempts", attempt.max_attempts(), 0,
              std::numeric_limits<std::int32_t>::max());
  if (!v1::EndedAttempt::Next_IsValid(attempt.next())) {
    path.In("next").Violate("is unknown, expected SCHEDULER or none");
  }
}

bool HasSubject(const Owners& owners) {
  const v1::FailureReport& report = owners.report;
  return report.pods_size() > 0 || owners.any() ||
         report.has_creation_error() || report.has_exit() ||
         report.has_ended_attempt() || report.events_size() > 0 ||
         report.nodes_size() > 0;
}

}  // namespace

void ValidateReport(const Owners& owners, const FieldPath& path) {
  const v1::FailureReport& report = owners.report;
  if (!HasSubject(owners)) {
    path.Violate(
        "says nothing about a failure, expected at least one of "
        "pods, jobs, jobSet, rayJob, trainJob, kueueWorkload, "
        "sparkApplication, kubeflowJob, rayCluster, nodes, events, exit, "
        "creationError or endedAttempt");
  }
  if (report.has_ended_attempt()) {
    ValidateAlone(owners, path);
    ValidateAttempt(report.ended_attempt(), path.In("endedAttempt"));
  }
  ValidateFacts(report, path);
  ValidateWorkload(report.workload(), path);
  ValidateEach(report.pods(), kMaxPods, path, "pods", ValidatePod);
  ValidateCounts(report.omitted_pods(), path);
  ValidateEach(report.hints(), kMaxHints, path, "hints", ValidateHint);
  ValidateEach(report.jobs(), kMaxJobs, path, "jobs",
               ValidateObject<kubernetes::batch::v1::Job>);
  ValidateEach(report.nodes(), kMaxNodes, path, "nodes", ValidateNode);
  ValidateEach(report.events(), kMaxEvents, path, "events", ValidateEvent);
  ValidateEach(report.usage(), kMaxUsage, path, "usage", ValidateUsage);
  ValidateOwners(owners, path);
  ValidateForeign(owners, path);
}

}  // namespace mulligan
