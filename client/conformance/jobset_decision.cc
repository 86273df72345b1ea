#include "client/conformance/jobset_decision.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/jobset_input.h"
#include "client/conformance/protos.h"
#include "policy/native/jobset_actions.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/jobset_failure_policy.h"
#include "policy/native/jobset_reconcile.h"

namespace mulligan::conformance {
namespace {

using jobset::Job;
using jobset::JobSet;
using jobset::JobSetStatus;
using jobset::Pass;
using jobset::Verdict;

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

template <typename Counters>
Json CountersOrNull(const Counters& counters) {
  return counters.empty() ? Json()
                          : Json(std::vector<std::int32_t>(counters.begin(),
                                                           counters.end()));
}

Json ConditionJson(const jobset::Condition* condition) {
  return condition == nullptr ? Json() : MessageJson(*condition);
}

Json ConditionsJson(const JobSetStatus& status) {
  Json list = Json::array();
  for (const auto& condition : status.conditions()) {
    list.push_back(MessageJson(condition));
  }
  return list;
}

// Groups whose counters the case is about.
std::set<std::string> GroupsOf(const JobSetStatus& reported,
                               const std::vector<Job>& jobs) {
  std::set<std::string> groups;
  for (const auto& group : reported.replicated_jobs_status()) {
    groups.insert(group.name());
  }
  for (const Job& job : jobs) {
    if (jobset::FailedCondition(job) != nullptr) {
      groups.insert(jobset::ReplicatedJobNameOf(job));
    }
  }
  return groups;
}

void AddGroupFacts(const JobSetStatus& status,
                   const std::set<std::string>& groups, Json& facts) {
  Json& list = facts["replicatedJobsStatus"] = Json::array();
  bool counted = false;
  for (const auto& group : status.replicated_jobs_status()) {
    counted |= !group.job_restarts().empty();
    if (groups.count(group.name()) == 0) continue;
    list.push_back({{"name", group.name()},
                    {"ready", group.ready()},
                    {"succeeded", group.succeeded()},
                    {"failed", group.failed()},
                    {"active", group.active()},
                    {"suspended", group.suspended()},
                    {"jobRestarts", CountersOrNull(group.job_restarts())},
                    {"jobRestartsCountTowardsMax",
                     CountersOrNull(group.job_restarts_count_towards_max())}});
  }
  facts["jobRestartsNotNull"] = counted;
}

std::string StateOf(const JobSet& job_set, const JobSetStatus& status) {
  if (!status.terminal_state().empty()) return status.terminal_state();
  return job_set.spec().suspend() ? "Suspended" : "Active";
}

void AddStatusFacts(const JobSetStatus& status, Json& facts) {
  facts["restarts"] = status.restarts();
  facts["restartsCountTowardsMax"] = status.restarts_count_towards_max();
  facts["terminalState"] = TextOrNull(status.terminal_state());
  facts["conditions"] = ConditionsJson(status);
  const jobset::Condition* of_interest =
      jobset::FindCondition(status.conditions(), jobset::kRestarting);
  if (of_interest == nullptr && !status.conditions().empty()) {
    of_interest = &*status.conditions().rbegin();
  }
  facts["condition"] = ConditionJson(of_interest);
  facts["conditionMessage"] =
      of_interest == nullptr ? Json() : TextOrNull(of_interest->message());
}

void AddVerdictFacts(const std::optional<Verdict>& verdict,
                     const JobSetStatus& status, Json& facts) {
  for (const char* const name :
       {"action", "matchedRule", "matchedJob", "restartedJob", "reason",
        "message", "restartingReason"}) {
    facts[name] = Json();
  }
  if (!verdict.has_value()) {
    const auto* const completed =
        jobset::FindCondition(status.conditions(), jobset::kCompleted);
    if (completed == nullptr) return;
    facts["reason"] = completed->reason();
    facts["message"] = completed->message();
    return;
  }
  const std::string& name = verdict->job->metadata().name();
  facts["action"] = verdict->action;
  if (verdict->rule >= 0) facts["matchedRule"] = verdict->rule;
  facts["matchedJob"] = name;
  if (verdict->restarts_job) facts["restartedJob"] = name;
  facts["reason"] = TextOrNull(verdict->reason);
  facts["message"] = TextOrNull(verdict->message);
  if (verdict->action != jobset::kFailJobSet) {
    facts["restartingReason"] = TextOrNull(verdict->reason);
  }
}

void AddEvents(const std::vector<jobset::Event>& events, Json& facts) {
  Json& list = facts["events"] = Json::array();
  for (const jobset::Event& event : events) {
    list.push_back({{"type", event.type},
                    {"reason", event.reason},
                    {"message", event.message}});
  }
  facts["event"] = list.empty() ? Json() : list.front();
}

// What the controller is asked about: a JobSet and the Jobs there are.
class Scene {
 public:
  Scene(JobSet job_set, std::vector<Job> jobs, std::vector<jobset::Pod> pods,
        const jobset::Gates& gates)
      : job_set_(std::move(job_set)),
        jobs_(std::move(jobs)),
        pods_(std::move(pods)),
        gates_(gates) {}

  absl::StatusOr<Json> Facts() const {
    const absl::StatusOr<Pass> pass = PassOver(job_set_.status(), jobs_);
    Json facts;
    const std::set<std::string> groups = GroupsOf(job_set_.status(), jobs_);
    const JobSetStatus& after = pass.ok() ? pass->status : job_set_.status();
    AddVerdictFacts(pass.ok() ? pass->verdict : std::nullopt, after, facts);
    AddStatusFacts(after, facts);
    AddGroupFacts(after, groups, facts);
    facts["state"] = StateOf(job_set_, after);
    if (!pass.ok()) {
      facts["error"] = std::string(pass.status().message());
      facts["updated"] = false;
      return facts;
    }
    facts["error"] = Json();
    facts["updated"] = pass->updated;
    AddEvents(pass->events, facts);
    AddJobsByAttempt(*pass, facts);
    absl::Status followed = AddFollowing(*pass, facts);
    if (!followed.ok()) return followed;
    return facts;
  }

 private:
  absl::StatusOr<Pass> PassOver(const JobSetStatus& status,
                                const std::vector<Job>& jobs) const {
    JobSet now = job_set_;
    *now.mutable_status() = status;
    return jobset::Reconcile(
        {now, PointersTo(jobs), PointersTo(pods_), gates_, JobSetNow()});
  }

  void AddJobsByAttempt(const Pass& pass, Json& facts) const {
    Json& counts = facts["jobsByRestartAttempt"] = Json::object();
    const auto count = [&](const std::string& attempt) {
      if (!counts.contains(attempt)) counts[attempt] = 0;
      counts[attempt] = counts[attempt].get<int>() + 1;
    };
    for (const Job& job : jobs_) {
      count(
          job.metadata().labels().at(std::string(jobset::kRestartAttemptKey)));
    }
    for (std::size_t i = 0; i < pass.created.size(); ++i) {
      count(absl::StrFormat("%d", pass.status.restarts()));
    }
  }

  absl::Status AddFollowing(const Pass& pass, Json& facts) const {
    const absl::StatusOr<Pass> next = PassOver(pass.status, jobs_);
    if (!next.ok()) {
      facts["nextPass"]["error"] = std::string(next.status().message());
    } else {
      Json& following = facts["nextPass"];
      AddVerdictFacts(next->verdict, next->status, following);
      AddStatusFacts(next->status, following);
      AddGroupFacts(next->status, GroupsOf(job_set_.status(), jobs_),
                    following);
      following["state"] = StateOf(job_set_, next->status);
    }
    if (next.ok() && !pass.status.terminal_state().empty()) {
      facts["activeJobsDeleted"] = next->deleted.size();
      facts["finishedJobsKept"] = jobs_.size() - next->deleted.size();
    }
    return AddAttemptInForce(pass, facts);
  }

  // How the attempt starts that is in force after the pass, and how the JobSet
  // ends when it succeeds.
  absl::Status AddAttemptInForce(const Pass& pass, Json& facts) const {
    if (job_set_.spec().replicated_jobs().empty()) return absl::OkStatus();
    const absl::StatusOr<Pass> start = PassOver(pass.status, {});
    if (!start.ok()) return start.status();
    JobSet in_force = job_set_;
    *in_force.mutable_status() = pass.status;
    const std::vector<Job> all = SucceededJobs(in_force);
    const absl::StatusOr<Pass> end = PassOver(pass.status, all);
    if (!end.ok()) return end.status();
    facts["jobsCreatedBeforeFirstGroupReady"] = start->created.size();
    facts["startupPolicyRedone"] =
        pass.status.restarts() > job_set_.status().restarts() &&
        start->created.size() < all.size();
    facts["finalState"] = TextOrNull(end->status.terminal_state());
    return absl::OkStatus();
  }

  const JobSet job_set_;
  const std::vector<Job> jobs_;
  const std::vector<jobset::Pod> pods_;
  const jobset::Gates gates_;
};

// A rule as null, an object, its name, or its index in the failure policy.
absl::StatusOr<std::optional<jobset::FailurePolicyRule>> RuleFrom(
    const Json& json, const jobset::FailurePolicy& policy) {
  if (json.is_null()) return std::nullopt;
  if (json.is_object()) {
    auto rule = MessageFrom<jobset::FailurePolicyRule>(json, "appliedRule");
    if (!rule.ok()) return rule.status();
    return *std::move(rule);
  }
  if (json.is_number_integer()) {
    const auto index = json.get<std::int64_t>();
    if (index >= 0 && index < policy.rules_size()) {
      return policy.rules(static_cast<int>(index));
    }
  }
  if (json.is_string()) {
    jobset::FailurePolicyRule rule;
    rule.set_name(json.get<std::string>());
    return rule;
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "appliedRule: a rule, its name or index is expected, got %s",
      json.dump()));
}

}  // namespace

absl::StatusOr<Json> ReconcileFacts(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"kind", "metadata", "failurePolicy", "replicatedJobs", "successPolicy",
       "startupPolicy", "suspend", "suspended", "managedBy", "failedJobs",
       "succeededJobs", "allJobsReady", "previousAttemptJobsStillTerminating",
       "status", "conditions", "terminalState", "pods"});
  if (!known.ok()) return known;
  const auto gates = JobSetGates(input);
  if (!gates.ok()) return gates.status();
  auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  auto jobs = ChildJobsFrom(input.input, *job_set);
  if (!jobs.ok()) return jobs.status();
  auto pods = PodsFrom(input.input.contains("pods") ? input.input["pods"]
                                                    : Json::array());
  if (!pods.ok()) return pods.status();
  return Scene(*std::move(job_set), *std::move(jobs), *std::move(pods), *gates)
      .Facts();
}

absl::StatusOr<Json> ApplyActionFacts(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "metadata", "failurePolicy", "replicatedJobs",
                        "failedJobs", "status", "conditions", "terminalState",
                        "appliedAction", "appliedRule"});
  if (!known.ok()) return known;
  const auto gates = JobSetGates(input);
  if (!gates.ok()) return gates.status();
  const auto job_set = JobSetFrom(input.input);
  if (!job_set.ok()) return job_set.status();
  const auto jobs = JobsFrom(input.input.value("failedJobs", Json::array()));
  if (!jobs.ok()) return jobs.status();
  const jobset::Jobs pointers = PointersTo(*jobs);
  const Job* const job = jobset::FirstFailedJob(pointers);
  if (job == nullptr) {
    return absl::InvalidArgumentError("failedJobs: a failed Job is expected");
  }
  const auto rule = RuleFrom(input.input.value("appliedRule", Json()),
                             job_set->spec().failure_policy());
  if (!rule.ok()) return rule.status();
  const Json action = input.input.value("appliedAction", Json());
  if (!action.is_string()) {
    return absl::InvalidArgumentError("appliedAction: a text is expected");
  }
  JobSetStatus status = job_set->status();
  jobset::StatusChange change{
      status, JobSetNow(), gates->restarting_condition, false, {}};
  const absl::StatusOr<Verdict> verdict = jobset::ApplyAction(
      {job_set->spec(), *gates, action.get_ref<const std::string&>(),
       rule->has_value() ? &**rule : nullptr, *job},
      change);
  Json facts;
  AddVerdictFacts(
      verdict.ok() ? std::optional<Verdict>(*verdict) : std::nullopt, status,
      facts);
  AddStatusFacts(status, facts);
  AddGroupFacts(status, GroupsOf(job_set->status(), *jobs), facts);
  AddEvents(change.events, facts);
  facts["state"] = StateOf(*job_set, status);
  facts["updated"] = change.updated;
  facts["error"] =
      verdict.ok() ? Json() : Json(std::string(verdict.status().message()));
  return facts;
}

}  // namespace mulligan::conformance
