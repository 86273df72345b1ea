#include "client/conformance/trainer_job.h"

#include <re2/re2.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/trainer_conditions.h"
#include "policy/native/trainer_objects.h"
#include "policy/native/trainer_reconcile.h"
#include "policy/native/trainer_version.h"

namespace mulligan::conformance {
namespace {

using trainer::JobSet;
using trainer::TrainJob;
using trainer::TrainJobSpec;
using trainer::TrainJobStatus;

// Messages JobSet gives with a reason, where the case leaves them out.
std::string_view JobSetMessage(std::string_view reason) {
  if (reason == "AllJobsCompleted") return "jobset completed successfully";
  if (reason == jobset::kFailedJobs) {
    return "jobset failed due to one or more job failures";
  }
  if (reason == jobset::kReachedMaxRestarts) {
    return jobset::kReachedMaxRestartsMessage;
  }
  return "";
}

// Words for a JobSet that is not there.
bool IsGone(const std::string& text) {
  return Mentions(text, {"not found", "deleted", "removed", "gone", "absent"});
}

absl::StatusOr<std::optional<JobSet>> JobSetIn(const Json& json) {
  if (json.is_null()) return std::nullopt;
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    if (IsGone(text)) return std::nullopt;
    if (Mentions(text, {"exists", "empty", "no status", "without status"})) {
      return JobSet();
    }
    return NotUnderstood("jobSet", json);
  }
  absl::Status known = CheckOnlyMembers(
      json, "jobSet",
      {"conditions", "replicatedJobsStatus", "suspend", "restarts",
       "restartsCountTowardsMax", "terminalState", "status", "spec"});
  if (!known.ok()) return known;
  Json full = {{"status", MemberOrNull(json, "status")},
               {"spec", MemberOrNull(json, "spec")}};
  if (full["status"].is_null()) full["status"] = json;
  if (json.contains("suspend")) full["spec"] = {{"suspend", json["suspend"]}};
  auto job_set = MessageFrom<JobSet>(full, "jobSet");
  if (!job_set.ok()) return job_set.status();
  for (auto& condition : *job_set->mutable_status()->mutable_conditions()) {
    if (condition.message().empty()) {
      condition.set_message(std::string(JobSetMessage(condition.reason())));
    }
  }
  return *std::move(job_set);
}

// A JobSet whose end a case tells in words; null when it does not.
Json JobSetInWords(const std::string& what) {
  std::string_view type;
  std::string_view reason;
  if (Mentions(what, {"jobs succeed", "jobs complete", "completes", "succeeds",
                      "exits with 0", "exit code 0"})) {
    type = jobset::kCompleted;
    reason = "AllJobsCompleted";
  } else if (Mentions(what,
                      {"jobs fail", "JobSet fails", "job fails", "script fails",
                       "container fails", "non-zero", "exits with an error",
                       "exits with 1", "exit code 1"})) {
    type = jobset::kFailed;
    reason = jobset::kFailedJobs;
  } else {
    return Json();
  }
  return {{"conditions",
           {{{"type", std::string(type)},
             {"status", "True"},
             {"reason", std::string(reason)}}}}};
}

absl::StatusOr<TrainJobStatus> StatusIn(const Json& json) {
  if (json.is_null()) return TrainJobStatus();
  Json full = json;
  auto conditions = ConditionObjects(MemberOrNull(json, "conditions"));
  if (!conditions.ok()) return conditions.status();
  full["conditions"] = *std::move(conditions);
  auto status = MessageFrom<TrainJobStatus>(full, "status");
  if (!status.ok()) return status.status();
  // What the controller writes with it, where the case leaves it out.
  for (auto& condition : *status->mutable_conditions()) {
    if (condition.type() != trainer::kSuspended) continue;
    trainer::Conditions written;
    trainer::SetSuspended(true, false, TrainerNow(), written);
    if (condition.status() != trainer::kTrue) {
      trainer::SetSuspended(false, false, TrainerNow(), written);
    }
    if (condition.reason().empty()) condition.set_reason(written[0].reason());
    if (condition.message().empty()) {
      condition.set_message(written[0].message());
    }
  }
  return status;
}

// A TrainJob before a pass, with the changes of spec the case makes.
absl::StatusOr<TrainJob> TrainJobIn(const Json& input) {
  TrainJob job;
  job.mutable_metadata()->set_name(
      TextOf(MemberOrNull(input, "metadata"), "name"));
  *job.mutable_metadata()->mutable_creation_timestamp() = TrainerNow();
  absl::Status filled =
      FillFrom(MemberOrNull(input, "spec"), "spec", *job.mutable_spec());
  if (!filled.ok()) return filled;
  auto status = StatusIn(MemberOrNull(
      input, input.contains("status") ? "status" : "statusBefore"));
  if (!status.ok()) return status.status();
  *job.mutable_status() = *std::move(status);
  const Json update = MemberOrNull(MemberOrNull(input, "event"), "specUpdate");
  if (update.is_null()) return job;
  absl::Status known = CheckOnlyMembers(
      update, "event.specUpdate",
      {"suspend", "managedBy", "runtimeRef", "activeDeadlineSeconds"});
  if (!known.ok()) return known;
  filled = FillFrom(update, "event.specUpdate", *job.mutable_spec());
  if (!filled.ok()) return filled;
  return job;
}

Json ConditionsJson(const trainer::Conditions& conditions) {
  Json list = Json::array();
  for (const auto& condition : conditions) {
    list.push_back(ConditionFact(MessageJson(condition)));
  }
  return list;
}

std::string JobSetWords(const trainer::Pass& pass, bool existed,
                        const TrainJobSpec& spec) {
  switch (pass.job_set) {
    case trainer::JobSetChange::kDeleted:
      return "deleted";
    case trainer::JobSetChange::kApplied:
      return absl::StrFormat("%s%s", existed ? "updated" : "created",
                             spec.suspend() ? ", suspended" : "");
    case trainer::JobSetChange::kNone:
      return existed ? "unchanged" : "none";
  }
  return "";
}

// The types of the conditions that are True.
Json ConditionTrue(const TrainJobStatus& status) {
  std::vector<Json> types;
  for (const auto& condition : status.conditions()) {
    if (condition.status() == trainer::kTrue) types.push_back(condition.type());
  }
  return types.empty() ? Json() : Described(std::move(types));
}

Json PassFacts(const trainer::Pass& pass, bool existed,
               const TrainJobSpec& spec) {
  Json jobs = Json::array();
  for (const auto& group : pass.status.jobs_status()) {
    jobs.push_back(MessageJson(group));
  }
  Json facts = {
      {"conditions", ConditionsJson(pass.status.conditions())},
      {"jobsStatus", jobs.empty() ? Described({jobs, nullptr}) : jobs},
      {"status", MessageJson(pass.status)},
      {"conditionTrue", ConditionTrue(pass.status)},
      {"finished", trainer::IsFinished(pass.status)},
      {"terminal", trainer::IsFinished(pass.status)},
      {"jobSet", JobSetWords(pass, existed, spec)},
      {"error", pass.error.empty() ? Json() : Json(pass.error)}};
  facts["event"] =
      pass.event.empty()
          ? Json()
          : Json{{"type", "Warning"},
                 {"reason", std::string(trainer::kResourcesFailedReason)},
                 {"message", pass.event}};
  return facts;
}

trainer::Version VersionOf(const CaseInput& input) {
  return EraOf(input) == TrainerEra::kKep2170 ? trainer::Kep2170()
                                              : trainer::Version();
}

absl::Status CheckPassMembers(const Json& input) {
  absl::Status known =
      CheckOnlyMembers(input, "input",
                       {"kind", "level", "runtime", "metadata", "spec",
                        "status", "statusBefore", "event", "jobSet"});
  if (!known.ok()) return known;
  const Json event = MemberOrNull(input, "event");
  if (event.is_null()) return absl::OkStatus();
  known = CheckOnlyMembers(event, "event",
                           {"what", "jobSet", "specUpdate",
                            "secondsSinceCreation", "secondsSinceResume"});
  if (!known.ok()) return known;
  const std::string what = TextOf(event, "what");
  if (!what.empty() && !IsGone(what) && JobSetInWords(what).is_null() &&
      !Mentions(what, {"created", "suspended", "resumed", "sleeps", "elapse",
                       "passes", "expires"})) {
    return NotUnderstood("event.what", what);
  }
  return absl::OkStatus();
}

// How long the job has run; `what` may say how long its container sleeps.
absl::StatusOr<absl::Duration> RunTime(const Json& event,
                                       std::string_view member) {
  const Json seconds = MemberOrNull(event, member);
  if (!seconds.is_null()) {
    return SecondsIn(seconds, absl::StrFormat("event.%s", member));
  }
  const std::string what = TextOf(event, "what");
  static const RE2& times = *new RE2("sleeps (\\d+) ?s|(\\d+) ?s\\w* elapse");
  std::string sleeps;
  std::string elapses;
  if (RE2::PartialMatch(what, times, &sleeps, &elapses)) {
    return SecondsIn(sleeps.empty() ? ">" + elapses : sleeps, "event.what");
  }
  return absl::UnimplementedError(absl::StrFormat("event.%s: missing", member));
}

}  // namespace

absl::StatusOr<Answer> TrainJobPassAnswer(const CaseInput& input) {
  absl::Status known = CheckPassMembers(input.input);
  if (!known.ok()) return known;
  const auto job = TrainJobIn(input.input);
  if (!job.ok()) return job.status();
  const Json event = MemberOrNull(input.input, "event");
  Json json = MemberOrNull(input.input, "jobSet");
  if (json.is_null()) json = MemberOrNull(event, "jobSet");
  if (json.is_null()) json = JobSetInWords(TextOf(event, "what"));
  const auto job_set = JobSetIn(json);
  if (!job_set.ok()) return job_set.status();
  const bool existed = job_set->has_value();
  const trainer::Scene scene{*job,
                             existed ? &**job_set : nullptr,
                             trainer::Objects::kReady,
                             "",
                             VersionOf(input),
                             TrainerNow()};
  return Answer::Facts(
      PassFacts(trainer::Reconcile(scene), existed, job->spec()));
}

absl::StatusOr<Answer> TrainJobDeadlineAnswer(const CaseInput& input) {
  absl::Status known = CheckPassMembers(input.input);
  if (!known.ok()) return known;
  auto job = TrainJobIn(input.input);
  if (!job.ok()) return job.status();
  const Json event = MemberOrNull(input.input, "event");
  const bool resumed = MemberOrNull(event, "specUpdate").contains("suspend") &&
                       !job->spec().suspend();
  const auto run_time =
      RunTime(event, resumed ? "secondsSinceResume" : "secondsSinceCreation");
  if (!run_time.ok()) return run_time.status();
  const auto start = TrainerAgo(*run_time);
  *job->mutable_metadata()->mutable_creation_timestamp() = start;
  if (resumed) {
    auto& conditions = *job->mutable_status()->mutable_conditions();
    trainer::SetSuspended(true, false, start, conditions);
    trainer::SetSuspended(false, false, start, conditions);
    // Long before the resume: that clock no longer counts.
    *job->mutable_metadata()->mutable_creation_timestamp() =
        TrainerAgo(*run_time + absl::Hours(1));
  }
  const JobSet running;
  const trainer::Pass pass =
      trainer::Reconcile({*job, &running, trainer::Objects::kReady, "",
                          VersionOf(input), TrainerNow()});
  Json facts = PassFacts(pass, true, job->spec());
  // What the deadline adds to the conditions that were there.
  const auto* const failed =
      jobset::FindCondition(pass.status.conditions(), trainer::kFailed);
  const bool exceeded =
      failed != nullptr && failed->reason() == trainer::kDeadlineExceeded;
  facts["conditions"] = Json::array();
  if (exceeded) {
    facts["conditions"].push_back(ConditionFact(MessageJson(*failed)));
  }
  facts["noConditionWithReason"] =
      exceeded ? Json() : Json(std::string(trainer::kDeadlineExceeded));
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainJobFinishedAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input", {"kind", "level", "status"});
  if (!known.ok()) return known;
  const auto status = StatusIn(MemberOrNull(input.input, "status"));
  if (!status.ok()) return status.status();
  return Answer::Facts({{"finished", trainer::IsFinished(*status)}});
}

absl::StatusOr<Answer> TrainJobManagerAnswer(const CaseInput& input) {
  const auto answer = TrainJobPassAnswer(input);
  // What else such cases are about is who owns an object.
  if (!answer.ok()) return Answer::Outside("managed-by");
  Json facts = answer->facts;
  const auto job = TrainJobIn(input.input);
  if (!job.ok()) return job.status();
  const bool other = trainer::IsManagedByOther(job->spec());
  facts["external"] = facts["managedByExternalController"] = other;
  facts["reconciled"] = !other;
  return Answer::Facts(std::move(facts));
}

absl::StatusOr<Answer> TrainJobPluginsAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input", {"kind", "level", "plugins"});
  if (!known.ok()) return known;
  const Json plugins = MemberOrNull(input.input, "plugins");
  if (!plugins.is_array()) return NotUnderstood("plugins", plugins);
  int reporters = 0;
  for (const Json& plugin : plugins) {
    if (!plugin.is_string()) return NotUnderstood("plugins", plugin);
    const std::string name = plugin.get<std::string>();
    if (name == "JobSet" || Mentions(name, {"status"})) ++reporters;
  }
  return Answer::Facts(
      {{"error",
        reporters > 1 ? Json("too many TrainJobStatus plugins") : Json()}});
}

}  // namespace mulligan::conformance
