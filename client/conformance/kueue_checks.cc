#include "client/conformance/kueue_checks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_admission_checks.h"
#include "policy/native/kueue_multikueue.h"
#include "policy/native/kueue_provisioning.h"
#include "policy/native/kueue_requeue.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::AdmissionCheckState;
using kueue::Workload;

std::string Text(const Json& object, const char* name) {
  const Json value = KueueMember(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t Number(const Json& object, const char* name,
                    std::int64_t otherwise) {
  const Json value = KueueMember(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

Json MessageOrNull(const AdmissionCheckState& check) {
  return check.message().empty() ? Described({nullptr, ""})
                                 : Json(check.message());
}

Json CheckFacts(const AdmissionCheckState& check,
                const std::optional<kueue::Event>& event) {
  return {{"checkState", check.state()},
          {"message", MessageOrNull(check)},
          {"requeueAfterSeconds", check.has_requeue_after_seconds()
                                      ? Json(check.requeue_after_seconds())
                                      : Json()},
          {"retryCount",
           check.has_retry_count() ? Json(check.retry_count()) : Json()},
          {"event", KueueEventJson(event)}};
}

kueue::RetryStrategy StrategyFrom(const Json& json) {
  kueue::RetryStrategy strategy;
  strategy.backoff_limit_count =
      Number(json, "backoffLimitCount", strategy.backoff_limit_count);
  strategy.backoff_base_seconds =
      Number(json, "backoffBaseSeconds", strategy.backoff_base_seconds);
  strategy.backoff_max_seconds =
      Number(json, "backoffMaxSeconds", strategy.backoff_max_seconds);
  return strategy;
}

// "PodTemplate" and "ProvisioningRequest" as the API server names them.
std::string ResourceOf(const std::string& kind) {
  return kind == "PodTemplate" ? "podtemplates"
                               : "provisioningrequests.autoscaling.x-k8s.io";
}

absl::StatusOr<kueue::Worker> WorkerFrom(const Json& json,
                                         const std::string& name) {
  const absl::Status known = CheckOnlyMembers(
      json, name,
      {"admitted", "outOfSync", "reconnecting", "disconnectedForSeconds",
       "jobActive", "conditions", "reachable", "remoteWorkload"});
  if (!known.ok()) return known;
  kueue::Worker worker;
  worker.name = name;
  worker.reachable = KueueMember(json, "reconnecting") != Json(true) &&
                     KueueMember(json, "reachable") != Json(false);
  worker.lost_for = absl::Seconds(Number(json, "disconnectedForSeconds", 0));
  worker.out_of_sync = KueueMember(json, "outOfSync") == Json(true);
  const bool gone = json.contains("remoteWorkload") &&
                    KueueMember(json, "remoteWorkload").is_null();
  if (gone || !worker.reachable) return worker;
  Json remote = KueueMember(json, "remoteWorkload");
  if (remote.is_null()) remote = Json::object();
  if (json.contains("conditions")) remote["conditions"] = json["conditions"];
  if (json.contains("admitted")) remote["admitted"] = json["admitted"];
  const auto workload = KueueWorkload(remote);
  if (!workload.ok()) return workload.status();
  worker.remote = workload->status();
  return worker;
}

// What MultiKueue has against the owner of a workload. Cases that are about
// the workers do not speak of the owner; it has none when nothing is told but a
// check that is pending.
absl::Status AddOwner(const Json& json, kueue::ManagerView& view) {
  constexpr const char* kMultiKueue = "kueue.x-k8s.io/multikueue";
  Json owner = KueueMember(json, "owner");
  Json managed_by = KueueMember(json, "managedBy");
  bool tells_manager = json.contains("managedBy");
  if (owner.is_object()) {
    managed_by = KueueMember(owner, "managedBy");
    tells_manager = true;
    owner = KueueMember(owner, "kind");
  }
  const bool named = owner.is_string() && owner != Json("");
  view.has_owner =
      named || (!json.contains("owner") &&
                (json.size() > 1 || view.check.state() != "Pending"));
  view.unmanaged_reason = Text(json, "unmanagedReason");
  // The kinds MultiKueue has no adapter for print as Go prints them.
  if (owner == Json("Pod")) view.unsupported_owner = "/v1, Kind=Pod";
  if (named && owner != Json("Pod") && owner != Json("Job")) {
    return absl::UnimplementedError("owner: Pod or Job expected");
  }
  if (managed_by != Json(kMultiKueue) &&
      (owner == Json("Job") || tells_manager)) {
    const std::string manager =
        managed_by.is_string() ? managed_by.get<std::string>() : "";
    view.unmanaged_reason =
        absl::StrFormat("Expecting spec.managedBy to be \"%s\" not \"%s\"",
                        kMultiKueue, manager);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> KueueProvisioningFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"admissionCheck", "admissionChecks", "provisioningRequestConditions",
       "retryStrategy", "attempt", "workload", "retryCount", "checkState"});
  if (!known.ok()) return known;
  const Json listed = KueueMember(input.input, "provisioningRequestConditions");
  const auto conditions = KueueConditions(listed);
  if (!conditions.ok()) return conditions.status();
  const auto workload = KueueWorkload(KueueMember(input.input, "workload"));
  if (!workload.ok()) return workload.status();
  AdmissionCheckState check;
  check.set_name(Text(input.input, "admissionCheck"));
  const std::string state = Text(input.input, "checkState");
  check.set_state(state.empty() ? "Pending" : state);
  // A request after the first one comes after as many retries.
  const std::int64_t attempt = Number(input.input, "attempt", 1);
  const std::int64_t retries = Number(input.input, "retryCount", attempt - 1);
  if (retries != 0) check.set_retry_count(static_cast<std::int32_t>(retries));
  // Without a request there is nothing to follow.
  if (listed.is_null()) return CheckFacts(check, std::nullopt);
  const kueue::CheckUpdate update = kueue::FollowRequest(
      check, {*conditions, attempt},
      StrategyFrom(KueueMember(input.input, "retryStrategy")), *workload);
  return CheckFacts(update.check, update.event);
}

absl::StatusOr<Json> KueueCreationFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"admissionChecks", "createError", "visibleInCache", "attempt"});
  if (!known.ok()) return known;
  const auto workload = KueueWorkload(
      {{"admissionChecks", KueueMember(input.input, "admissionChecks")}});
  if (!workload.ok()) return workload.status();
  if (workload->status().admission_checks().empty()) {
    return absl::InvalidArgumentError("admissionChecks: one is expected");
  }
  const AdmissionCheckState& check = workload->status().admission_checks(0);
  const Json error = KueueMember(input.input, "createError");
  kueue::FailedCreation creation;
  creation.kind = Text(error, "kind");
  creation.error = Text(error, "error");
  const std::string request =
      kueue::RequestName("wl", check.name(), Number(input.input, "attempt", 1));
  if (creation.kind == "PodTemplate") {
    creation.name = kueue::PodTemplateName(request, "main");
  } else if (creation.kind == "ProvisioningRequest") {
    creation.name = request;
  } else {
    return absl::UnimplementedError(absl::StrFormat(
        "createError.kind: no '%s' is created for a check", creation.kind));
  }
  if (creation.error == "already exists") {
    creation.error = absl::StrFormat("%s \"%s\" already exists",
                                     ResourceOf(creation.kind), creation.name);
    creation.exists_unseen =
        KueueMember(input.input, "visibleInCache") == Json(false);
  }
  const kueue::CheckUpdate update =
      kueue::FollowFailedCreation(check, creation);
  Json facts = CheckFacts(update.check, update.event);
  facts["retriedByController"] = true;
  return facts;
}

absl::StatusOr<Json> KueueCheckResetFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input", {"now", "admissionChecks"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  auto workload = KueueWorkload(
      {{"admissionChecks", KueueMember(input.input, "admissionChecks")}});
  if (!workload.ok()) return workload.status();
  auto& status = *workload->mutable_status();
  Json facts = {{"retryAt", KueueTimeJson(kueue::MaxRetryTime(status))}};
  kueue::ResetChecks(*now, status);
  facts["admissionChecks"] = KueueChecksJson(status);
  return facts;
}

absl::StatusOr<Json> KueueWorkersFacts(const CaseInput& input) {
  const Json& json = input.input;
  const absl::Status known = CheckOnlyMembers(
      json, "input",
      {"check", "clusterName", "managerConditions", "managerJobActive", "owner",
       "managedBy", "unmanagedReason", "worker1", "worker2",
       "workerLostTimeoutSeconds"});
  if (!known.ok()) return known;
  auto workload =
      KueueWorkload({{"conditions", KueueMember(json, "managerConditions")},
                     {"clusterName", KueueMember(json, "clusterName")},
                     {"quotaReserved", true}});
  if (!workload.ok()) return workload.status();
  auto check =
      MessageFrom<AdmissionCheckState>(KueueMember(json, "check"), "check");
  if (!check.ok()) return check.status();
  kueue::ManagerView view{*workload, *check};
  const absl::Status owned = AddOwner(json, view);
  if (!owned.ok()) return owned;
  view.worker_lost_timeout =
      absl::Seconds(Number(json, "workerLostTimeoutSeconds",
                           absl::ToInt64Seconds(kueue::kWorkerLostTimeout)));
  for (const char* const name : {"worker1", "worker2"}) {
    const Json entry = KueueMember(json, name);
    if (entry.is_null()) continue;
    auto worker = WorkerFrom(entry, name);
    if (!worker.ok()) return worker.status();
    view.workers.push_back(*std::move(worker));
  }
  const kueue::ManagerVerdict verdict = kueue::FollowWorkers(view);
  Json facts = CheckFacts(verdict.check, verdict.event);
  facts["finished"] = verdict.finished.has_value();
  facts["requeueAfterSeconds"] = KueueSecondsJson(verdict.requeue_after);
  facts["managerJobActive"] = KueueMember(json, "managerJobActive");
  const std::string& source = verdict.copies_job_status_of;
  if (!source.empty()) {
    facts["managerJobActive"] =
        KueueMember(KueueMember(json, source.c_str()), "jobActive");
  }
  return facts;
}

}  // namespace mulligan::conformance
