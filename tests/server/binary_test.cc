// The program as a process: exit codes, signals, port file.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/create_channel.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"
#include "policy/loader/read_files.h"
#include "server/run.h"
#include "tests/server/program.h"
#include "tests/server/test_server.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Program;
using testing::Serving;

class StopSignalTest : public ::testing::TestWithParam<int> {};

TEST_P(StopSignalTest, DrainsAndExitsWithZero) {
  Program program(Serving());
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  program.Signal(GetParam());
  EXPECT_EQ(program.Wait(), kExitOk);
  EXPECT_THAT(program.output(), HasSubstr("\"message\":\"stopped\""));
}

INSTANTIATE_TEST_SUITE_P(All, StopSignalTest,
                         ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& row) {
                           return std::string(row.param == SIGTERM ? "SIGTERM"
                                                                   : "SIGINT");
                         });

TEST(BinaryTest, SighupReloadsPolicies) {
  Program program(Serving());
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitFor("reload signal")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk);
  constexpr std::string_view kLoaded = "\"policies loaded\"";
  const std::size_t first = program.output().find(kLoaded);
  EXPECT_NE(program.output().find(kLoaded, first + 1), std::string::npos)
      << program.output();
}

// The loader logs the first library's start, by when signals are blocked.
TEST(BinaryTest, SighupDuringStartIsHarmless) {
  setenv("LD_DEBUG", "libs", 1);
  Program program(Serving());
  unsetenv("LD_DEBUG");
  ASSERT_TRUE(program.WaitFor("calling init")) << program.output();
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitFor("reload signal")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk);
}

TEST(BinaryTest, SecondSignalStopsImmediately) {
  Program program(Serving({"--drain-delay=10m"}));
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  program.Signal(SIGTERM);
  ASSERT_TRUE(program.WaitFor("still serving")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitCallsCutOff);
}

TEST(BinaryTest, WritesPortFileOnceServing) {
  const std::filesystem::path file =
      testing::WriteTestFile("ports.json", "{\"pid\":1}");
  Program program({"--listen-address=127.0.0.1:0",
                   "--admin-address=127.0.0.1:0", "--drain-delay=0",
                   "--port-file=" + file.string()});
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk);
  ASSERT_OK_AND_ASSIGN(const std::string text, testing::ReadFile(file));
  google::protobuf::Struct ports;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(text, &ports).ok());
  EXPECT_GT(ports.fields().at("grpcPort").number_value(), 0);
  EXPECT_GT(ports.fields().at("adminPort").number_value(), 0);
  EXPECT_GT(ports.fields().at("pid").number_value(), 0);
}

TEST(BinaryTest, RejectsFolderAsPortFile) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "no_port_file";
  std::filesystem::create_directory(folder);
  Program program(Serving({"--port-file=" + folder.string()}));
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(),
              AllOf(HasSubstr("--port-file: "), HasSubstr("not a regular")));
  EXPECT_TRUE(std::filesystem::remove(folder));
}

TEST(BinaryTest, RejectsOtherFileAsPortFile) {
  const std::filesystem::path file =
      testing::WriteTestFile("policy.yaml", "kind: RetryPolicy\n");
  Program program(Serving({"--port-file=" + file.string()}));
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(), HasSubstr("is not a port file"));
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(BinaryTest, UnwritablePortFileLeavesNothing) {
  const testing::TempDir folder;
  testing::TestServer server;
  const std::filesystem::path file = folder.path() / "ports.json";
  std::filesystem::create_directory(file);
  EXPECT_FALSE(WritePortFile(file, *server).ok());
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".partial"));
}

TEST(BinaryTest, EveryLogLineIsJson) {
  Program program(Serving({"--log-level=debug"}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  // request_id = "\xff", about which protobuf logs an error.
  testing::CallWithBytes(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                          grpc::InsecureChannelCredentials()),
      testing::kDecide, "\x3a\x01\xff");
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk);
  EXPECT_THAT(program.output(), HasSubstr("\"component\":\"protobuf\""));
  std::istringstream lines(program.output());
  std::string line;
  while (std::getline(lines, line)) {
    google::protobuf::Struct parsed;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &parsed).ok())
        << line;
    EXPECT_TRUE(parsed.fields().contains("time"));
    EXPECT_TRUE(parsed.fields().contains("level"));
    EXPECT_TRUE(parsed.fields().contains("message"));
  }
}

TEST(BinaryTest, WrongUsageExitsWithTwo) {
  Program program({"--drain-delay=soon"});
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(), HasSubstr("--drain-delay: \"soon\""));
}

TEST(BinaryTest, PlaintextForOtherHostsIsWrongUsage) {
  Program program({"--listen-address=0.0.0.0:0"});
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(), HasSubstr("--allow-plaintext"));
}

TEST(BinaryTest, PortInUseExitsWithOne) {
  Program first(Serving());
  const int port = first.grpc_port();
  ASSERT_NE(port, 0) << first.output();
  Program second({"--listen-address=127.0.0.1:" + std::to_string(port),
                  "--admin-address=off"});
  EXPECT_EQ(second.Wait(), kExitCannotStart);
  EXPECT_THAT(second.output(), HasSubstr("--listen-address: cannot listen"));
}

TEST(BinaryTest, UnusableTlsFilesExitWithOneAndAreEscaped) {
  Program program(Serving({"--tls-cert=/\x1b[2J", "--tls-key=/dev/null"}));
  EXPECT_EQ(program.Wait(), kExitCannotStart);
  EXPECT_THAT(program.output(), HasSubstr("--tls-cert: \"/\\u001b[2J\""));
}

TEST(BinaryTest, RejectsFolderAsDecisionLog) {
  Program program(Serving({"--decision-log=/"}));
  EXPECT_EQ(program.Wait(), kExitCannotStart);
  EXPECT_THAT(program.output(), HasSubstr("--decision-log: \"/\" is a folder"));
}

// While it exists, new programs can have `threads` threads of 1 GiB each.
class FewThreads {
 public:
  static constexpr rlim_t kStack = rlim_t{1} << 30;

  explicit FewThreads(rlim_t threads) {
    getrlimit(RLIMIT_STACK, &stack_);
    getrlimit(RLIMIT_DATA, &data_);
    const rlimit stack = {kStack, stack_.rlim_max};
    const rlimit data = {threads * kStack + kStack / 2, data_.rlim_max};
    setrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_DATA, &data);
  }
  ~FewThreads() {
    setrlimit(RLIMIT_STACK, &stack_);
    setrlimit(RLIMIT_DATA, &data_);
  }

 private:
  rlimit stack_ = {};
  rlimit data_ = {};
};

// Returns the bytes that count against RLIMIT_DATA.
rlim_t DataBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word && word != "VmData:") {
  }
  rlim_t kilobytes = 0;
  status >> kilobytes;
  return kilobytes << 10;
}

TEST(BinaryTest, DoesNotStartWithoutEnoughThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory without bounds";
#endif
  for (const rlim_t threads : {0U, 1U, 2U, 4U, 8U, 16U}) {
    std::optional<FewThreads> few(threads);
    Program program(Serving());
    few.reset();
    EXPECT_EQ(program.Wait(), kExitCannotStart) << threads;
    EXPECT_THAT(program.output(), HasSubstr("cannot start a thread: "));
  }
}

TEST(BinaryTest, StopsWithoutAnotherThread) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need memory without bounds";
#endif
  std::optional<FewThreads> many(1000);
  Program program(Serving());
  many.reset();
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  const rlimit none = {DataBytes(program.pid()) + FewThreads::kStack / 2,
                       RLIM_INFINITY};
  ASSERT_EQ(prlimit(program.pid(), RLIMIT_DATA, &none, nullptr), 0);
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk) << program.output();
}

TEST(BinaryTest, BrokenPoliciesExitWithThreeAndEveryIssue) {
  const std::filesystem::path folder = testing::TestFolder();
  testing::WriteTestFile(
      "bad.yaml",
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\nmetadata: {nam: x}\n"
      "specc: {}\n");
  Issues issues;
  ASSERT_EQ(LoadPolicies(ReadPolicyDirectory(folder, issues), issues), nullptr);
  ASSERT_GT(issues.size(), 1U);
  Program program(Serving({"--policy-dir=" + folder.string()}));
  EXPECT_EQ(program.Wait(), kExitPolicyInvalid);
  for (const Issue& issue : issues) {
    EXPECT_THAT(program.output(), HasSubstr(FormatIssue(issue)));
  }
}

TEST(BinaryTest, HelpAndVersionExitWithZero) {
  Program help({"--help"});
  EXPECT_EQ(help.Wait(), kExitOk);
  EXPECT_THAT(help.output(),
              AllOf(HasSubstr("--listen-address"), HasSubstr("Exit codes")));
  Program version({"--version"});
  EXPECT_EQ(version.Wait(), kExitOk);
}

}  // namespace
}  // namespace mulligan
