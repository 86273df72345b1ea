#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/conformance/compare.h"
#include "client/conformance/kuberay_facts.h"
#include "client/conformance/kuberay_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kuberay_deadlines.h"
#include "policy/native/kuberay_reconcile.h"
#include "policy/native/kuberay_submitter.h"
#include "policy/native/kuberay_validation.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

using kuberay::RayJob;

Json NullIfEmpty(std::string_view text) {
  return text.empty() ? Described(UnsetWords()) : Json(std::string(text));
}

void AddState(const RayJob& job, Json& facts) {
  facts["jobDeploymentStatus"] = job.status().job_deployment_status();
  facts["jobStatus"] = job.status().job_status();
  facts["reason"] = job.status().reason();
  facts["message"] = job.status().message();
}

}  // namespace

absl::StatusOr<Json> RayJobValidationFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "spec", "metadata", "statusBefore",
                        "status", "featureGates", "operatorEnv"});
  if (!known.ok()) return known;
  const auto settings = KubeRaySettings(input);
  if (!settings.ok()) return settings.status();
  const bool has_status = input.input.contains("status");
  const auto job =
      RayJobFrom(input.input, has_status ? "status" : "statusBefore");
  if (!job.ok()) return job.status();
  // A test looks at one part; a spec beside a status only says what the status
  // is checked against.
  FieldErrors errors;
  if (input.input.contains("metadata")) {
    errors = kuberay::ValidateRayJobMetadata(*job);
  } else if (has_status || input.input.contains("statusBefore")) {
    errors = kuberay::ValidateRayJobStatus(*job);
  } else {
    errors = kuberay::ValidateRayJobSpec(job->spec(), *settings);
  }
  std::string all;
  for (const FieldError& error : errors) {
    all += (all.empty() ? "" : "\n") + error.detail;
  }
  const Json message = errors.empty()
                           ? Json()
                           : Described({errors.front().detail, std::move(all)});
  return Json{{"error", !errors.empty()},
              {"valid", errors.empty()},
              {"message", message}};
}

absl::StatusOr<Json> StatusWriteFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "spec", "statusBefore", "newStatus"});
  if (!known.ok()) return known;
  const auto before = RayJobFrom(input.input);
  if (!before.ok()) return before.status();
  RayJob after = *before;
  const Json change = MemberOf(input.input, "newStatus");
  absl::Status merged = MergeStatus(change, after);
  if (!merged.ok()) return merged;
  if (change.is_object() && change.contains("jobStatusCheckFailureStartTime") &&
      change["jobStatusCheckFailureStartTime"].is_null()) {
    after.mutable_status()->clear_job_status_check_failure_start_time();
  }
  const bool written = kuberay::WritesStatus(before->status(), after.status());
  return Json{{"persisted", written},
              {"messagePersisted", written},
              {"reasonPersisted", written},
              {"updated", written}};
}

absl::StatusOr<Json> StatusCheckFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "spec", "statusBefore", "operatorEnv",
                        "featureGates", "timeoutSeconds"});
  if (!known.ok()) return known;
  auto settings = KubeRaySettings(input);
  if (!settings.ok()) return settings.status();
  if (const Json timeout = MemberOf(input.input, "timeoutSeconds");
      timeout.is_number_integer()) {
    settings->status_check_timeout_seconds = timeout.get<std::int64_t>();
  }
  auto job = RayJobFrom(input.input);
  if (!job.ok()) return job.status();
  // The time is looked at in this state only.
  if (job->status().job_deployment_status().empty()) {
    job->mutable_status()->set_job_deployment_status(
        std::string(kuberay::kRunning));
  }
  const bool exceeded = kuberay::CheckStatusCheckTimeout(
      *settings, kubernetes_job::TimestampOf(KubeRayNow()),
      *job->mutable_status());
  Json facts = {{"exceeded", exceeded},
                {"updated", exceeded},
                {"statusUnchanged", !exceeded},
                {"timeoutSeconds", settings->status_check_timeout_seconds}};
  AddState(*job, facts);
  if (!exceeded) {
    facts["jobDeploymentStatus"] =
        Described({job->status().job_deployment_status(), "unchanged"});
  }
  return facts;
}

absl::StatusOr<Json> SuspendFacts(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input", {"kind", "level", "spec", "statusBefore"});
  if (!known.ok()) return known;
  auto job = RayJobFrom(input.input);
  if (!job.ok()) return job.status();
  const bool suspends = kuberay::SuspendsNow(job->spec(), job->status());
  if (suspends) {
    job->mutable_status()->set_job_deployment_status(
        std::string(kuberay::kSuspending));
  }
  Json facts = {{"updated", suspends}};
  AddState(*job, facts);
  return facts;
}

absl::StatusOr<Json> SubmitterFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "spec", "featureGates", "limit",
                        "submitterContainer", "statusBefore"});
  if (!known.ok()) return known;
  const auto settings = KubeRaySettings(input);
  if (!settings.ok()) return settings.status();
  const auto job = RayJobFrom(input.input);
  if (!job.ok()) return job.status();
  std::int64_t limit = kuberay::SubmitterBackoffLimit(job->spec());
  Json facts;
  facts["submitterJob"] = {{"spec.backoffLimit", limit}};
  facts["submitterContainer.restartPolicy"] =
      NullIfEmpty(kuberay::SidecarRestartPolicy(*settings));
  facts["submitterContainer"] = {
      {"restartPolicy", facts["submitterContainer.restartPolicy"]}};
  const Json container = MemberOf(input.input, "submitterContainer");
  if (container.is_null()) {
    // A container without a status has not been restarted.
    if (input.input.contains("limit")) {
      facts["exceeded"] = facts["shouldUpdate"] = false;
    }
    return facts;
  }
  if (const Json given = MemberOf(input.input, "limit");
      given.is_number_integer()) {
    limit = given.get<std::int64_t>();
  }
  // Go's name of the field; its JSON name is lastState.
  Json full = Nested(container);
  if (full.contains("lastTerminationState")) {
    full["lastState"] = full["lastTerminationState"];
    full.erase("lastTerminationState");
  }
  // A state in one word.
  for (const char* const member : {"state", "lastState"}) {
    if (!MemberOf(full, member).is_string()) continue;
    full[member] = {{full[member].get<std::string>(), Json::object()}};
  }
  known = CheckOnlyMembers(full, "submitterContainer",
                           {"name", "restartCount", "state", "lastState"});
  if (!known.ok()) return known;
  const auto status =
      MessageFrom<kuberay::ContainerStatus>(full, "submitterContainer");
  if (!status.ok()) return status.status();
  const bool exceeded = kuberay::IsRestartCountExceeded(*status, limit);
  facts["exceeded"] = facts["shouldUpdate"] = exceeded;
  RayJob after = *job;
  if (exceeded) kuberay::FailForSubmitter({}, *after.mutable_status());
  AddState(after, facts);
  return facts;
}

}  // namespace mulligan::conformance
