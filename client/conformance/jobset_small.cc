#include "client/conformance/jobset_small.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/jobset_input.h"
#include "client/conformance/protos.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/jobset_creation.h"
#include "policy/native/jobset_defaults.h"
#include "policy/native/jobset_failure_policy.h"
#include "policy/native/jobset_success_policy.h"
#include "policy/native/jobset_validation.h"

namespace mulligan::conformance {
namespace {

using jobset::Job;
using jobset::JobSet;

Json NameOrNull(const Job* job) {
  return job == nullptr ? Json() : Json(job->metadata().name());
}

Json Member(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

// A group's name as text, as an object with a name, or null.
absl::StatusOr<std::string> GroupName(const Json& json) {
  if (json.is_null()) return std::string();
  const Json& name =
      json.is_object() && json.contains("name") ? json["name"] : json;
  if (name.is_string()) return name.get<std::string>();
  return absl::InvalidArgumentError(
      absl::StrFormat("the name of a group is expected, got %s", json.dump()));
}

Job JobOf(const std::string& group) {
  Job job;
  if (!group.empty()) {
    (*job.mutable_metadata()
          ->mutable_labels())[std::string(jobset::kReplicatedJobNameKey)] =
        group;
  }
  return job;
}

Json ErrorsJson(const FieldErrors& errors) {
  Json list = Json::array();
  for (const FieldError& error : errors) list.push_back(error.detail);
  return list;
}

Json ConditionList(const jobset::Conditions& conditions) {
  Json list = Json::array();
  for (const auto& condition : conditions) {
    list.push_back(MessageJson(condition));
  }
  return list;
}

Json RefusalFacts(const FieldErrors& errors) {
  const bool valid = errors.empty();
  return {
      {"valid", valid},
      {"errors", ErrorsJson(errors)},
      {"error", valid ? Json() : Json(errors.front().detail)},
      {"message", valid ? Json() : Json(errors.front().detail)},
      {"httpCode", valid ? Json() : Json(jobset::kInvalidHttpCode)},
      {"reason", valid ? Json() : Json(std::string(jobset::kInvalidReason))}};
}

}  // namespace

absl::StatusOr<Json> FirstFailedJobFacts(const CaseInput& input) {
  const auto jobs = JobsFrom(Member(input.input, "failedJobs"));
  if (!jobs.ok()) return jobs.status();
  return Json{{"job", NameOrNull(jobset::FirstFailedJob(PointersTo(*jobs)))}};
}

absl::StatusOr<Json> RuleApplicableFacts(const CaseInput& input) {
  const auto gates = JobSetGates(input);
  if (!gates.ok()) return gates.status();
  const auto rule = MessageFrom<jobset::FailurePolicyRule>(
      Member(input.input, "rule"), "rule");
  if (!rule.ok()) return rule.status();
  const auto job = MessageFrom<Job>(Member(input.input, "failedJob"), "job");
  if (!job.ok()) return job.status();
  return Json{{"applicable", jobset::RuleApplies(*rule, *job, *gates)}};
}

absl::StatusOr<Json> RuleSelectionFacts(const CaseInput& input) {
  const auto gates = JobSetGates(input);
  if (!gates.ok()) return gates.status();
  const auto policy = MessageFrom<jobset::FailurePolicy>(
      Member(input.input, "failurePolicy"), "failurePolicy");
  if (!policy.ok()) return policy.status();
  const auto jobs = JobsFrom(Member(input.input, "failedJobs"));
  if (!jobs.ok()) return jobs.status();
  PatternAllowance patterns;
  const auto match =
      jobset::FindRule(*policy, PointersTo(*jobs), *gates, patterns);
  if (!match.has_value()) {
    return Json{{"matchedRule", nullptr}, {"matchedJob", nullptr}};
  }
  return Json{{"matchedRule", match->rule},
              {"matchedJob", NameOrNull(match->job)}};
}

absl::StatusOr<Json> SuccessMatchFacts(const CaseInput& input) {
  const auto policy = MessageFrom<jobset::SuccessPolicy>(
      Member(input.input, "successPolicy"), "successPolicy");
  if (!policy.ok()) return policy.status();
  const Json full = Member(input.input, "job");
  if (full.is_object()) {
    const auto job = MessageFrom<Job>(full, "job");
    if (!job.ok()) return job.status();
    return Json{{"matches",
                 jobset::IsTarget(*policy, jobset::ReplicatedJobNameOf(*job))}};
  }
  for (const char* const name :
       {"replicatedJob", "jobReplicatedJob", "replicatedJobName"}) {
    if (!input.input.contains(name)) continue;
    const auto group = GroupName(input.input[name]);
    if (!group.ok()) return group.status();
    return Json{{"matches", jobset::IsTarget(*policy, *group)}};
  }
  return absl::UnimplementedError("input: neither replicatedJob nor job");
}

absl::StatusOr<Json> SuccessCountFacts(const CaseInput& input) {
  const auto policy = MessageFrom<jobset::SuccessPolicy>(
      Member(input.input, "successPolicy"), "successPolicy");
  if (!policy.ok()) return policy.status();
  auto jobs = JobsFrom(Member(input.input, "jobs"));
  if (!jobs.ok()) return jobs.status();
  for (const Json& entry : Member(input.input, "jobsReplicatedJob")) {
    const auto group = GroupName(entry);
    if (!group.ok()) return group.status();
    jobs->push_back(JobOf(*group));
  }
  return Json{{"count", jobset::TargetedJobs(*policy, PointersTo(*jobs))}};
}

absl::StatusOr<Json> SuccessExpectedFacts(const CaseInput& input) {
  const auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  return Json{{"count", jobset::ExpectedSuccesses(job_set->spec())}};
}

absl::StatusOr<Json> ConditionUpdateFacts(const CaseInput& input) {
  auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  jobset::Conditions before = job_set->status().conditions();
  jobset::Conditions after = before;
  const Json wanted = Member(input.input, "newCondition");
  bool updated = false;
  bool unmoved = true;
  if (!wanted.is_null()) {
    const auto condition =
        MessageFrom<jobset::Condition>(wanted, "newCondition");
    if (!condition.ok()) return condition.status();
    updated = jobset::UpdateCondition(*condition, JobSetNow(), after);
    const auto* const old = jobset::FindCondition(before, condition->type());
    const auto* const now = jobset::FindCondition(after, condition->type());
    unmoved = (old == nullptr) == (now == nullptr) &&
              (old == nullptr || MessageJson(old->last_transition_time()) ==
                                     MessageJson(now->last_transition_time()));
  }
  return Json{{"updated", updated},
              {"lastTransitionTimeUnchanged", unmoved},
              {"conditions", ConditionList(after)}};
}

absl::StatusOr<Json> DefaultingFacts(const CaseInput& input) {
  auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  jobset::SetJobSetDefaults(*job_set->mutable_spec());
  Json facts = MessageJson(job_set->spec());
  for (const char* const name : {"failurePolicy", "replicatedJobs"}) {
    if (!facts.contains(name)) facts[name] = Json();
  }
  return facts;
}

absl::StatusOr<Json> ValidationFacts(const CaseInput& input) {
  const auto gates = JobSetGates(input);
  if (!gates.ok()) return gates.status();
  const auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  const jobset::JobSetSpecIssues issues =
      jobset::ValidateJobSetSpec(job_set->spec(), *gates);
  Json facts = RefusalFacts(issues.errors);
  facts["warnings"] = issues.warnings;
  return facts;
}

absl::StatusOr<Json> UpdateValidationFacts(const CaseInput& input) {
  const auto before = JobSetFrom(Member(input.input, "old"));
  if (!before.ok()) return before.status();
  const auto after = JobSetFrom(Member(input.input, "new"));
  if (!after.ok()) return after.status();
  return RefusalFacts(
      jobset::ValidateJobSetUpdate(before->spec(), after->spec()));
}

absl::StatusOr<Json> CreationFailureFacts(const CaseInput& input) {
  const Json error = Member(input.input, "createError");
  const Json kind = Member(error, "kind");
  const Json name = Member(error, "name");
  const Json text =
      Member(error, error.contains("error") ? "error" : "message");
  if (!kind.is_string() || !text.is_string()) {
    return absl::UnimplementedError(
        "input.createError: an object with kind and error is expected");
  }
  const auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  const std::optional<jobset::Event> event = jobset::CreationFailedEvent(
      kind.get<std::string>(), name.is_string() ? name.get<std::string>() : "",
      text.get<std::string>());
  if (!event.has_value()) {
    return absl::UnimplementedError(absl::StrFormat(
        "input.createError.kind: JobSet creates no %s", kind.dump()));
  }
  const jobset::JobSetStatus& status = job_set->status();
  return Json{{"event",
               {{"type", event->type},
                {"reason", event->reason},
                {"message", event->message}}},
              {"eventReason", event->reason},
              {"error", event->message},
              {"retriedByController", true},
              {"action", nullptr},
              {"terminalState", status.terminal_state().empty()
                                    ? Json()
                                    : Json(status.terminal_state())},
              {"conditions", ConditionList(status.conditions())},
              {"restarts", status.restarts()},
              {"restartsCountTowardsMax", status.restarts_count_towards_max()}};
}

}  // namespace mulligan::conformance
