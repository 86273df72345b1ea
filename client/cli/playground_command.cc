// `mulligan playground`.
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/desk/desk.h"
#include "client/cli/desk/desk_http.h"
#include "client/cli/suite/suite.h"
#include "policy/loader/load.h"

namespace mulligan::cli {
namespace {

struct PlaygroundOptions {
  // Folder with policies; if empty, a copy of the default policy.
  std::string policy_dir;
  // Suites, and folders with suites.
  std::vector<std::string> suites;
  // Decision logs and folders of them.
  std::vector<std::string> logs;
  // 0 for any free port.
  int port = 0;
};

constexpr char kCopyName[] = "policy.yaml";

// Returns the folder's files by name; the page shows errors in them.
absl::StatusOr<std::vector<PolicyText>> PoliciesOf(const std::string& folder) {
  if (folder.empty()) {
    return std::vector<PolicyText>{{kCopyName, EmbeddedPolicy().yaml}};
  }
  Issues issues;
  std::error_code error;
  std::vector<PolicyText> files = std::filesystem::is_directory(folder, error)
                                      ? ReadPolicyDirectory(folder, issues)
                                      : ReadPolicyFile(folder, issues);
  if (files.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "--policy-dir: ",
        issues.empty() ? folder + ": holds no policy" : issues[0].message));
  }
  for (PolicyText& file : files) {
    file.file = std::filesystem::path(file.file).filename();
  }
  return files;
}

absl::StatusOr<DeskSettings> SettingsOf(const PlaygroundOptions& options) {
  DeskSettings settings;
  absl::StatusOr<std::vector<PolicyText>> policies =
      PoliciesOf(options.policy_dir);
  if (!policies.ok()) return policies.status();
  settings.policies = *std::move(policies);
  absl::StatusOr<std::vector<std::string>> suites = FindSuites(options.suites);
  if (!suites.ok()) return suites.status();
  settings.suites = *std::move(suites);
  absl::StatusOr<LoadedLog> log = ReadLogs(options.logs);
  if (!log.ok()) return log.status();
  settings.log = *std::move(log);
  return settings;
}

// Serves until SIGINT or SIGTERM.
int RunPlayground(PlaygroundOptions& options, Streams& streams) {
  absl::StatusOr<DeskSettings> settings = SettingsOf(options);
  if (!settings.ok()) return Fail(streams, settings.status());
  // Before any thread starts, because threads inherit the mask.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Desk desk(*std::move(settings));
  const absl::StatusOr<std::unique_ptr<DeskHttp>> http =
      DeskHttp::Start(options.port, desk);
  if (!http.ok()) return Fail(streams, http.status());
  streams.out << (*http)->address() << "\n";
  const int written = FinishOutput(streams);
  if (written != kExitOk) return written;
  streams.err << "Open this address in a browser of this machine; Ctrl-C ends "
                 "it. Nothing is sent elsewhere, no file is written.\n";
  streams.err.flush();
  int signal = 0;
  sigwait(&ends, &signal);
  return kExitOk;
}

}  // namespace

void AddPlayground(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] =
      AddCommand("playground", "Try policies on a local web page", R"(Examples:
  mulligan playground
  mulligan playground --policy-dir policies/ --suite policies/ --log log.jsonl)",
                 RunPlayground, app, streams, code);
  AddOption(command, "--policy-dir", options.policy_dir,
            "Policy file or folder; default: the embedded one", "PATH");
  AddOption(command, "--suite", options.suites,
            "Test suite or folder; runs while you type", "PATH");
  AddOption(command, "--log", options.logs,
            "Decision log or folder, to say what would change", "LOG");
  constexpr int kLastPort = 65535;
  AddOption(command, "--port", options.port,
            "Port on loopback; default: any that is free", "PORT")
      ->check(CLI::Range(0, kLastPort));
}

}  // namespace mulligan::cli
