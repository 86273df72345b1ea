#include "policy/native/jobset/failure_policy.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/repeated_field.h"
#include "policy/base/characters.h"
#include "policy/base/text_pattern.h"

namespace mulligan::jobset {
namespace {

// The properties of a failed Job that rules match.
struct FailedChild {
  const Job* job;
  std::string_view group;
  const JobCondition* condition;
};

std::vector<FailedChild> FailedChildrenOf(const Jobs& failed) {
  std::vector<FailedChild> jobs;
  jobs.reserve(failed.size());
  for (const Job* const job : failed) {
    const std::string* const group =
        FindValue(job->metadata().labels(), kReplicatedJobNameKey);
    if (group == nullptr || group->empty()) continue;
    jobs.push_back({job, *group, FailedCondition(*job)});
  }
  return jobs;
}

// Alternatives of a rule; matches anything if empty.
class Alternatives {
 public:
  template <typename List>
  explicit Alternatives(const List& texts)
      : texts_(texts.begin(), texts.end()) {}
  bool Has(std::string_view text) const {
    return texts_.empty() || texts_.contains(text);
  }

 private:
  std::unordered_set<std::string_view> texts_;
};

// Returns the Jobs that the rule applies to.
Jobs JobsMatching(const FailurePolicyRule& rule,
                  const std::vector<FailedChild>& failed, const Gates& gates,
                  MessagePatterns& patterns, PatternAllowance& allowance) {
  const bool checks_message =
      gates.message_patterns && !rule.on_job_failure_message_patterns().empty();
  std::vector<std::unique_ptr<const RE2>> compiled;
  std::string error;
  for (const std::string& pattern : rule.on_job_failure_message_patterns()) {
    if (!checks_message) break;
    if (auto made = patterns.Compile(pattern, error)) {
      compiled.push_back(std::move(made));
    }
  }
  const Alternatives reasons(rule.on_job_failure_reasons());
  const Alternatives groups(rule.target_replicated_jobs());
  Jobs matching;
  for (const FailedChild& each : failed) {
    const bool found =
        reasons.Has(each.condition->reason()) && groups.Has(each.group) &&
        (!checks_message ||
         std::ranges::any_of(compiled, [&](const auto& pattern) {
           return allowance.Find(*pattern, each.condition->message());
         }));
    if (found) matching.push_back(each.job);
  }
  return matching;
}

// Kubernetes' times are whole seconds.
std::int64_t JobFailedAt(const Job& job) {
  const JobCondition& failed = *FailedCondition(job);
  return failed.has_last_transition_time()
             ? failed.last_transition_time().seconds()
             : std::numeric_limits<std::int64_t>::min();
}

// \pL{3}, three letters of any alphabet, has 3,600 instructions and takes 2 ms
// to compile.
constexpr PatternBounds kLarge = {10'000, 1 << 20};

// Returns the end of the literal that \Q begins at `at`.
std::size_t LiteralEnd(std::string_view pattern, std::size_t at) {
  const std::size_t end = pattern.find("\\E", at);
  return end == std::string_view::npos ? pattern.size() : end + 2;
}

// Returns the end of the class that begins at `at`. A leading ] is a member.
std::size_t ClassEnd(std::string_view pattern, std::size_t at) {
  std::size_t i = at + 1;
  if (i < pattern.size() && pattern[i] == '^') ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  while (i < pattern.size() && pattern[i] != ']') {
    if (pattern.substr(i, 2) == "[:") {
      const std::size_t end = pattern.find(":]", i + 2);
      if (end != std::string_view::npos) i = end + 1;
    } else if (pattern[i] == '\\') {
      ++i;
    }
    ++i;
  }
  return std::min(i + 1, pattern.size());
}

// Returns the length of "(?<" or "(?P<" at `at`; 0 if there is neither.
std::size_t GroupStart(std::string_view pattern, std::size_t at) {
  if (pattern.substr(at, 4) == "(?P<") return 4;
  const char next = at + 3 < pattern.size() ? pattern[at + 3] : '=';
  return pattern.substr(at, 3) == "(?<" && next != '=' && next != '!' ? 3 : 0;
}

// Returns the pattern in RE2's syntax; empty, with an error, if Go refuses it.
std::string FromGo(std::string_view pattern, std::string& error) {
  std::string out;
  std::size_t i = 0;
  const auto copy_to = [&](std::size_t end) {
    out += pattern.substr(i, end - i);
    i = end;
  };
  while (i < pattern.size()) {
    if (pattern.substr(i, 2) == "\\Q") {
      copy_to(LiteralEnd(pattern, i));
    } else if (pattern.substr(i, 2) == "\\C") {
      error = "is not an expression of Go: \\C";
      return "";
    } else if (pattern[i] == '\\') {
      copy_to(std::min(i + 2, pattern.size()));
    } else if (pattern[i] == '[') {
      copy_to(ClassEnd(pattern, i));
    } else if (const std::size_t length = GroupStart(pattern, i)) {
      i += length;
      const std::size_t end = std::min(pattern.find('>', i), pattern.size());
      const std::string_view name = pattern.substr(i, end - i);
      if (!std::ranges::all_of(
              name, [](char c) { return IsAlphanumeric(c) || c == '_'; })) {
        error = "is not an expression of Go: name of a group";
        return "";
      }
      out += "(?P<";
      copy_to(end);
    } else {
      copy_to(i + 1);
    }
  }
  return out;
}

using JobCounts = google::protobuf::RepeatedField<std::int32_t>;

struct ActionRow {
  std::string_view name;
  bool restarts_job;
  bool counted;
};

// The action if no rule applies.
constexpr std::string_view kRestartJobSet = "RestartJobSet";
constexpr std::array<ActionRow, 5> kActions = {{
    {kFailJobSet, false, false},
    {kRestartJobSet, false, true},
    {"RestartJobSetAndIgnoreMaxRestarts", false, false},
    {"RestartJob", true, true},
    {"RestartJobAndIgnoreMaxRestarts", true, false},
}};

const ActionRow* FindAction(std::string_view name) {
  return FindIn(kActions,
                [&](const ActionRow& row) { return row.name == name; });
}

// Returns why the controller cannot apply the action.
absl::Status CheckAction(const ActionRow* row, std::string_view name,
                         const Gates& gates) {
  if (row == nullptr || (row->restarts_job && !gates.restart_job_actions)) {
    return absl::UnimplementedError(
        absl::StrFormat("failed to find a corresponding action for the "
                        "FailurePolicyRuleAction %s",
                        name));
  }
  if (row->restarts_job && !gates.restart_job) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s failure policy action cannot be used when the "
                        "feature gate RestartJob is disabled",
                        name));
  }
  return absl::OkStatus();
}

// Returns the restarts compared with maxRestarts: those of the JobSet and, only
// with gate RestartJob, those of single Jobs.
std::int64_t CountedRestarts(const JobSetStatus& status, const Gates& gates) {
  std::int64_t total = status.restarts_count_towards_max();
  if (!gates.restart_job) return total;
  for (const ReplicatedJobStatus& group : status.replicated_jobs_status()) {
    for (const std::int32_t count : group.job_restarts_count_towards_max()) {
      total += count;
    }
  }
  return total;
}

// Saturates, while the controller's counts overflow.
std::int32_t Increased(std::int32_t count) {
  return count == std::numeric_limits<std::int32_t>::max() ? count : count + 1;
}

void CountJobSetRestart(bool counted, JobSetStatus& status) {
  status.set_restarts(Increased(status.restarts()));
  if (!counted) return;
  status.set_restarts_count_towards_max(
      Increased(status.restarts_count_towards_max()));
}

absl::Status MissingLabel(const Job& job, std::string_view key) {
  return absl::FailedPreconditionError(
      absl::StrFormat("job %s has no label %s", job.metadata().name(), key));
}

// Counts a restart of one child Job. At their first use, its group's counters
// get the length of the group and keep it. Returns an error, and changes
// nothing, if the Job's labels do not lead to a counter.
absl::Status CountJobRestart(const Job& job, const JobSetSpec& spec,
                             bool counted, JobSetStatus& status) {
  const std::string& job_name = job.metadata().name();
  const std::string name = ReplicatedJobNameOf(job);
  if (name.empty()) return MissingLabel(job, kReplicatedJobNameKey);
  const absl::StatusOr<std::int64_t> index = NumberLabel(job, kJobIndexKey);
  if (!index.ok()) return index.status();
  if (*index == kNoLabel) return MissingLabel(job, kJobIndexKey);
  if (*index < 0) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "job %s has invalid value '%d' for label %s, must be integer", job_name,
        *index, kJobIndexKey));
  }
  auto& groups = *status.mutable_replicated_jobs_status();
  const auto group = std::ranges::find_if(
      groups,
      [&](const ReplicatedJobStatus& each) { return each.name() == name; });
  if (group == groups.end()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("job %s belongs to no replicated job of the JobSet: %s",
                        job_name, name));
  }
  // The webhook's maximum with gate RestartJob.
  constexpr std::int32_t kMaxReplicas = 1024;
  const ReplicatedJob* const replicated =
      FindNamed(spec.replicated_jobs(), name);
  const std::int32_t replicas =
      replicated == nullptr ? 0
                            : std::min(ReplicasOf(*replicated), kMaxReplicas);
  const auto length_of = [&](const JobCounts& counters) {
    return counters.empty() ? replicas : counters.size();
  };
  int length = length_of(group->job_restarts());
  if (counted) {
    length =
        std::min(length, length_of(group->job_restarts_count_towards_max()));
  }
  if (*index >= length) {
    return absl::FailedPreconditionError(
        absl::StrFormat("job %s has index %d out of bounds for replicated job "
                        "%s (replicas: %d)",
                        job_name, *index, name, length));
  }
  const auto increase = [&](JobCounts& counters) {
    if (counters.empty()) counters.Resize(replicas, 0);
    std::int32_t& count = *counters.Mutable(static_cast<int>(*index));
    count = Increased(count);
  };
  increase(*group->mutable_job_restarts());
  if (counted) increase(*group->mutable_job_restarts_count_towards_max());
  return absl::OkStatus();
}

Decision Fail(const Job& job, std::string reason, std::string_view message) {
  const std::string& name = job.metadata().name();
  return {
      .action = std::string(kFailJobSet),
      .job = name,
      .reason = std::move(reason),
      .message = absl::StrFormat("%s (first failed job: %s)", message, name)};
}

}  // namespace

const Job* FirstFailedJob(const Jobs& failed) {
  return *std::ranges::min_element(failed, [](const Job* a, const Job* b) {
    return JobFailedAt(*a) < JobFailedAt(*b);
  });
}

RuleMatch FindRule(const FailurePolicy& policy, const Jobs& failed,
                   const Gates& gates, PatternAllowance& allowance) {
  MessagePatterns patterns(allowance);
  const std::vector<FailedChild> jobs = FailedChildrenOf(failed);
  for (const FailurePolicyRule& rule : policy.rules()) {
    // The caller sees that the call has ended.
    if (!allowance.CheckNow().ok()) break;
    const Jobs matching = JobsMatching(rule, jobs, gates, patterns, allowance);
    if (!matching.empty()) return {&rule, FirstFailedJob(matching)};
  }
  return {};
}

std::unique_ptr<const RE2> MessagePatterns::Compile(const std::string& pattern,
                                                    std::string& error) {
  error.clear();
  const std::string translated = FromGo(pattern, error);
  if (!error.empty()) return nullptr;
  std::unique_ptr<const RE2> compiled =
      MakePattern(translated, allowance_, error);
  if (compiled != nullptr || large_left_ == 0 || !IsTooLarge(error)) {
    return compiled;
  }
  --large_left_;
  return MakePattern(translated, allowance_, error, kLarge);
}

bool IsKnownAction(std::string_view action) {
  return FindAction(action) != nullptr;
}

bool IsJobAction(std::string_view action) {
  const ActionRow* const row = FindAction(action);
  return row != nullptr && row->restarts_job;
}

absl::StatusOr<Decision> ApplyFailurePolicy(const JobSetSpec& spec,
                                            const Jobs& failed,
                                            const Gates& gates,
                                            PatternAllowance& patterns,
                                            JobSetStatus& status) {
  if (!spec.has_failure_policy()) {
    return Fail(*FirstFailedJob(failed), "FailedJobs",
                "jobset failed due to one or more job failures");
  }
  const RuleMatch match =
      FindRule(spec.failure_policy(), failed, gates, patterns);
  const Job& job = match.rule == nullptr ? *FirstFailedJob(failed) : *match.job;
  const std::string_view name = match.rule == nullptr
                                    ? kRestartJobSet
                                    : std::string_view(match.rule->action());
  const ActionRow* const row = FindAction(name);
  if (absl::Status fault = CheckAction(row, name, gates); !fault.ok()) {
    return fault;
  }
  Decision decision =
      Fail(job, "FailJobSetFailurePolicyAction",
           absl::StrFormat("applying %s failure policy action", name));
  if (name == kFailJobSet) return decision;
  decision.counted = row->counted;
  // maxRestarts N allows N restarts; a negative number means 0.
  if (row->counted &&
      CountedRestarts(status, gates) >= spec.failure_policy().max_restarts()) {
    decision = Fail(job, kReachedMaxRestarts, kReachedMaxRestartsMessage);
    decision.counted = true;
    // A failure beyond the budget is in no counter.
    decision.used = CountedRestarts(status, gates) + 1;
    return decision;
  }
  decision.action = std::string(name);
  decision.reason.clear();
  if (row->restarts_job) {
    absl::Status fault = CountJobRestart(job, spec, row->counted, status);
    if (!fault.ok()) return fault;
  } else {
    CountJobSetRestart(row->counted, status);
    if (gates.restarting_condition) {
      decision.reason =
          match.rule == nullptr
              ? "DefaultFailurePolicy"
              : absl::StrFormat("FailurePolicy_%s", match.rule->name());
    }
  }
  if (row->counted) decision.used = CountedRestarts(status, gates);
  return decision;
}

}  // namespace mulligan::jobset
