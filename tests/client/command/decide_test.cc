#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DecideCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ServerProcess::IsBuilt()) GTEST_SKIP() << "no mulligan-server built";
    server_ = std::make_unique<ServerProcess>();
    ASSERT_NE(server_->address(), "");
  }

  std::string Server() const { return "--server=" + server_->address(); }

  std::unique_ptr<ServerProcess> server_;
};

TEST_F(DecideCommandTest, AnswersLikeExplain) {
  std::vector<std::string> flags = {"-o", "json",
                                    "--observed-at=2026-01-31T08:00:00Z", "-"};
  std::vector<std::string> decide = {"decide", Server()};
  decide.insert(decide.end(), flags.begin(), flags.end());
  flags.insert(flags.begin(), "explain");
  const CommandResult result = RunMulligan(decide, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, RunMulligan(flags, kOomPod).out);
}

TEST_F(DecideCommandTest, PreviewHasTheSameAnswer) {
  const std::vector<std::string> flags = {
      "decide", Server(), "-o", "json", "--observed-at=2026-01-31T08:00:00Z",
      "-"};
  std::vector<std::string> preview = flags;
  preview.emplace_back("--preview");
  const CommandResult result = RunMulligan(preview, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, RunMulligan(flags, kOomPod).out);
  EXPECT_EQ(
      RunMulligan({"decide", Server(), "--preview", "--requests", "-"}).code,
      2);
}

TEST_F(DecideCommandTest, AnswersRequestsSinglyAndInBatches) {
  const std::string input =
      CompactRequest() + "\n{\"report\":{}}\n" + CompactRequest() + "\n";
  const CommandResult here = RunMulligan({"explain", "--requests", "-"}, input);
  for (const char* batch : {"--batch=1", "--batch=2", "--batch=100"}) {
    const CommandResult there =
        RunMulligan({"decide", Server(), batch, "--requests", "-"}, input);
    EXPECT_EQ(there.code, 0) << there.err;
    EXPECT_EQ(there.out, here.out) << batch;
  }
}

TEST_F(DecideCommandTest, RejectedRequestExitsWithTwo) {
  const CommandResult result =
      RunMulligan({"decide", Server(), "-"}, R"({"report":{}})");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("INVALID_ARGUMENT"),
                                HasSubstr("fallback: native policy")));
}

TEST_F(DecideCommandTest, HealthcheckOfAService) {
  const CommandResult serving = RunMulligan({"healthcheck", Server()});
  EXPECT_EQ(serving.code, 0) << serving.err;
  EXPECT_EQ(serving.out, "SERVING\n");
  EXPECT_EQ(RunMulligan({"healthcheck", Server(), "--service=nosuch"}).code, 4);
}

TEST(DecideWithoutServerTest, EveryLineReportsTheMissingServer) {
  const CommandResult result = RunMulligan(
      {"decide", "--server=127.0.0.1:1", "--requests", "-"}, "{}\n{}\n");
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.out,
              AllOf(StartsWith(R"({"error":{"code":"UNAVAILABLE",)"),
                    HasSubstr("nothing listens there"),
                    Not(HasSubstr("last error: UNKNOWN"))));
  EXPECT_THAT(result.err, HasSubstr("no answer to 2 of 2 requests"));
}

TEST(DecideWithoutServerTest, StopsEarlyWithoutServer) {
  std::string input;
  for (int i = 0; i < 1000; ++i) input += "{}\n";
  const CommandResult result =
      RunMulligan({"decide", "--server=127.0.0.1:1", "--requests", "-"}, input);
  EXPECT_EQ(result.code, 4);
  EXPECT_THAT(result.err,
              HasSubstr("no answer to 3 of 3 requests, to the last 3 calls in "
                        "a row: stopped after line 3"));
}

}  // namespace
}  // namespace mulligan::testing
