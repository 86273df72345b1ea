// `mulligan run`: runs a command and retries it in place if that is worthwhile.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/process.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/commands.h"
#include "client/cli/input/machine.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

// EX_TEMPFAIL of sysexits.h: retry, but not in place.
constexpr int kTryElsewhere = 75;
// Used instead if the command itself ended with kTryElsewhere for good.
constexpr int kGivenUp = 1;

struct RunOptions {
  std::vector<std::string> command;
  AskFlags ask;
  std::string name;
  std::string ledger;
  std::string in_place = "fit";
  std::string max_wait = "10m";
  std::optional<int> accelerators;
  bool quiet = false;
};

int CodeOf(const ProcessResult& ended) {
  return ended.code == kTryElsewhere ? kGivenUp : ended.code;
}

std::string NameOf(const RunOptions& options) {
  return options.name.empty()
             ? std::filesystem::path(options.command[0]).filename().string()
             : options.name;
}

// One run of the command, and what else is known about it.
struct RunResult {
  ProcessResult ended;
  Machine before;
  Machine after;
};

v1::FailureReport ReportOf(const RunOptions& options,
                           const RunResult& attempt) {
  v1::FailureReport report;
  report.mutable_workload()->set_kind("command");
  report.mutable_workload()->set_name(NameOf(options));
  SetTime(absl::Now(), *report.mutable_observed_at());
  v1::EndedAttempt& end = *report.mutable_ended_attempt();
  const ProcessResult& ended = attempt.ended;
  if (ended.signal == 0) {
    end.set_exit_code(ended.code);
  } else {
    end.set_signal(ended.signal);
  }
  end.set_log_tail(ended.tail);
  if (attempt.after.oom_kills > attempt.before.oom_kills) {
    end.set_state("OOMKilled");
  }
  end.add_nodes(attempt.after.name);
  // Unique, because runs of one process begin at different times.
  end.set_id(absl::StrCat(attempt.after.name, ".", getpid(), ".",
                          absl::ToUnixNanos(ended.started_at)));
  SetTime(ended.started_at, *end.mutable_started_at());
  SetTime(ended.ended_at, *end.mutable_ended_at());
  const auto accelerators = options.accelerators.has_value()
                                ? options.accelerators
                                : attempt.after.accelerators;
  if (accelerators) end.set_accelerators(*accelerators);
  end.set_memory_bytes(attempt.after.memory_limit);
  if (attempt.after.memory_limit > 0 && ended.peak_bytes > 0) {
    v1::ContainerUsage& usage = *report.add_usage();
    usage.set_memory_peak_bytes(ended.peak_bytes);
    usage.set_memory_limit_bytes(attempt.after.memory_limit);
  }
  return report;
}

// Returns whether a restart on this machine satisfies the decision.
bool Fits(const v1::Decision& decision, const std::string& node) {
  const auto& avoid = decision.placement().avoid_nodes();
  return decision.resources_size() == 0 && !decision.placement().on_demand() &&
         decision.queue() != v1::Decision::REQUEUE &&
         std::ranges::none_of(avoid, [&node](const v1::AvoidNode& one) {
           return one.node() == node;
         });
}

// Runs the command until it succeeds or is not retried.
class Session {
 public:
  Session(const RunOptions& options, absl::Duration max_wait,
          const Asker& asker, Runner& runner, Streams& streams)
      : options_(options),
        max_wait_(max_wait),
        asker_(asker),
        runner_(runner),
        streams_(streams) {}

  int Run(v1::BudgetLedger ledger) {
    ledger_ = std::move(ledger);
    while (true) {
      ++number_;
      RunResult attempt;
      attempt.before = ReadMachine();
      attempt.ended = runner_.Run(options_.command, Variables());
      attempt.after = ReadMachine();
      const ProcessResult& ended = attempt.ended;
      if (ended.code == 0) return 0;
      // A stopped command is not retried.
      if (ended.stopped_by != 0) return CodeOf(ended);
      const std::optional<int> code = Decide(attempt);
      if (code) return *code;
      runner_.EndOrphans();
    }
  }

 private:
  std::vector<std::string> Variables() const {
    return {absl::StrCat("MULLIGAN_ATTEMPT=", number_)};
  }

  // Returns the exit code; empty if the command is retried.
  std::optional<int> Decide(const RunResult& attempt) {
    v1::DecideRequest request;
    *request.mutable_report() = ReportOf(options_, attempt);
    while (true) {
      *request.mutable_ledger() = ledger_;
      const absl::StatusOr<v1::DecideResponse> answer = asker_.Ask(request);
      if (!answer.ok()) {
        Say(absl::StrCat("no verdict: ", answer.status().message()));
        return CodeOf(attempt.ended);
      }
      ledger_ = answer->ledger();
      StoreLedger();
      const v1::Decision& decision = answer->decision();
      Say(decision.sentence());
      const bool waits = decision.action() == v1::Decision::WAIT;
      if (!waits && decision.action() != v1::Decision::RETRY) {
        return CodeOf(attempt.ended);
      }
      const absl::Duration delay = ToDuration(decision.retry_after());
      const bool here = options_.in_place == "always" ||
                        (options_.in_place == "fit" && delay <= max_wait_ &&
                         Fits(decision, attempt.after.name));
      if (!here) return kTryElsewhere;
      if (!runner_.RestoreInput()) {
        Say("not retried here: the attempt may have read standard input");
        return kTryElsewhere;
      }
      if (const int signal = runner_.Sleep(delay); signal != 0) {
        return 128 + signal;
      }
      if (!waits) return std::nullopt;
      SetTime(absl::Now(), *request.mutable_report()->mutable_observed_at());
    }
  }

  void StoreLedger() {
    if (options_.ledger.empty()) return;
    const absl::StatusOr<std::string> json = PrintCompactJson(ledger_);
    if (!json.ok()) return;
    const absl::Status stored = WriteOutput(options_.ledger, *json + '\n');
    if (!stored.ok()) Say(std::string(stored.message()));
  }

  // Writes one line at once, so that lines of the command stay intact.
  void Say(std::string_view text) {
    if (options_.quiet) return;
    streams_.err << absl::StrCat("mulligan: attempt ", number_, ": ",
                                 Printable(text), "\n")
                 << std::flush;
  }

  const RunOptions& options_;
  const absl::Duration max_wait_;
  const Asker& asker_;
  Runner& runner_;
  Streams& streams_;
  v1::BudgetLedger ledger_;
  int number_ = 0;
};

int RunRun(RunOptions& options, Streams& streams) {
  if (options.command.empty()) {
    PrintError(streams,
               "run: the command is missing, expected it after \"--\": "
               "mulligan run -- python train.py");
    return kExitUsage;
  }
  absl::Duration max_wait;
  if (!absl::ParseDuration(options.max_wait, &max_wait) ||
      max_wait < absl::ZeroDuration()) {
    return Fail(streams, Invalid("--max-wait: \"%s\" is not a duration such as "
                                 "10m or 0s",
                                 Printable(options.max_wait)));
  }
  v1::BudgetLedger ledger;
  std::error_code error;
  if (!options.ledger.empty() &&
      std::filesystem::exists(options.ledger, error)) {
    absl::StatusOr<v1::BudgetLedger> read =
        ReadLedger(options.ledger, streams.in);
    if (!read.ok()) return Fail(streams, read.status());
    ledger = *std::move(read);
  }
  // Created before the client's threads, which must not receive its signals.
  Runner runner;
  Asker asker;
  if (const int code = asker.Open(options.ask, streams); code != kExitOk) {
    return code;
  }
  return Session(options, max_wait, asker, runner, streams)
      .Run(std::move(ledger));
}

}  // namespace

void AddRun(CLI::App& app, const std::vector<std::string>& command_line,
            Streams& streams, int& code) {
  const auto [command, options] = AddCommand(
      "run", "Run a command, and retry it if that is worthwhile", R"(Examples:
  mulligan run -- python train.py --epochs 3
  mulligan run --policy policies/ --in-place never -- ./job.sh

Exit codes: 0 success; 75 retry elsewhere, or with the changes in the last line;
else the command's own: do not retry.)",
      RunRun, app, streams, code);
  options.command = command_line;
  AddAskFlags(command, options.ask);
  AddOption(command, "--in-place", options.in_place,
            "fit: if nothing else is needed; always; never", "WHEN")
      ->check(CLI::IsMember({"fit", "always", "never"}))
      ->capture_default_str();
  AddOption(command, "--max-wait", options.max_wait,
            "Longest wait before a retry here", "DURATION")
      ->capture_default_str();
  AddOption(command, "--name", options.name,
            "Workload's name; default: the command's", "NAME");
  AddOption(command, "--accelerators", options.accelerators,
            "In use; default: from CUDA_VISIBLE_DEVICES", "N")
      ->check(CLI::Range(0, 100000));
  AddOption(command, "--ledger", options.ledger,
            "Keeps the ledger over several runs", "FILE");
  command.add_flag("--quiet", options.quiet, "Prints no messages of mulligan");
}

}  // namespace mulligan::cli
