#include "client/conformance/kueue_workload.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_eviction.h"
#include "policy/native/kueue_jobs.h"
#include "policy/native/kueue_reconcile.h"
#include "policy/native/kueue_release.h"
#include "policy/native/kueue_requeue.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::Workload;

void NameIfUnnamed(Workload& workload) {
  auto& metadata = *workload.mutable_metadata();
  if (metadata.name().empty()) metadata.set_name("wl");
  if (metadata.namespace_().empty()) metadata.set_namespace_("ns");
}

Json Removed(const Workload& before, const Workload& after) {
  Json removed = Json::array();
  for (const auto& condition : before.status().conditions()) {
    if (kueue::FindCondition(after.status().conditions(), condition.type()) ==
        nullptr) {
      removed.push_back(condition.type());
    }
  }
  return removed;
}

Json FirstEvent(const std::vector<kueue::Event>& events) {
  return events.empty() ? Json() : KueueEventJson(events.front());
}

// Evicted for a reason that nothing will flip: out of the queue for good.
bool IsStuck(const Workload& workload, bool single_pod,
             const kueue::Gates& gates) {
  const auto* const requeued =
      kueue::FindCondition(workload.status().conditions(), kueue::kRequeued);
  return requeued != nullptr && requeued->status() == "False" &&
         kueue::LaterRequeuedReason(requeued->reason(), single_pod, gates)
             .empty();
}

Json PassFacts(const kueue::PassInput& pass_input) {
  const kueue::Pass pass = kueue::Reconcile(pass_input);
  Json facts = KueueStatusFacts(pass.workload);
  facts["action"] = pass.action;
  facts["event"] = FirstEvent(pass.events);
  facts["requeueAfterSeconds"] = KueueSecondsJson(pass.requeue_after);
  if (const auto requeue_at = kueue::RequeueAt(pass.workload.status())) {
    facts["backoffSeconds"] = KueueSecondsJson(*requeue_at - pass_input.now);
  }
  facts["conditionsRemoved"] = Removed(pass_input.workload, pass.workload);
  facts["workloadsInQueue"] =
      kueue::IsQueued(pass.workload, pass_input.now) ? 1 : 0;
  facts["stuck"] =
      IsStuck(pass.workload, /*single_pod=*/false, pass_input.gates);
  return facts;
}

Json SettledFacts(const kueue::PassInput& pass_input) {
  const kueue::Settled settled =
      kueue::Settle(pass_input, /*single_pod=*/false);
  Json facts = KueueStatusFacts(settled.workload);
  facts["event"] = FirstEvent(settled.events);
  facts["metrics"] = KueueMetricsJson(settled.reports);
  facts["conditionsRemoved"] = Removed(pass_input.workload, settled.workload);
  return facts;
}

// "Pod" or "single Pod", not a group of them; by its name or as an object.
absl::StatusOr<bool> IsSinglePod(const Json& json) {
  const Json owner = json.is_object() ? KueueMember(json, "kind") : json;
  if (json.is_null()) return false;
  if (!owner.is_string()) {
    return absl::InvalidArgumentError("owner: a kind is expected");
  }
  const std::string text = absl::AsciiStrToLower(owner.get<std::string>());
  return absl::StrContains(text, "pod") && !absl::StrContains(text, "group");
}

absl::StatusOr<kueue::JobSet> JobSetOf(const Json& json) {
  Json full = {{"status", Json::object()}};
  const Json groups = KueueMember(json, "replicatedJobsStatus");
  full["status"]["replicatedJobsStatus"] = groups;
  if (KueueMember(json, "active") == Json(true)) {
    full["status"]["replicatedJobsStatus"] = {{{"name", "job"}, {"active", 1}}};
  }
  // The Jobs of a group are those its status counts.
  for (const Json& group : groups) {
    const Json active = KueueMember(group, "active");
    const Json succeeded = KueueMember(group, "succeeded");
    const int replicas = (active.is_number() ? active.get<int>() : 0) +
                         (succeeded.is_number() ? succeeded.get<int>() : 0);
    full["spec"]["replicatedJobs"].push_back(
        {{"name", group["name"]}, {"replicas", replicas}});
  }
  return MessageFrom<kueue::JobSet>(full, "jobset");
}

// The status of a Job, or just whether it has pods.
absl::StatusOr<kueue::Job> JobOf(const Json& json) {
  Json status = json;
  const Json active = KueueMember(json, "active");
  if (active.is_boolean()) status["active"] = active == Json(true) ? 1 : 0;
  return MessageFrom<kueue::Job>({{"status", status}}, "job");
}

int ReclaimedOf(const std::string& name,
                const std::vector<kueue::ReclaimablePod>& reclaimable) {
  for (const auto& entry : reclaimable) {
    if (entry.name() == name) return entry.count();
  }
  return 0;
}

}  // namespace

absl::StatusOr<Json> KueuePassFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"now", "workload", "waitForPodsReady", "clusterQueue", "localQueue"});
  if (!known.ok()) return known;
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  auto workload = KueueWorkload(KueueMember(input.input, "workload"));
  if (!workload.ok()) return workload.status();
  const auto settings =
      KueueSettings(KueueMember(input.input, "waitForPodsReady"));
  if (!settings.ok()) return settings.status();
  const auto local = KueueQueue(KueueMember(input.input, "localQueue"));
  if (!local.ok()) return local.status();
  const auto cluster = KueueQueue(KueueMember(input.input, "clusterQueue"));
  if (!cluster.ok()) return cluster.status();
  NameIfUnnamed(*workload);
  CompleteAdmission(*workload);
  const kueue::PassInput pass{*workload, *settings, *local,
                              *cluster,  *gates,    *now};
  return input.input.contains("now") || input.kind == "source-derived"
             ? PassFacts(pass)
             : SettledFacts(pass);
}

absl::StatusOr<Json> KueueExecutionTimeFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"now", "maximumExecutionTimeSeconds", "conditions",
       "accumulatedPastExecutionTimeSeconds", "elapsedSinceAdmittedSeconds"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  Json members = input.input;
  members.erase("now");
  members.erase("elapsedSinceAdmittedSeconds");
  const Json elapsed = KueueMember(input.input, "elapsedSinceAdmittedSeconds");
  if (!elapsed.is_null()) {
    const auto since = KueueDuration(elapsed, "elapsedSinceAdmittedSeconds");
    if (!since.ok()) return since.status();
    members["conditions"] = {
        {{"type", "Admitted"},
         {"status", "True"},
         {"lastTransitionTime", KueueTimeJson(*now - *since)}}};
  }
  auto workload = KueueWorkload(members);
  if (!workload.ok()) return workload.status();
  CompleteAdmission(*workload);
  const kueue::PassInput pass{*workload,    std::nullopt,   std::nullopt,
                              std::nullopt, kueue::Gates(), *now};
  return elapsed.is_null() ? PassFacts(pass) : SettledFacts(pass);
}

absl::StatusOr<Json> KueueTimeoutFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "waitForPodsReady", "requeueState"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  auto workload =
      KueueWorkload({{"requeueState", KueueMember(input.input, "requeueState")},
                     {"admitted", true}});
  if (!workload.ok()) return workload.status();
  NameIfUnnamed(*workload);
  CompleteAdmission(*workload);
  const auto settings =
      KueueSettings(KueueMember(input.input, "waitForPodsReady"));
  if (!settings.ok()) return settings.status();
  return PassFacts(
      {*workload, *settings, std::nullopt, std::nullopt, {}, *now});
}

absl::StatusOr<Json> KueueReleaseFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "workload", "jobActive", "owner"});
  if (!known.ok()) return known;
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  Json members = KueueMember(input.input, "workload");
  // Until its job has stopped an evicted workload holds its quota.
  members["quotaReserved"] = true;
  auto workload = KueueWorkload(members);
  if (!workload.ok()) return workload.status();
  const auto is_pod = IsSinglePod(KueueMember(input.input, "owner"));
  if (!is_pod.ok()) return is_pod.status();
  const bool single_pod = *is_pod;
  auto& status = *workload->mutable_status();
  const bool stopped = KueueMember(input.input, "jobActive") != Json(true);
  if (stopped) kueue::ReleaseQuota(single_pod, *gates, *now, status);
  Json facts = KueueStatusFacts(*workload);
  const auto* const requeued =
      kueue::FindCondition(status.conditions(), kueue::kRequeued);
  facts["laterFlippedTo"] = Json();
  if (requeued != nullptr && requeued->status() == "False") {
    const auto later =
        kueue::LaterRequeuedReason(requeued->reason(), single_pod, *gates);
    if (!later.empty()) facts["laterFlippedTo"] = std::string(later);
  }
  facts["stuck"] = IsStuck(*workload, single_pod, *gates);
  return facts;
}

absl::StatusOr<Json> KueuePreemptedJobSetFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"workload", "jobset", "job", "preempted", "now"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  const Json json = KueueMember(input.input, "jobset");
  const auto job_set = JobSetOf(json);
  if (!job_set.ok()) return job_set.status();
  const Json job_json = KueueMember(input.input, "job");
  const auto job = JobOf(job_json);
  if (!job.ok()) return job.status();
  const bool stopped = job_json.is_null() ? !kueue::HoldsQuota(*job_set)
                                          : !kueue::HoldsQuota(*job);
  auto workload = KueueWorkload(KueueMember(input.input, "workload"));
  if (!workload.ok()) return workload.status();
  auto& status = *workload->mutable_status();
  const bool readmitted = KueueMember(input.input, "preempted") == Json(true);
  if (readmitted) {
    kueue::ReserveQuota("cq", *now, status);
  } else if (stopped) {
    kueue::ReleaseQuota(/*single_pod=*/false, {}, *now, status);
  }
  Json facts = KueueStatusFacts(*workload);
  facts["jobSuspended"] = kueue::IsEvicted(status);
  const auto reclaimable = kueue::ReclaimablePods(*job_set);
  facts["reclaimablePods"] = Json::array();
  for (const auto& entry : reclaimable) {
    facts["reclaimablePods"].push_back(
        {{"name", entry.name()}, {"count", entry.count()}});
  }
  facts["podSetAssignments"] = Json::array();
  for (const auto& group : job_set->spec().replicated_jobs()) {
    const int left = group.replicas() - ReclaimedOf(group.name(), reclaimable);
    Json assignment = {{"name", group.name()},
                       {"count", left},
                       {"topologyAssignmentSet", left > 0}};
    // Nothing to place for no pods.
    if (left == 0) assignment["topologyAssignment"] = Json();
    facts["podSetAssignments"].push_back(std::move(assignment));
  }
  return facts;
}

absl::StatusOr<Json> KueueEvictionFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "workload", "eviction", "evictedFor"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  auto workload = KueueWorkload(KueueMember(input.input, "workload"));
  if (!workload.ok()) return workload.status();
  CompleteAdmission(*workload);
  const Json json = KueueMember(input.input, "eviction");
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  kueue::Eviction eviction{text(KueueMember(json, "reason")),
                           text(KueueMember(json, "underlyingCause")),
                           text(KueueMember(json, "message"))};
  if (eviction.reason.empty()) {
    eviction.reason = text(KueueMember(input.input, "evictedFor"));
  }
  const auto report = kueue::Evict(eviction, *now, *workload->mutable_status());
  Json facts = KueueStatusFacts(*workload);
  facts["event"] = report.has_value() ? KueueEventJson(report->event) : Json();
  if (report.has_value()) facts["metrics"] = KueueMetricsJson({*report});
  return facts;
}

}  // namespace mulligan::conformance
