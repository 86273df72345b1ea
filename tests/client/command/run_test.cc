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
#include <utility>
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

// The end of the output is cut to a report's limit, whatever its bytes.
TEST(RunTest, LongOutputOfAnyBytesHasAVerdict) {
  for (const char* text : {"'\\xe2\\x96\\x88'", "'x' + '\\xe2\\x96\\x88'",
                           "'\\xfc'", "'\\xf0\\x9f'", "'\\0'"}) {
    const CommandResult result =
        RunIt({"--in-place", "never"},
              absl::StrCat("python3 -c \"import sys; sys.stdout.buffer.write("
                           "('x' * 9 + ",
                           text,
                           " * 70000).encode('latin1'))\"; echo; echo "
                           "'ModuleNotFoundError: No module named a' >&2; "
                           "exit 1"));
    EXPECT_EQ(result.code, 1) << text;
    EXPECT_THAT(result.err, HasSubstr("module is missing")) << text;
  }
}

// Returns the output of a script and its exit code. It has the function
// `run COMMAND`, for `mulligan run`, and the named pipe $fifo, open as 3.
std::string CodeInScript(const std::string& script) {
  const std::string run = absl::StrCat(
      MULLIGAN_BINARY, " run --quiet --policy ",
      WriteTestFile("at-once.yaml", kAtOnce).string(), " -- bash -c");
  const std::string fifo = (TestFolder() / "fifo").string();
  return RunMulligan(
             {"run", "--quiet", "--", "bash", "-c",
              absl::StrCat("rm -f ", fifo, "; mkfifo ", fifo, "; exec 3<>",
                           fifo, "; run() { ", run, " \"$1\"; }; fifo=", fifo,
                           "; ", script, "; printf ' %s' $?")})
      .out;
}

TEST(RunTest, EveryAttemptHasTheSameInput) {
  EXPECT_EQ(
      RunIt({}, "read x; wc -l; [ $MULLIGAN_ATTEMPT = 3 ]", "1\n2\n3\n").out,
      "2\n2\n2\n");
  constexpr char kReads[] = "run 'wc -l; exit 3'";
  EXPECT_EQ(CodeInScript(absl::StrCat("seq 1 9 | ", kReads)), "9\n 75");
  EXPECT_EQ(CodeInScript("seq 1 9 | run 'read x; exit 3'"), " 75");
  // A pipe whose writer stays.
  EXPECT_EQ(CodeInScript("echo >&3; run 'read x; exit 3' <$fifo"), " 75");
  EXPECT_EQ(CodeInScript("run 'echo >&3; read x; exit 3' <$fifo"), " 75");
}

TEST(RunTest, UnreadInputIsNoObstacle) {
  constexpr char kSecond[] = "run '[ $MULLIGAN_ATTEMPT = 2 ]' ";
  EXPECT_EQ(CodeInScript(absl::StrCat(kSecond, "</dev/null")), " 0");
  EXPECT_EQ(CodeInScript(absl::StrCat(kSecond, "<$fifo")), " 0");
  EXPECT_EQ(CodeInScript(absl::StrCat("echo >&3; ", kSecond, "<$fifo")), " 0");
  EXPECT_EQ(CodeInScript(absl::StrCat(kSecond, "<&-")), " 0");
}

// As the command itself would have failed.
TEST(RunTest, OutputThatCannotBeWrittenIsAFailure) {
  for (const auto& [script, code] :
       {std::pair("echo x", " 1"), std::pair("yes", " 1"),
        std::pair("echo x; exit 3", " 3"), std::pair("exit 0", " 0")}) {
    for (const char* stream : {">/dev/full", "2>/dev/full"}) {
      EXPECT_EQ(CodeInScript(absl::StrCat(
                    MULLIGAN_BINARY,
                    " run --server 127.0.0.1:1 --deadline 1s -- bash -c '",
                    *stream == '2' ? "exec >&2; " : "", script, "' ", stream)),
                code)
          << script << stream;
    }
  }
  const CommandResult result =
      RunMulligan({"run", "--quiet", "--", "bash", "-c",
                   absl::StrCat(MULLIGAN_BINARY,
                                " run --in-place never -- echo x >/dev/full; "
                                "echo $?")});
  EXPECT_EQ(result.out, "75\n");
  EXPECT_THAT(result.err, HasSubstr("standard output: No space left on device\n"
                                    "mulligan: attempt 1: "));
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
