#include "client/conformance/jobset_input.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/conformance/protos.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/jobset_failure_policy.h"
#include "policy/native/jobset_restart_budget.h"

namespace mulligan::conformance {
namespace {

using jobset::Job;
using jobset::JobSet;
using jobset::JobSetStatus;

constexpr std::int64_t kNowSeconds = 1767268800;  // 2026-01-01T12:00:00Z

// Group and index.
using Place = std::pair<std::string, std::int32_t>;

Json MemberOr(const Json& object, const char* name, const Json& otherwise) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? otherwise : *found;
}

absl::StatusOr<Json> GroupJson(const Json& group) {
  absl::Status known = CheckOnlyMembers(
      group, "replicatedJobs",
      {"name", "groupName", "replicas", "template", "dependsOn", "parallelism",
       "completions", "backoffLimit", "podReplacementPolicy"});
  if (!known.ok()) return known;
  Json full = {{"template", MemberOr(group, "template", Json::object())}};
  for (const char* const name :
       {"name", "groupName", "replicas", "dependsOn"}) {
    if (group.contains(name)) full[name] = group[name];
  }
  if (!full["template"].is_object()) {
    return absl::InvalidArgumentError(
        "replicatedJobs.template: an object is expected");
  }
  Json& spec = full["template"]["spec"];
  if (spec.is_null()) spec = Json::object();
  if (!spec.is_object()) {
    return absl::InvalidArgumentError(
        "replicatedJobs.template.spec: an object is expected");
  }
  for (const char* const name :
       {"parallelism", "completions", "backoffLimit", "podReplacementPolicy"}) {
    if (group.contains(name)) spec[name] = group[name];
  }
  return full;
}

std::string& Label(std::string_view key, Job& job) {
  return (*job.mutable_metadata()->mutable_labels())[std::string(key)];
}

void LabelIfAbsent(std::string_view key, std::int64_t number, Job& job) {
  if (std::string& label = Label(key, job); label.empty()) {
    label = absl::StrCat(number);
  }
}

std::optional<std::int32_t> IndexOf(const std::string& digits) {
  std::int32_t index = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, index);
  if (error != std::errc() || end != last) return std::nullopt;
  return index;
}

std::int32_t JobRestarts(const JobSetStatus& status, const Place& place) {
  const auto* const group = jobset::FindGroupStatus(status, place.first);
  return group != nullptr && place.second >= 0 &&
                 place.second < group->job_restarts_size()
             ? group->job_restarts(place.second)
             : 0;
}

Place PlaceOf(const Job& job) {
  const auto& labels = job.metadata().labels();
  const auto index = labels.find(std::string(jobset::kJobIndexKey));
  return {jobset::ReplicatedJobNameOf(job),
          index == labels.end() ? -1 : IndexOf(index->second).value_or(-1)};
}

void LabelAttempts(const JobSetStatus& status, Job& job) {
  LabelIfAbsent(jobset::kRestartAttemptKey, status.restarts(), job);
  LabelIfAbsent(jobset::kJobRestartAttemptKey,
                JobRestarts(status, PlaceOf(job)), job);
}

Job JobAt(const Place& place, const JobSet& job_set) {
  Job job;
  const std::string& owner = job_set.metadata().name();
  job.mutable_metadata()->set_name(absl::StrFormat(
      "%s%s%s-%d", owner, owner.empty() ? "" : "-", place.first, place.second));
  Label(jobset::kReplicatedJobNameKey, job) = place.first;
  Label(jobset::kJobIndexKey, job) = absl::StrCat(place.second);
  return job;
}

void AddTrueCondition(std::string_view type, Job& job) {
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type(std::string(type));
  condition.set_status(std::string(jobset::kTrue));
  *condition.mutable_last_transition_time() = JobSetNow();
}

std::vector<Place> PlacesOf(const JobSet& job_set) {
  std::vector<Place> places;
  for (const auto& group : job_set.spec().replicated_jobs()) {
    for (std::int32_t i = 0; i < jobset::ReplicasOf(group); ++i) {
      places.emplace_back(group.name(), i);
    }
  }
  return places;
}

// The Job called <jobset>-<group>-<index>, or <group>-<index>. The longest
// group that fits counts.
Job JobNamed(const std::string& name, const JobSet& job_set) {
  std::optional<Place> best;
  for (Place& place : PlacesOf(job_set)) {
    const std::string end = absl::StrFormat("%s-%d", place.first, place.second);
    const bool fits = name == end || name.ends_with("-" + end);
    if (fits && (!best || best->first.size() < place.first.size())) {
      best = std::move(place);
    }
  }
  Job job;
  if (best.has_value()) job = JobAt(*best, job_set);
  job.mutable_metadata()->set_name(name);
  return job;
}

absl::Status AddSucceeded(const Json& list, const JobSet& job_set,
                          std::vector<Job>& jobs) {
  if (list == Json("all")) {
    jobs = SucceededJobs(job_set);
    return absl::OkStatus();
  }
  if (!list.is_array()) {
    return absl::UnimplementedError(
        "succeededJobs: a list of Jobs or \"all\" expected");
  }
  for (const Json& entry : list) {
    if (entry.is_string()) {
      jobs.push_back(JobNamed(entry.get<std::string>(), job_set));
      AddTrueCondition("Complete", jobs.back());
      continue;
    }
    absl::StatusOr<Job> job = MessageFrom<Job>(entry, "succeededJobs");
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  return absl::OkStatus();
}

void AddActive(const Json& input, const JobSet& job_set,
               std::vector<Job>& jobs) {
  const bool ready = MemberOr(input, "allJobsReady", false) == Json(true);
  std::set<Place> taken;
  for (const Job& job : jobs) taken.insert(PlaceOf(job));
  for (const Place& place : PlacesOf(job_set)) {
    if (taken.count(place) != 0) continue;
    Job job = JobAt(place, job_set);
    job.mutable_spec()->set_suspend(job_set.spec().suspend());
    job.mutable_status()->set_active(job_set.spec().suspend() ? 0 : 1);
    if (ready) job.mutable_status()->set_ready(1);
    jobs.push_back(std::move(job));
  }
}

void AddTerminating(std::int64_t number, const JobSet& job_set,
                    std::vector<Job>& jobs) {
  for (const Place& place : PlacesOf(job_set)) {
    if (number-- <= 0) return;
    Job job = JobAt(place, job_set);
    *job.mutable_metadata()->mutable_deletion_timestamp() = JobSetNow();
    LabelIfAbsent(jobset::kRestartAttemptKey, job_set.status().restarts() - 1,
                  job);
    jobs.push_back(std::move(job));
  }
}

}  // namespace

google::protobuf::Timestamp JobSetNow() {
  google::protobuf::Timestamp now;
  now.set_seconds(kNowSeconds);
  return now;
}

absl::StatusOr<jobset::Gates> JobSetGates(const CaseInput& input) {
  jobset::Gates gates;
  if (input.feature_gates.is_null()) return gates;
  for (const auto& [name, enabled] : input.feature_gates.items()) {
    if (!enabled.is_boolean()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("featureGates.%s: true or false is expected", name));
    }
    jobset::SetGate(name, enabled.get<bool>(), gates);
  }
  return gates;
}

absl::StatusOr<JobSet> JobSetFrom(const Json& input) {
  Json full = {{"metadata", MemberOr(input, "metadata", Json::object())},
               {"status", MemberOr(input, "status", Json::object())}};
  if (!full["status"].is_object()) {
    return absl::InvalidArgumentError("status: an object is expected");
  }
  Json& spec = full["spec"] = Json::object();
  for (const char* const name : {"failurePolicy", "successPolicy",
                                 "startupPolicy", "suspend", "managedBy"}) {
    if (input.contains(name)) spec[name] = input[name];
  }
  if (input.contains("suspended")) spec["suspend"] = input["suspended"];
  for (const Json& group : MemberOr(input, "replicatedJobs", Json::array())) {
    absl::StatusOr<Json> entry = GroupJson(group);
    if (!entry.ok()) return entry.status();
    spec["replicatedJobs"].push_back(*std::move(entry));
  }
  for (const char* const name : {"conditions", "terminalState"}) {
    if (input.contains(name)) full["status"][name] = input[name];
  }
  return MessageFrom<JobSet>(full, "input");
}

absl::StatusOr<std::vector<Job>> JobsFrom(const Json& list) {
  std::vector<Job> jobs;
  for (const Json& entry : list) {
    absl::StatusOr<Job> job = MessageFrom<Job>(entry, "job");
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

absl::StatusOr<std::vector<jobset::Pod>> PodsFrom(const Json& list) {
  std::vector<jobset::Pod> pods;
  for (const Json& entry : list) {
    absl::StatusOr<jobset::Pod> pod = MessageFrom<jobset::Pod>(entry, "pod");
    if (!pod.ok()) return pod.status();
    pods.push_back(*std::move(pod));
  }
  return pods;
}

jobset::Jobs PointersTo(const std::vector<Job>& jobs) {
  jobset::Jobs pointers;
  for (const Job& job : jobs) pointers.push_back(&job);
  return pointers;
}

jobset::Pods PointersTo(const std::vector<jobset::Pod>& pods) {
  jobset::Pods pointers;
  for (const jobset::Pod& pod : pods) pointers.push_back(&pod);
  return pointers;
}

absl::StatusOr<std::vector<Job>> ChildJobsFrom(const Json& input,
                                               const JobSet& job_set) {
  absl::StatusOr<std::vector<Job>> jobs =
      JobsFrom(MemberOr(input, "failedJobs", Json::array()));
  if (!jobs.ok()) return jobs;
  absl::Status added = AddSucceeded(
      MemberOr(input, "succeededJobs", Json::array()), job_set, *jobs);
  if (!added.ok()) return added;
  const Json terminating =
      MemberOr(input, "previousAttemptJobsStillTerminating", Json());
  if (terminating.is_number_integer()) {
    AddTerminating(terminating.get<std::int64_t>(), job_set, *jobs);
  } else {
    AddActive(input, job_set, *jobs);
  }
  for (Job& job : *jobs) LabelAttempts(job_set.status(), job);
  return jobs;
}

std::vector<Job> SucceededJobs(const JobSet& job_set) {
  std::vector<Job> jobs;
  for (const Place& place : PlacesOf(job_set)) {
    jobs.push_back(JobAt(place, job_set));
    AddTrueCondition("Complete", jobs.back());
    LabelAttempts(job_set.status(), jobs.back());
  }
  return jobs;
}

}  // namespace mulligan::conformance
