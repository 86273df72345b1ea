#include "server/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "server/observe/text.h"

namespace mulligan {
namespace {

// How much longer than its delay and grace a drain may take.
constexpr absl::Duration kWatchdogMargin = absl::Seconds(5);
constexpr long kPollNanoseconds = 20'000'000;

constexpr std::string_view kPortFileBegin = "{\"pid\":";

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

sigset_t AllSignals() {
  sigset_t signals = StopSignals();
  sigaddset(&signals, SIGHUP);
  return signals;
}

bool StopSignalArrives() {
  const sigset_t signals = StopSignals();
  const timespec timeout = {0, kPollNanoseconds};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

[[noreturn]] void ExitNow(const Log& log, const Server& server,
                          std::string_view why) {
  log.Write(LogLevel::kError, why,
            {{"calls_in_flight", server.metrics().CallsInFlight()}});
  std::_Exit(kExitCallsCutOff);
}

}  // namespace

void BlockReload() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

void BlockSignals() {
  const sigset_t signals = AllSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A file that must not grow counts as a write error of the decision log.
  std::signal(SIGXFSZ, SIG_IGN);
}

absl::Status CheckThreads() {
  // The pool and gRPC have some per core; admin port, listener, monitor and
  // logs have one each.
  constexpr std::size_t kThreadsPerCore = 3;
  constexpr std::size_t kOtherThreads = 16;
  const std::size_t wanted =
      kThreadsPerCore * std::max(2U, std::thread::hardware_concurrency()) +
      kOtherThreads;
  absl::Status status;
  std::promise<void> enough;
  const std::shared_future<void> end = enough.get_future().share();
  std::vector<std::thread> threads;
  try {
    while (threads.size() < wanted) {
      threads.emplace_back([end] { end.wait(); });
    }
  } catch (const std::system_error& error) {
    status = absl::UnavailableError(
        absl::StrFormat("cannot start a thread: %s; started %d of %d",
                        error.what(), threads.size(), wanted));
  }
  enough.set_value();
  for (std::thread& thread : threads) thread.join();
  return status;
}

absl::Status RemovePortFile(const std::string& path) {
  std::error_code error;
  const auto there = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::exists(there)) return absl::OkStatus();
  if (!std::filesystem::is_regular_file(there)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--port-file: \"%s\" is not a regular file", path));
  }
  std::string begin(kPortFileBegin.size(), '\0');
  std::ifstream file(path);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (file.gcount() > 0 && begin != kPortFileBegin) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--port-file: \"%s\" is not a port file; expected no file, an empty "
        "one or the port file of an earlier run",
        path));
  }
  std::filesystem::remove(path, error);
  return absl::OkStatus();
}

absl::Status WritePortFile(const std::string& path, const Server& server) {
  const std::string partial = path + ".partial";
  JsonObject ports;
  ports.Add("pid", static_cast<std::int64_t>(getpid()))
      .Add("grpcPort", static_cast<std::int64_t>(server.grpc_port()))
      .Add("adminPort", static_cast<std::int64_t>(server.admin_port()));
  std::ofstream file(partial);
  const bool made = file.is_open();
  file << std::move(ports).Finish() << "\n";
  file.close();
  if (!file || std::rename(partial.c_str(), path.c_str()) != 0) {
    if (made) unlink(partial.c_str());
    return absl::UnavailableError(
        absl::StrFormat("--port-file: cannot write \"%s\"", path));
  }
  return absl::OkStatus();
}

int RunUntilSignal(Server& server, const Log& log) {
  const sigset_t signals = AllSignals();
  int signal = SIGHUP;
  while (true) {
    sigwait(&signals, &signal);
    if (signal != SIGHUP) break;
    log.Write(LogLevel::kInfo, "reload signal", {{"signal", "SIGHUP"}});
    server.Reload();
  }
  log.Write(LogLevel::kInfo, "stop signal",
            {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  const auto deadline = std::chrono::steady_clock::now() +
                        absl::ToChronoNanoseconds(
                            server.options().drain_delay +
                            server.options().shutdown_grace + kWatchdogMargin);
  // If no thread is available, it drains below in get(), without a time limit.
  std::future<std::int64_t> drain =
      std::async(std::launch::async | std::launch::deferred,
                 [&server] { return server.Drain(); });
  while (drain.wait_for(std::chrono::seconds(0)) ==
         std::future_status::timeout) {
    if (StopSignalArrives()) {
      ExitNow(log, server, "second stop signal: stopping at once");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      ExitNow(log, server, "calls did not end in time: stopping at once");
    }
  }
  const std::int64_t cut_off = drain.get();
  log.Write(LogLevel::kInfo, "stopped", {{"calls_cut_off", cut_off}});
  return cut_off == 0 ? kExitOk : kExitCallsCutOff;
}

}  // namespace mulligan
