// The program as it is started: exit codes, signals, port file.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/create_channel.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"
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
                         ::testing::Values(SIGTERM, SIGINT));

TEST(BinaryTest, HangupLoadsThePoliciesAgain) {
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

// The loader tells what it does: the first library begins once the program has
// seen to its signals.
TEST(BinaryTest, HangupEndsNoProgramThatIsStarting) {
  setenv("LD_DEBUG", "libs", 1);
  Program program(Serving());
  unsetenv("LD_DEBUG");
  ASSERT_TRUE(program.WaitFor("calling init")) << program.output();
  program.Signal(SIGHUP);
  ASSERT_TRUE(program.WaitFor("reload signal")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitOk);
}

TEST(BinaryTest, SecondSignalStopsAtOnce) {
  Program program(Serving({"--drain-delay=10m"}));
  ASSERT_TRUE(program.WaitFor("\"serving\"")) << program.output();
  program.Signal(SIGTERM);
  ASSERT_TRUE(program.WaitFor("still serving")) << program.output();
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), kExitCallsCutOff);
}

TEST(BinaryTest, WritesThePortFileOnceItServes) {
  const std::filesystem::path file =
      testing::WriteTestFile("ports.json", "stale");
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

TEST(BinaryTest, WhatIsNoFileIsNoPortFile) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "no_port_file";
  std::filesystem::create_directory(folder);
  Program program(Serving({"--port-file=" + folder.string()}));
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(),
              AllOf(HasSubstr("--port-file: "), HasSubstr("not a regular")));
  EXPECT_TRUE(std::filesystem::remove(folder));
}

TEST(BinaryTest, EveryLineIsJsonWhateverCallersSend) {
  Program program(Serving({"--log-level=debug"}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  // request_id = "\xff", about which protobuf itself complains.
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

TEST(BinaryTest, WrongUsageIsCodeTwo) {
  Program program({"--drain-delay=soon"});
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(), HasSubstr("--drain-delay: \"soon\""));
}

TEST(BinaryTest, PlaintextForOthersIsWrongUsage) {
  Program program({"--listen-address=0.0.0.0:0"});
  EXPECT_EQ(program.Wait(), kExitUsage);
  EXPECT_THAT(program.output(), HasSubstr("--allow-plaintext"));
}

TEST(BinaryTest, PortInUseIsCodeOne) {
  Program first(Serving());
  const int port = first.grpc_port();
  ASSERT_NE(port, 0) << first.output();
  Program second({"--listen-address=127.0.0.1:" + std::to_string(port),
                  "--admin-address=off"});
  EXPECT_EQ(second.Wait(), kExitCannotStart);
  EXPECT_THAT(second.output(), HasSubstr("--listen-address: cannot listen"));
}

TEST(BinaryTest, BrokenPoliciesAreCodeThreeWithEveryIssue) {
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
