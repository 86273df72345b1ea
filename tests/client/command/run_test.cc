// `mulligan run` with real processes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Retries immediately, so that no test sleeps.
constexpr char kAtOnce[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: at-once}
spec:
  budgets: {all: {limit: 2}, memory: {limit: 2}}
  rules:
    - name: more
      when: {causes: [CONTAINER_OOM]}
      then: {action: RETRY, budget: memory, resources: {memoryFactor: 2}}
    - name: mistakes
      when: {causes: [CONFIG_USER_ERROR, CONFIG_MISSING]}
      then: {action: FAIL}
  default: {action: RETRY, budget: all, backoff: {initial: 10ms}}
  derivation: {sameFingerprint: 0, crashLoopFailures: 0}
)";

CommandResult RunIt(std::vector<std::string> flags, const std::string& script,
                    const std::string& input = "") {
  const std::string policy = WriteTestFile("at-once.yaml", kAtOnce);
  std::vector<std::string> words = {"run", "--policy", policy};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"--", "bash", "-c", script});
  return RunMulligan(words, input);
}

TEST(RunTest, PassesSuccessThrough) {
  const CommandResult result =
      RunIt({}, "cat; echo no >&2; printf '%s' \"$MULLIGAN_ATTEMPT\"", "in\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "in\n1");
  EXPECT_EQ(result.err, "no\n");
}

TEST(RunTest, RetriesInPlace) {
  const std::string count = WriteTestFile("count", "");
  const CommandResult result =
      RunIt({}, absl::StrCat("echo x >> ", count, "; echo out; [ $(wc -l < ",
                             count, ") -ge 3 ] || exit 1"));
  EXPECT_EQ(result.code, 0);
  // Each output is printed once.
  EXPECT_EQ(result.out, "out\nout\nout\n");
  EXPECT_THAT(result.err, AllOf(StartsWith("mulligan: attempt 1: "),
                                HasSubstr("mulligan: attempt 2: "),
                                Not(HasSubstr("attempt 3"))));
}

TEST(RunTest, ExhaustedBudgetReturnsTheCommandsCode) {
  const CommandResult result = RunIt({"--quiet"}, "echo x; exit 9");
  EXPECT_EQ(result.code, 9);
  EXPECT_EQ(result.out, "x\nx\nx\n");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(RunTest, DoesNotRetryMistakes) {
  const CommandResult result =
      RunIt({}, "python3 -c 'import no_such_module_anywhere'");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no_such_module_anywhere"),
                                HasSubstr("mulligan: attempt 1: "),
                                Not(HasSubstr("attempt 2"))));
}

TEST(RunTest, MissingCommandExitsLikeAShell) {
  const std::string policy = WriteTestFile("at-once.yaml", kAtOnce);
  const CommandResult result = RunMulligan(
      {"run", "--policy", policy, "--", "/no/such/program", "--flag"});
  EXPECT_EQ(result.code, 127);
  EXPECT_EQ(RunMulligan({"run", "--policy", policy, "--", "/etc/passwd"}).code,
            126);
}

TEST(RunTest, NeverInPlaceExitsWith75) {
  const CommandResult result = RunIt({"--in-place", "never"}, "echo x; exit 9");
  EXPECT_EQ(result.code, 75);
  EXPECT_EQ(result.out, "x\n");
  // The command's own 75 is mapped to 1.
  EXPECT_EQ(RunIt({}, "exit 75").code, 1);
}

TEST(RunTest, PassesArgumentsUnchanged) {
  const std::string policy = WriteTestFile("at-once.yaml", kAtOnce);
  const CommandResult result =
      RunMulligan({"run", "--policy", policy, "--", "printf", "%s|", "[a,b]",
                   "--policy", "--", "", "a b"});
  EXPECT_EQ(result.out, "[a,b]|--policy|--||a b|");
}

TEST(RunTest, KeepsTheLedgerInAFile) {
  const std::string ledger = WriteTestFile("ledger.json", "");
  EXPECT_EQ(RunIt({"--in-place", "never", "--ledger", ledger}, "exit 9").code,
            75);
  EXPECT_EQ(RunIt({"--in-place", "never", "--ledger", ledger}, "exit 9").code,
            75);
  EXPECT_EQ(RunIt({"--in-place", "never", "--ledger", ledger}, "exit 9").code,
            9);
  EXPECT_THAT(ReadTestFile(ledger), HasSubstr("\"attemptsSeen\":3"));
}

TEST(RunTest, KillsLeftoverProcessesBeforeTheNextAttempt) {
  const std::string pid = WriteTestFile("pid", "");
  const CommandResult result = RunIt(
      {}, absl::StrCat("if [ $MULLIGAN_ATTEMPT = 1 ]; then sleep 300 >&- 2>&- "
                       "& echo $! > ",
                       pid, "; exit 1; fi; kill -0 $(cat ", pid,
                       ") 2>&- && exit 2; exit 0"));
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(RunTest, MissingServerReturnsTheCommandsCode) {
  const CommandResult result =
      RunMulligan({"run", "--server", "127.0.0.1:1", "--deadline", "1s", "--",
                   "bash", "-c", "exit 9"});
  EXPECT_EQ(result.code, 9);
  EXPECT_THAT(result.err, HasSubstr("no verdict: 127.0.0.1:1"));
}

TEST(RunTest, AsksAServer) {
  if (!ServerProcess::IsBuilt()) GTEST_SKIP() << "no server";
  const ServerProcess server;
  const CommandResult result =
      RunMulligan({"run", "--server", server.address(), "--in-place", "never",
                   "--", "python3", "-c", "import no_such_module_anywhere"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("mulligan: attempt 1: "));
}

TEST(RunTest, RejectsBadUsage) {
  EXPECT_EQ(RunMulligan({"run"}).code, 2);
  EXPECT_EQ(RunMulligan({"run", "--max-wait", "soon", "--", "true"}).code, 2);
  EXPECT_EQ(RunMulligan({"run", "--policy", "/no/such", "--", "true"}).code, 2);
}

// A mulligan process that receives signals.
class Background {
 public:
  explicit Background(const std::string& script) {
    out_ = WriteTestFile("background", "");
    pid_ = fork();
    if (pid_ != 0) return;
    if (std::freopen(out_.c_str(), "w", stdout) == nullptr) _exit(99);
    execl(MULLIGAN_BINARY, "mulligan", "run", "--quiet", "--", "bash", "-c",
          script.c_str(), nullptr);
    _exit(98);
  }
  void AwaitOutput(const std::string& text) const {
    using namespace std::chrono_literals;
    for (int i = 0; i < 3000; ++i) {
      if (ReadTestFile(out_).find(text) != std::string::npos) return;
      std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "no " << text;
  }
  void Send(int signal) const { kill(pid_, signal); }
  int Wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }

 private:
  std::string out_;
  pid_t pid_ = -1;
};

TEST(RunTest, ForwardsSignalsAndStops) {
  const Background command(
      "trap 'echo stopping; exit 5' TERM; echo up; "
      "while :; do sleep 0.05; done");
  command.AwaitOutput("up");
  command.Send(SIGTERM);
  command.AwaitOutput("stopping");
  // A stop signal prevents another attempt, whatever the exit code.
  EXPECT_EQ(command.Wait(), 5);
}

TEST(RunTest, DeathBySignalExitsLikeAShell) {
  const Background command("echo up; exec sleep 300");
  command.AwaitOutput("up");
  command.Send(SIGTERM);
  EXPECT_EQ(command.Wait(), 143);
}

TEST(RunTest, OtherSignalsAreOnlyForwarded) {
  const Background command(
      "trap 'echo usr; exit 0' USR1; echo up; while :; do "
      "sleep 0.05; done");
  command.AwaitOutput("up");
  command.Send(SIGUSR1);
  EXPECT_EQ(command.Wait(), 0);
}

TEST(RunTest, ReapsOrphans) {
  // The grandchild outlives its parent and becomes mulligan's child.
  const Background command(
      "( sleep 0.1 & ) ; echo up; sleep 0.4; ps -o stat= "
      "--ppid $PPID | grep -c Z; true");
  EXPECT_EQ(command.Wait(), 0);
  command.AwaitOutput("0\n");
}

// Runs in its own control group with a limit.
TEST(RunTest, DetectsAKillAtTheMemoryLimit) {
  const std::string folders[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"};
  std::string group;
  bool second = false;
  for (const std::string& folder : folders) {
    second = std::filesystem::exists(folder + "/cgroup.controllers");
    const std::string made = absl::StrCat(folder, "/mulligan-", getpid());
    std::error_code error;
    if (!std::filesystem::create_directory(made, error)) continue;
    std::ofstream limit(made +
                        (second ? "/memory.max" : "/memory.limit_in_bytes"));
    limit << (200 << 20) << std::flush;
    if (limit) {
      group = made;
      break;
    }
    std::filesystem::remove(made, error);
  }
  if (group.empty()) GTEST_SKIP() << "no control groups can be made here";
  const std::string policy = WriteTestFile("at-once.yaml", kAtOnce);
  const pid_t child = fork();
  const std::string log = WriteTestFile("oom", "");
  if (child == 0) {
    std::ofstream(group + "/cgroup.procs") << getpid() << std::flush;
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(99);
    execl(MULLIGAN_BINARY, "mulligan", "run", "--policy", policy.c_str(), "--",
          "python3", "-c", "x = bytearray(400 << 20)", nullptr);
    _exit(98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::error_code error;
  std::filesystem::remove(group, error);
  // Another attempt in place would not have more memory.
  EXPECT_EQ(WEXITSTATUS(status), 75);
  EXPECT_THAT(ReadTestFile(log),
              AllOf(HasSubstr("at its memory limit"), HasSubstr("memory x2")));
}

}  // namespace
}  // namespace mulligan::testing
