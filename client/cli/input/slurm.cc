#include "client/cli/input/slurm.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/utf8.h"
#include "nlohmann/json.hpp"
#include "policy/base/utf8.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

using Json = nlohmann::json;

constexpr double kMebibyte = 1 << 20;
constexpr std::size_t kMaxHosts = 5000;

// The states of ended jobs and steps, the most telling first; other states are
// of running jobs, or flags.
constexpr std::array<std::string_view, 12> kEndStates = {
    "NODE_FAIL", "BOOT_FAIL", "LAUNCH_FAILED", "OUT_OF_MEMORY",
    "PREEMPTED", "TIMEOUT",   "DEADLINE",      "CANCELLED",
    "REVOKED",   "FAILED",    "COMPLETED",     "REQUEUED"};

std::ptrdiff_t RankOf(std::string_view state) {
  return std::ranges::find(kEndStates, state) - kEndStates.begin();
}

bool IsEnd(std::string_view state) {
  return RankOf(state) < std::ssize(kEndStates);
}

const Json& JobMember(const Json& object, const char* name) {
  static const Json* const none = new Json;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? *none : *found;
}

std::string WordIn(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Numbers are plain up to Slurm 22.05, and {"set": true, "number": 1} later.
std::optional<std::int64_t> CountIn(const Json& value) {
  if (value.is_object()) {
    const Json& set = JobMember(value, "set");
    if (set.is_boolean() && !set.get<bool>()) return std::nullopt;
    return CountIn(JobMember(value, "number"));
  }
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  constexpr double kMax = 9e18;
  if (!(number > -kMax && number < kMax)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// A state is a word, later a list of words with flags among them, which a job
// that waits again may keep.
std::string State(const Json& value) {
  if (!value.is_array()) return WordIn(value);
  std::string best;
  for (const Json& one : value) {
    const std::string word = WordIn(one);
    if (word == "PENDING" || word == "RUNNING" || word == "SUSPENDED") {
      return word;
    }
    if (best.empty() || RankOf(word) < RankOf(best)) best = word;
  }
  return best;
}

void SetSeconds(std::optional<std::int64_t> seconds,
                google::protobuf::Timestamp* (v1::EndedAttempt::*field)(),
                v1::EndedAttempt& attempt) {
  if (seconds.value_or(0) > 0) (attempt.*field)()->set_seconds(*seconds);
}

std::int32_t Small(std::int64_t number) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      number, 0, std::numeric_limits<std::int32_t>::max()));
}

// Ignores 125, Slurm's own signal for a kill at the memory limit, because the
// state says that too. 53 is not a signal either.
void SetSignal(std::int64_t signal, v1::EndedAttempt& attempt) {
  if (signal == 53) {
    attempt.set_reason("Slurm could not open the job's output (0:53)");
  } else if (signal > 0 && signal <= kMaxSignal) {
    attempt.set_signal(Small(signal));
  }
}

// Returns 9 for {"return_code": null, "signal": {"signal_id": 9}}.
std::int64_t SignalIn(const Json& exit) {
  const Json& signal = JobMember(exit, "signal");
  return CountIn(signal.contains("id") ? JobMember(signal, "id")
                                       : JobMember(signal, "signal_id"))
      .value_or(0);
}

void SetExit(const Json& exit, v1::EndedAttempt& attempt) {
  SetSignal(SignalIn(exit), attempt);
  const auto code = CountIn(JobMember(exit, "return_code"));
  // sacct 22.05 prints 0 for every code.
  if (code && (*code != 0 || attempt.state() != "FAILED")) {
    attempt.set_exit_code(Small(*code));
  }
}

// Of a failed job, which only says that its script failed, the steps say more.
void ReadSteps(const Json& steps, v1::EndedAttempt& attempt) {
  if (attempt.state() != "FAILED" && attempt.state() != "REQUEUED") return;
  for (const Json& step : steps) {
    const std::string state = State(JobMember(step, "state"));
    const std::ptrdiff_t rank = RankOf(state);
    // Other steps are cancelled because one failed.
    if (rank < RankOf("CANCELLED") && rank < RankOf(attempt.state())) {
      attempt.set_state(state);
    }
    AddStepSignal(Small(SignalIn(JobMember(step, "exit_code"))), attempt);
  }
}

// Resources of a job, over all nodes.
struct Held {
  std::int64_t accelerators = 0;
  double mebibytes = 0;
  std::int64_t nodes = 0;
};

// Parses "cpu=1,mem=100M,node=1,gres/gpu=4".
Held HeldIn(const std::string& tres) {
  Held held;
  const std::vector<std::string> parts = absl::StrSplit(tres, ',');
  for (const std::string& part : parts) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (pair.first == "mem") held.mebibytes = SlurmMebibytes(pair.second);
    std::int64_t count = 0;
    if (!absl::SimpleAtoi(pair.second, &count)) continue;
    if (pair.first == "node") held.nodes = count;
    if (pair.first == "gres/gpu") held.accelerators = count;
  }
  return held;
}

Held HeldIn(const Json& allocated) {
  Held held;
  if (!allocated.is_array()) return held;
  for (const Json& one : allocated) {
    const std::string type = WordIn(JobMember(one, "type"));
    const std::int64_t count = CountIn(JobMember(one, "count")).value_or(0);
    if (type == "mem") held.mebibytes = static_cast<double>(count);
    if (type == "node") held.nodes = count;
    if (type == "gres" && WordIn(JobMember(one, "name")) == "gpu") {
      held.accelerators = count;
    }
  }
  return held;
}

void SetHeld(const Held& held, v1::EndedAttempt& attempt) {
  attempt.set_accelerators(Small(held.accelerators));
  const auto nodes = static_cast<double>(std::max<std::int64_t>(held.nodes, 1));
  attempt.set_memory_bytes(static_cast<std::int64_t>(held.mebibytes / nodes)
                           << 20);
}

void SetNodes(const std::string& list, const std::string& failed,
              v1::EndedAttempt& attempt) {
  if (list == "None assigned" || list == "(null)") return;
  for (std::string& node : ExpandHosts(list)) {
    attempt.add_nodes(std::move(node));
  }
  if (std::ranges::find(attempt.nodes(), failed) != attempt.nodes().end()) {
    attempt.set_failed_node(failed);
  }
}

void SetLabel(const char* name, const std::string& value,
              v1::WorkloadReference& workload) {
  if (!value.empty() && value != "(null)") {
    (*workload.mutable_labels())[name] = value;
  }
}

// Sets the attempt's id. A restarted job keeps its number.
void SetId(const std::string& job, v1::EndedAttempt& attempt) {
  const std::int64_t at = attempt.has_started_at()
                              ? attempt.started_at().seconds()
                              : attempt.ended_at().seconds();
  attempt.set_id(absl::StrCat(job, ".", at));
}

void SetWorkload(const std::string& cluster, const std::string& job,
                 const std::string& name, v1::WorkloadReference& workload) {
  workload.set_kind("slurm");
  workload.set_name(name.empty() ? job : name);
  // A job number is unique only within its cluster.
  if (!cluster.empty()) workload.set_uid(absl::StrCat(cluster, "/", job));
}

// Returns the report of one job in the JSON of either command.
v1::FailureReport ReportOf(const Json& job) {
  v1::FailureReport report;
  v1::EndedAttempt& attempt = *report.mutable_ended_attempt();
  attempt.set_scheduler("slurm");
  const bool is_scontrol = job.contains("job_state");
  const Json& state = is_scontrol
                          ? JobMember(job, "job_state")
                          : JobMember(JobMember(job, "state"), "current");
  attempt.set_state(State(state));
  const std::string reason =
      WordIn(is_scontrol ? JobMember(job, "state_reason")
                         : JobMember(JobMember(job, "state"), "reason"));
  if (reason != "None") attempt.set_reason(SanitizeUtf8(reason));
  SetExit(JobMember(job, "exit_code"), attempt);
  ReadSteps(JobMember(job, "steps"), attempt);
  const Json& time = is_scontrol ? job : JobMember(job, "time");
  SetSeconds(CountIn(JobMember(time, is_scontrol ? "start_time" : "start")),
             &v1::EndedAttempt::mutable_started_at, attempt);
  SetSeconds(CountIn(JobMember(time, is_scontrol ? "end_time" : "end")),
             &v1::EndedAttempt::mutable_ended_at, attempt);
  SetNodes(WordIn(JobMember(job, "nodes")),
           WordIn(JobMember(job, "failed_node")), attempt);
  SetHeld(is_scontrol ? HeldIn(WordIn(JobMember(job, "tres_alloc_str")))
                      : HeldIn(JobMember(JobMember(job, "tres"), "allocated")),
          attempt);
  const std::string id =
      absl::StrCat(CountIn(JobMember(job, "job_id")).value_or(0));
  SetId(id, attempt);
  v1::WorkloadReference& workload = *report.mutable_workload();
  const std::string cluster = WordIn(JobMember(job, "cluster"));
  SetWorkload(cluster, id, WordIn(JobMember(job, "name")), workload);
  SetLabel("cluster", cluster, workload);
  for (const char* name : {"partition", "account", "qos"}) {
    SetLabel(name, WordIn(JobMember(job, name)), workload);
  }
  SetLabel("user", WordIn(JobMember(job, is_scontrol ? "user_name" : "user")),
           workload);
  if (const auto restarts = CountIn(JobMember(job, "restart_cnt"))) {
    report.set_attempt(Small(std::min<std::int64_t>(*restarts, 1'000'000) + 1));
  }
  return report;
}

bool HasEnded(const v1::FailureReport& report) {
  return IsEnd(report.ended_attempt().state());
}

absl::Status HasNotEnded(const std::string& job, const std::string& state) {
  return Invalid("Slurm job %s: no attempt of it has ended, its state is %s",
                 Printable(job), Printable(state));
}

// The lines of scontrol that are read, by their first field, and the fields of
// them. Everything else may be a text of the user.
struct SlurmLine {
  std::string_view first;
  std::array<std::string_view, 5> more = {};
};
constexpr SlurmLine kLines[] = {
    {"JobId",
     {"ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset", "JobName"}},
    {"UserId"},
    {"Priority", {"Account", "QOS"}},
    {"JobState", {"Reason"}},
    {"Requeue", {"Restarts", "ExitCode"}},
    {"StartTime", {"EndTime"}},
    {"Partition"},
    {"ReqNodeList", {"ExcNodeList"}},
    {"NodeList"},
    {"BatchHost"},
    {"FailedNode"},
    {"NumNodes"},
    {"TRES"},
    {"AllocTRES"},
    {"MinCPUsNode", {"MinMemoryNode", "MinMemoryCPU"}},
    {"AdminComment"},
    {"StdErr"},
    {"StdOut"},
    // Of a partition.
    {"State", {"TotalNodes"}}};

// These fill the rest of their line.
constexpr std::array<std::string_view, 4> kToTheEnd = {
    "JobName", "AdminComment", "StdErr", "StdOut"};

bool IsAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Parses a time of scontrol, which is in the machine's time zone.
std::optional<std::int64_t> LocalTime(const std::string& text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime("%Y-%m-%dT%H:%M:%S", text, absl::LocalTimeZone(), &time,
                       &error)) {
    return std::nullopt;
  }
  return absl::ToUnixSeconds(time);
}

// Adds the names between `from` and `to` with leading zeros as in `from`.
void AddRange(const std::string& prefix, const std::string& from,
              const std::string& to, const std::string& suffix,
              std::vector<std::string>& names) {
  int first = 0;
  int last = 0;
  if (!absl::SimpleAtoi(from, &first) || !absl::SimpleAtoi(to, &last)) return;
  for (int i = first; i <= last && names.size() < kMaxHosts; ++i) {
    names.push_back(absl::StrFormat("%s%0*d%s", prefix,
                                    static_cast<int>(from.size()), i, suffix));
  }
}

// Adds the names in "n[1-2,5]", with at most one pair of brackets.
void AddHosts(const std::string& one, std::vector<std::string>& names) {
  const std::size_t open = one.find('[');
  const std::size_t close = one.find(']');
  if (open == one.npos || close == one.npos || close < open) {
    if (!one.empty()) names.push_back(one);
    return;
  }
  const std::string prefix = one.substr(0, open);
  const std::string suffix = one.substr(close + 1);
  const std::vector<std::string> ranges =
      absl::StrSplit(one.substr(open + 1, close - open - 1), ',');
  for (const std::string& range : ranges) {
    const std::size_t dash = range.find('-');
    AddRange(prefix, range.substr(0, dash),
             dash == range.npos ? range : range.substr(dash + 1), suffix,
             names);
  }
}

}  // namespace

bool IsSlurmJson(std::string_view text) {
  // Avoids parsing other JSON twice.
  if (text.find("\"jobs\"") == text.npos ||
      text.find("\"job_id\"") == text.npos) {
    return false;
  }
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& jobs = JobMember(all, "jobs");
  return jobs.is_array() && !jobs.empty() && jobs[0].contains("job_id");
}

bool IsSlurmText(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  return text.starts_with("JobId=");
}

absl::StatusOr<v1::FailureReport> ReadSlurmJson(std::string_view text) {
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json& jobs = JobMember(all, "jobs");
  std::optional<v1::FailureReport> last;
  int ended = 0;
  std::int64_t of = 0;
  std::string state;
  for (const Json& job : jobs) {
    v1::FailureReport report = ReportOf(job);
    const std::int64_t number = CountIn(JobMember(job, "job_id")).value_or(0);
    if (last && number != of) {
      return Invalid(
          "the jobs %d and %d: expected those of one job: sacct -D --json -j "
          "JOB",
          of, number);
    }
    of = number;
    state = report.ended_attempt().state();
    if (HasEnded(report)) {
      ++ended;
      last = std::move(report);
    } else if (last) {
      last->mutable_ended_attempt()->set_next(v1::EndedAttempt::SCHEDULER);
    }
  }
  if (!last) {
    return HasNotEnded(
        jobs.empty() ? ""
                     : absl::StrCat(CountIn(jobs[0]["job_id"]).value_or(0)),
        state);
  }
  if (!last->has_attempt() && ended > 1) last->set_attempt(ended);
  return *std::move(last);
}

void AddStepSignal(std::int32_t signal, v1::EndedAttempt& attempt) {
  // Other signals come from outside: Slurm ends the steps next to a failed one.
  constexpr int kOfPrograms[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS,
                                 SIGFPE, SIGSEGV, SIGSYS};
  if (attempt.signal() != 0 || attempt.exit_code() > 1 ||
      std::ranges::find(kOfPrograms, signal) == std::end(kOfPrograms)) {
    return;
  }
  attempt.clear_exit_code();
  attempt.set_signal(signal);
}

absl::StatusOr<SlurmFieldMap> SlurmFields(std::string_view text) {
  SlurmFieldMap fields;
  std::vector<std::string> lines = absl::StrSplit(SanitizeUtf8(text), '\n');
  for (std::string& line : lines) {
    absl::StripAsciiWhitespace(&line);
    const auto* const known = std::ranges::find(
        kLines, line.substr(0, line.find('=')), &SlurmLine::first);
    if (known == std::end(kLines)) continue;
    while (!line.empty()) {
      const std::string name = line.substr(0, line.find_first_of("= "));
      const bool is_read =
          name == known->first || (!name.empty() && IsAmong(known->more, name));
      const std::string field = is_read && IsAmong(kToTheEnd, name)
                                    ? line
                                    : line.substr(0, line.find(' '));
      if (is_read && field.size() > name.size() &&
          !fields.emplace(name, field.substr(name.size() + 1)).second) {
        return Invalid(
            "Slurm's field %s occurs twice: expected one job, without texts "
            "that imitate its fields",
            Printable(name));
      }
      line.erase(0, field.size());
      absl::StripLeadingAsciiWhitespace(&line);
    }
  }
  return fields;
}

absl::StatusOr<std::string> SlurmAddress(std::string_view text,
                                         std::string_view number) {
  const std::string first = absl::StrCat("JobId=", std::string(number), " ");
  std::vector<std::string> found;
  for (const auto line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    if (absl::StartsWith(line, first)) found.emplace_back(line);
  }
  if (found.size() != 1) {
    return Invalid("%d jobs have this number, expected one", found.size());
  }
  absl::StatusOr<SlurmFieldMap> job = SlurmFields(found[0]);
  if (!job.ok()) return job.status();
  if (const std::string task = (*job)["ArrayTaskId"]; !task.empty()) {
    return absl::StrCat((*job)["ArrayJobId"], "_", task);
  }
  if (const std::string offset = (*job)["HetJobOffset"]; !offset.empty()) {
    return absl::StrCat((*job)["HetJobId"], "+", offset);
  }
  return std::string(number);
}

absl::StatusOr<v1::FailureReport> ReadSlurmText(std::string_view text) {
  absl::StatusOr<SlurmFieldMap> fields = SlurmFields(text);
  if (!fields.ok()) return fields.status();
  SlurmFieldMap& job = *fields;
  v1::FailureReport report;
  v1::EndedAttempt& attempt = *report.mutable_ended_attempt();
  attempt.set_scheduler("slurm");
  const std::string& state = job["JobState"];
  const auto ended = LocalTime(job["EndTime"]);
  // While the job completes, its state is hidden; the reason shows some states.
  const bool completes = state == "COMPLETING" && ended.has_value();
  if (!IsEnd(state) && !completes) return HasNotEnded(job["JobId"], state);
  if (!completes) attempt.set_state(state);
  if (job["Reason"] != "None") attempt.set_reason(job["Reason"]);
  const std::pair<std::string, std::string> exit =
      absl::StrSplit(job["ExitCode"], absl::MaxSplits(':', 1));
  std::int32_t number = 0;
  if (absl::SimpleAtoi(exit.first, &number)) attempt.set_exit_code(number);
  if (absl::SimpleAtoi(exit.second, &number)) SetSignal(number, attempt);
  SetSeconds(LocalTime(job["StartTime"]), &v1::EndedAttempt::mutable_started_at,
             attempt);
  SetSeconds(ended, &v1::EndedAttempt::mutable_ended_at, attempt);
  // While the job completes, this list shrinks to the nodes that are not done.
  const std::string& nodes = job["NodeList"];
  SetNodes(nodes.empty() ? job["BatchHost"] : nodes, job["FailedNode"],
           attempt);
  SetHeld(HeldIn(job.count("AllocTRES") != 0 ? job["AllocTRES"] : job["TRES"]),
          attempt);
  if (absl::SimpleAtoi(job["Restarts"], &number) && number >= 0) {
    report.set_attempt(Small(std::int64_t{number} + 1));
  }
  SetId(job["JobId"], attempt);
  v1::WorkloadReference& workload = *report.mutable_workload();
  SetWorkload("", job["JobId"], job["JobName"], workload);
  SetLabel("partition", job["Partition"], workload);
  SetLabel("account", job["Account"], workload);
  SetLabel("qos", job["QOS"], workload);
  SetLabel("user", job["UserId"].substr(0, job["UserId"].find('(')), workload);
  return report;
}

std::vector<std::string> ExpandHosts(const std::string& list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    AddHosts(list.substr(begin, i - begin), names);
    begin = i + 1;
  }
  if (names.size() > kMaxHosts) names.resize(kMaxHosts);
  return names;
}

double SlurmMebibytes(std::string size) {
  if (size.empty()) return 0;
  double factor = 1;
  constexpr std::pair<char, double> kUnits[] = {
      {'K', 1 / 1024.0}, {'M', 1}, {'G', 1024}, {'T', kMebibyte}};
  for (const auto& [unit, mebibytes] : kUnits) {
    if (size.back() != unit) continue;
    factor = mebibytes;
    size.pop_back();
    break;
  }
  double number = 0;
  return absl::SimpleAtod(size, &number) && number > 0 && number < 1e12
             ? number * factor
             : 0;
}

}  // namespace mulligan::cli
