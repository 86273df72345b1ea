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
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ExplainTest, PeopleGetTextWithoutColoursInAPipe) {
  const CommandResult result = RunMulligan({"explain", "-"}, kOomPod);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("CONTAINER_OOM"),
                                HasSubstr("Evidence"), Not(HasSubstr("\033"))));
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(RunMulligan({"explain", "--color=always", "-"}, kOomPod).out,
              HasSubstr("\033"));
}

TEST(ExplainTest, StandardInputIsTheDefault) {
  EXPECT_THAT(RunMulligan({"explain"}, kOomPod).out,
              HasSubstr("CONTAINER_OOM"));
}

TEST(ExplainTest, JsonIsADecideResponse) {
  const CommandResult result =
      RunMulligan({"explain", "-o", "json", "-"}, kOomPod);
  EXPECT_EQ(result.code, 0);
  const v1::DecideResponse response = ParseResponse(result.out);
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(response.diagnosis().culprit().container(), "main");
}

TEST(ExplainTest, JoinsFilesOfAnyFormAndKind) {
  const std::string job = WriteTestFile(
      "job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n");
  const std::string pods = WriteTestFile(
      "pods.json", std::string(R"({"kind":"List","items":[)") + kOomPod + "]}");
  const CommandResult result = RunMulligan(
      {"explain", "-f", job, "-f", pods, "-", "-o", "json"},
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  EXPECT_EQ(result.code, 0);
  const v1::DecideResponse response = ParseResponse(result.out);
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_THAT(response.warnings(),
              ::testing::Contains(StartsWith("<stdin>: ConfigMap c: ignored")));
}

TEST(ExplainTest, TheLedgerMakesARepeatedFailureFree) {
  const std::string ledger = WriteTestFile("ledger.json", "");
  const std::vector<std::string> command = {
      "explain",  "-o",   "json",         "--observed-at=2026-01-31T08:00:00Z",
      "--ledger", ledger, "--ledger-out", ledger,
      "-"};
  const v1::DecideResponse first =
      ParseResponse(RunMulligan(command, kOomPod).out);
  EXPECT_EQ(first.accounting().units(), 1);
  const v1::DecideResponse second =
      ParseResponse(RunMulligan(command, kOomPod).out);
  EXPECT_TRUE(second.accounting().duplicate());
  EXPECT_EQ(second.accounting().units(), 0);
  EXPECT_EQ(second.decision().action(), first.decision().action());
}

TEST(ExplainTest, IsDeterministic) {
  const std::vector<std::string> command = {
      "explain",
      "-o",
      "json",
      "--explain=full",
      "--observed-at=2026-01-31T08:00:00Z",
      "-"};
  EXPECT_EQ(RunMulligan(command, kOomPod).out,
            RunMulligan(command, kOomPod).out);
}

TEST(ExplainTest, SaysWhenTheOutputIsLost) {
  // A ledger that cannot be stored is an error, too: the charge would be lost.
  const CommandResult result =
      RunMulligan({"explain", "--ledger-out=/no/folder/ledger", "-"}, kOomPod);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("/no/folder/ledger"));
}

TEST(RequestsTest, AnswersLineByLineAndNeverStops) {
  const CommandResult result = RunMulligan(
      {"explain", "--requests", "-"},
      CompactRequest() + "\n{broken\n\n{\"report\":{}}\n" + CompactRequest());
  EXPECT_EQ(result.code, 0);
  std::vector<std::string> lines;
  for (size_t at = 0; at < result.out.size();) {
    const size_t end = result.out.find('\n', at);
    lines.push_back(result.out.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(ParseResponse(lines[0]).request_id(), "r");
  EXPECT_THAT(lines[1], StartsWith(R"({"error":{"code":"INVALID_ARGUMENT",)"
                                   R"("message":"line 2, column 2: )"));
  EXPECT_THAT(lines[2], StartsWith(R"({"error":{"code":"INVALID_ARGUMENT",)"));
  EXPECT_EQ(lines[3], lines[0]);
}

TEST(RequestsTest, ReadsFiles) {
  const std::string file = WriteTestFile("r.jsonl", CompactRequest() + "\n");
  const CommandResult result = RunMulligan({"explain", "--requests", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(ParseResponse(result.out).request_id(), "r");
}

}  // namespace
}  // namespace mulligan::testing
