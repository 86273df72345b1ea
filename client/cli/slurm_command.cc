// `mulligan slurm`, run by slurmctld when a job has ended (EpilogSlurmctld).
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/process.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/commands.h"
#include "client/cli/input/slurm.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

struct SlurmOptions {
  std::string job;
  std::string state_dir;
  // Folder of scontrol, sacct and sacctmgr; empty to search $PATH.
  std::string bin;
  AskFlags ask;
  bool dry_run = false;
};

using Arguments = std::vector<std::string>;

std::string FieldOf(const SlurmFieldMap& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second == "(null)" ? ""
                                                            : found->second;
}

// slurmdbd records the end of a job a little later than slurmctld.
constexpr int kTries = 40;
constexpr absl::Duration kBetweenTries = absl::Milliseconds(250);

// Seconds that Slurm waits before it restarts a job, until the job's credential
// has expired on the nodes (AuthInfo=cred_expire, 120 by default). An earlier
// start may fail.
constexpr std::int64_t kOwnWait = 121;

// In bytes; squeue and sacct print a comment on one line.
constexpr std::size_t kMaxComment = 400;

// Returns the end of the file, or empty. The job's user chooses the path and
// sees the content, and the caller may read any file: so opens it with the
// rights of the user, who must own it.
std::string ReadEnd(const std::string& path, uid_t user, std::size_t most) {
  std::string tail;
  const auto own = static_cast<uid_t>(setfsuid(user));
  const int file =
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  setfsuid(own);
  if (file < 0) return tail;
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == user) {
    const off_t begin =
        std::max<off_t>(info.st_size - static_cast<off_t>(most), 0);
    tail.resize(static_cast<std::size_t>(info.st_size - begin));
    const ssize_t size = pread(file, tail.data(), tail.size(), begin);
    tail.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
  close(file);
  return TailOf(tail, most);
}

// Parses "root(0)".
std::optional<uid_t> UserIn(const std::string& text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  uid_t user = 0;
  if (open == text.npos || close == text.npos || close < open ||
      !absl::SimpleAtoi(text.substr(open + 1, close - open - 1), &user)) {
    return std::nullopt;
  }
  return user;
}

// Returns `text` on one line, without the quotes that end a value of scontrol.
std::string CommentOf(std::string_view text) {
  std::string line = Printable(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\'' || c == '"'; },
      ' ');
  if (line.size() > kMaxComment) line.resize(Utf8Boundary(line, kMaxComment));
  return "mulligan: " + line;
}

// Returns the factor by which memory was already raised.
double GrownBefore(const v1::BudgetLedger& ledger) {
  double factor = 1;
  for (const v1::AttemptRecord& record : ledger.history()) {
    for (const v1::ResourceChange& change : record.decision().resources()) {
      if (change.resource() == "memory") {
        factor = std::max(factor, change.factor());
      }
    }
  }
  return factor;
}

class Epilog {
 public:
  Epilog(const SlurmOptions& options, const Asker& asker, Streams& streams)
      : options_(options), asker_(asker), streams_(streams) {}

  absl::Status Run() {
    absl::StatusOr<std::string> shown =
        Output("scontrol", {"show", "job", options_.job});
    if (!shown.ok()) return shown.status();
    absl::StatusOr<std::string> address = SlurmAddress(*shown, options_.job);
    if (!address.ok()) return address.status();
    address_ = *std::move(address);
    if (address_ != options_.job) {
      shown = Output("scontrol", {"show", "job", address_});
      if (!shown.ok()) return shown.status();
    }
    absl::StatusOr<SlurmFieldMap> fields = SlurmFields(*shown);
    if (!fields.ok()) return fields.status();
    fields_ = *std::move(fields);
    // The script runs in the first component, with which all are requeued.
    if (!Field("HetJobId").empty() && Field("HetJobOffset") != "0") {
      return absl::OkStatus();
    }
    v1::DecideRequest request;
    absl::StatusOr<v1::FailureReport> report = ReportOf(*shown);
    if (!report.ok()) return report.status();
    *request.mutable_report() = *std::move(report);
    Complete(*request.mutable_report());
    absl::StatusOr<v1::BudgetLedger> ledger = LedgerOf();
    if (!ledger.ok()) return ledger.status();
    *request.mutable_ledger() = *std::move(ledger);
    const absl::StatusOr<v1::DecideResponse> answer = asker_.Ask(request);
    if (!answer.ok()) return answer.status();
    if (answer->diagnosis().cause() == v1::SUCCEEDED) {
      return absl::OkStatus();
    }
    Say(answer->decision().sentence());
    return Act(request, *answer);
  }

 private:
  std::string Program(const char* name) const {
    return options_.bin.empty() ? name : absl::StrCat(options_.bin, "/", name);
  }

  absl::StatusOr<std::string> Output(const char* name, Arguments words) const {
    words.insert(words.begin(), Program(name));
    return OutputOf(words);
  }

  // Runs a program that changes something, unless it is a dry run.
  absl::Status Change(const char* name, const Arguments& words) const {
    if (options_.dry_run) {
      Say(absl::StrCat("would run ", name, " ", absl::StrJoin(words, " ")));
      return absl::OkStatus();
    }
    return Output(name, words).status();
  }

  void Say(std::string_view text) const {
    streams_.out << absl::StrCat("mulligan: job ", options_.job, ": ",
                                 Printable(text), "\n");
  }

  std::string Field(const char* name) const { return FieldOf(fields_, name); }

  // Returns whether Slurm itself has requeued the job, which then describes the
  // next attempt.
  bool IsBack() const {
    return Field("EndTime") == "Unknown" || Field("JobState") == "PENDING";
  }

  // Combines both sources. Accounting has the state of each attempt, which
  // slurmctld hides while the job completes and drops when it is requeued.
  // slurmctld has the exit code, which sacct 22.05 prints as 0.
  absl::StatusOr<v1::FailureReport> ReportOf(const std::string& shown) const {
    if (IsBack()) {
      absl::StatusOr<v1::FailureReport> last = InAccounting(0);
      if (!last.ok()) last = PutBackWithoutAccounting();
      last->mutable_ended_attempt()->set_next(v1::EndedAttempt::SCHEDULER);
      last->mutable_workload()->set_name(Field("JobName"));
      return last;
    }
    absl::StatusOr<v1::FailureReport> report = ReadSlurmText(shown);
    if (!report.ok()) return report;
    v1::EndedAttempt& attempt = *report->mutable_ended_attempt();
    const absl::StatusOr<v1::FailureReport> accounted =
        InAccounting(attempt.started_at().seconds());
    if (!accounted.ok()) return report;
    *report->mutable_workload() = accounted->workload();
    // Accounting gets the name later.
    report->mutable_workload()->set_name(Field("JobName"));
    attempt.set_state(accounted->ended_attempt().state());
    AddStepSignal(accounted->ended_attempt().signal(), attempt);
    return report;
  }

  // Waits until the last attempt in accounting is the one that began at
  // `started` (epoch seconds), or, for 0, the one before the requeue. Returns
  // it; NOT_FOUND if that takes too long.
  absl::StatusOr<v1::FailureReport> InAccounting(std::int64_t started) const {
    for (int i = 0; i < kTries; ++i) {
      if (i > 0) absl::SleepFor(kBetweenTries);
      const absl::StatusOr<std::string> output =
          Output("sacct", {"-D", "--json", "-j", address_});
      if (!output.ok()) return output.status();
      absl::StatusOr<v1::FailureReport> report = ReadSlurmJson(*output);
      if (report.ok() && IsLast(*report, started)) return report;
    }
    return absl::NotFoundError("accounting does not know it in time");
  }

  // A requeued job is in the restart after the attempt.
  bool IsLast(const v1::FailureReport& report, std::int64_t started) const {
    const v1::EndedAttempt& attempt = report.ended_attempt();
    if (!attempt.has_ended_at()) return false;
    if (started > 0) return attempt.started_at().seconds() == started;
    std::int32_t restarts = 0;
    return !absl::SimpleAtoi(Field("Restarts"), &restarts) ||
           std::max(report.attempt(), 1) >= restarts;
  }

  // Without accounting, Slurm does not say why it requeued the job.
  absl::StatusOr<v1::FailureReport> PutBackWithoutAccounting() const {
    v1::FailureReport report;
    std::int32_t restarts = 0;
    if (absl::SimpleAtoi(Field("Restarts"), &restarts) && restarts > 0) {
      report.set_attempt(restarts);
    }
    report.mutable_workload()->set_kind("slurm");
    report.mutable_workload()->set_name(Field("JobName"));
    v1::EndedAttempt& attempt = *report.mutable_ended_attempt();
    attempt.set_scheduler("slurm");
    attempt.set_state("REQUEUED");
    attempt.set_id(absl::StrCat(options_.job, ".", Field("Restarts")));
    return report;
  }

  void Complete(v1::FailureReport& report) const {
    SetTime(absl::Now(), *report.mutable_observed_at());
    const std::optional<uid_t> user = UserIn(Field("UserId"));
    if (!user) return;
    const std::string output = Field("StdOut");
    const std::string errors = Field("StdErr");
    std::string tail;
    if (errors != output) tail = ReadEnd(errors, *user, kMaxTextBytes / 2);
    tail.insert(0, ReadEnd(output, *user, kMaxTextBytes - tail.size()));
    report.mutable_ended_attempt()->set_log_tail(std::move(tail));
  }

  // Returns what is requeued, held and released: Slurm refuses one component of
  // a heterogeneous job.
  std::string Restarted() const {
    const std::string all = Field("HetJobId");
    return all.empty() ? address_ : all;
  }

  std::string LedgerPath() const {
    return absl::StrCat(options_.state_dir, "/", options_.job, ".json");
  }

  absl::StatusOr<v1::BudgetLedger> LedgerOf() const {
    v1::BudgetLedger ledger;
    if (!options_.state_dir.empty()) {
      std::error_code error;
      if (!std::filesystem::exists(LedgerPath(), error)) return ledger;
      return ReadLedger(LedgerPath(), streams_.in);
    }
    const std::string comment = Field("AdminComment");
    if (comment.empty()) return ledger;
    const absl::Status read = ParseProtoJson(comment, ledger);
    if (!read.ok()) {
      return Invalid(
          "the job's AdminComment is not a ledger: keep ledgers with "
          "--state-dir");
    }
    return ledger;
  }

  // Returns the change of the job that stores the ledger; empty if the ledger
  // is stored in a file.
  absl::StatusOr<Arguments> Keep(const v1::BudgetLedger& ledger) const {
    const absl::StatusOr<std::string> json = PrintCompactJson(ledger);
    if (!json.ok()) return json.status();
    if (options_.state_dir.empty()) {
      return Arguments{absl::StrCat("AdminComment=", *json)};
    }
    if (!options_.dry_run) {
      absl::Status stored = WriteOutput(LedgerPath(), *json + '\n');
      if (!stored.ok()) return stored;
    }
    return Arguments();
  }

  absl::Status Update(Arguments changes) const {
    changes.insert(changes.begin(),
                   {"update", absl::StrCat("JobId=", address_)});
    return Change("scontrol", changes);
  }

  absl::Status Act(const v1::DecideRequest& request,
                   const v1::DecideResponse& answer) const {
    absl::StatusOr<Arguments> kept = Keep(answer.ledger());
    if (!kept.ok()) return kept.status();
    Arguments changes = *std::move(kept);
    const v1::Decision& decision = answer.decision();
    changes.push_back(absl::StrCat("Comment=", CommentOf(decision.sentence())));
    const auto action = decision.action();
    const bool again =
        action == v1::Decision::RETRY || action == v1::Decision::WAIT;
    const bool holds = action == v1::Decision::WAIT_FOR_SPEC_UPDATE;
    if (IsBack()) {
      // The job is queued again; hold it only if it must not start.
      const bool stop = holds || action == v1::Decision::FAIL;
      if (stop) {
        absl::Status held = Change("scontrol", {"hold", Restarted()});
        if (!held.ok()) return held;
      }
      return Update(std::move(changes));
    }
    if (!again && !holds) return Finish(changes);
    // Hold it first: a job can be changed only while it is queued, and must not
    // start before.
    absl::Status put_back = Change("scontrol", {"requeuehold", Restarted()});
    if (!put_back.ok()) return put_back;
    if (again) {
      AddNodes(decision, changes);
      AddMemory(request.ledger(), decision, changes);
    }
    absl::Status updated = Update(changes);
    // If the change is impossible, the job stays held, with the reason.
    if (!updated.ok() || holds) return updated;
    absl::Status released = Change("scontrol", {"release", Restarted()});
    if (!released.ok()) return released;
    const std::int64_t delay = decision.retry_after().seconds();
    if (delay <= kOwnWait) return absl::OkStatus();
    return Update({absl::StrCat("StartTime=now+", delay)});
  }

  // A finished job can be changed only in accounting.
  absl::Status Finish(const Arguments& changes) const {
    for (const std::string& change : changes) {
      const absl::Status noted =
          Change("sacctmgr", {"-i", "modify", "job", "where",
                              absl::StrCat("jobid=", address_), "set", change});
      if (!noted.ok()) Say(absl::StrCat("not noted: ", noted.message()));
    }
    return absl::OkStatus();
  }

  // Excludes nodes as long as enough remain.
  void AddNodes(const v1::Decision& decision, Arguments& changes) const {
    if (decision.placement().avoid_nodes().empty()) return;
    std::set<std::string> excluded;
    for (std::string& node : ExpandHosts(Field("ExcNodeList"))) {
      excluded.insert(std::move(node));
    }
    for (const auto& avoid : decision.placement().avoid_nodes()) {
      excluded.insert(avoid.node());
    }
    const absl::StatusOr<std::string> partition =
        Output("scontrol", {"show", "partition", Field("Partition")});
    int needed = 1;
    int all = 0;
    (void)absl::SimpleAtoi(Field("NumNodes"), &needed);
    if (partition.ok()) {
      const absl::StatusOr<SlurmFieldMap> fields = SlurmFields(*partition);
      if (fields.ok()) {
        (void)absl::SimpleAtoi(FieldOf(*fields, "TotalNodes"), &all);
      }
    }
    if (all - static_cast<int>(excluded.size()) < needed) {
      Say(absl::StrCat("no node is excluded: the partition has ", all));
      return;
    }
    changes.push_back(
        absl::StrCat("ExcNodeList=", absl::StrJoin(excluded, ",")));
  }

  // Factors are relative to the memory of the first attempt.
  void AddMemory(const v1::BudgetLedger& before, const v1::Decision& decision,
                 Arguments& changes) const {
    for (const v1::ResourceChange& change : decision.resources()) {
      if (change.resource() != "memory") continue;
      for (const char* name : {"MinMemoryNode", "MinMemoryCPU"}) {
        const double now = SlurmMebibytes(Field(name));
        if (now <= 0) continue;
        const double grown =
            std::ceil(now / GrownBefore(before) * change.factor());
        changes.push_back(absl::StrCat(
            name, "=", static_cast<std::int64_t>(std::min(grown, 1e12))));
      }
    }
  }

  const SlurmOptions& options_;
  const Asker& asker_;
  Streams& streams_;
  // As SlurmAddress() says.
  std::string address_;
  SlurmFieldMap fields_;
};

int RunSlurm(SlurmOptions& options, Streams& streams) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(options.job, &number) || number <= 0) {
    PrintError(streams, absl::StrCat("--job: \"", Printable(options.job),
                                     "\" is not a job number; slurmctld sets "
                                     "SLURM_JOB_ID"));
    return kExitUsage;
  }
  Asker asker;
  if (const int code = asker.Open(options.ask, streams); code != kExitOk) {
    return code;
  }
  const absl::Status status = Epilog(options, asker, streams).Run();
  if (!status.ok()) {
    return Fail(streams, Prefixed(absl::StrCat("job ", options.job), status));
  }
  return FinishOutput(streams);
}

}  // namespace

void AddSlurm(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] =
      AddCommand("slurm", "Decide about a Slurm job that has ended",
                 R"(Examples:
  mulligan slurm --policy /etc/mulligan/policies
  mulligan slurm --job 4711 --dry-run)",
                 RunSlurm, app, streams, code);
  AddOption(command, "--job", options.job, "The job that has ended", "ID")
      ->envname("SLURM_JOB_ID");
  AddAskFlags(command, options.ask);
  AddOption(command, "--state-dir", options.state_dir,
            "Keeps ledgers here; default: AdminComment", "DIR");
  AddOption(command, "--slurm-bin", options.bin,
            "Folder of scontrol, sacct and sacctmgr", "DIR");
  command.add_flag("--dry-run", options.dry_run,
                   "Prints what it would run, changes nothing");
}

}  // namespace mulligan::cli
