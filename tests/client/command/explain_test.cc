#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/files.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ExplainTest, PrintsTextWithoutEscapesToAPipe) {
  const CommandResult result = RunMulligan({"explain", "-"}, kOomPod);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("CONTAINER_OOM"), Not(HasSubstr("\033"))));
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

TEST(ExplainTest, LedgerMakesARepeatedFailureFree) {
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

TEST(ExplainTest, ReportsLostOutput) {
  // A ledger that cannot be stored is an error, because its charge would be
  // lost.
  const CommandResult result =
      RunMulligan({"explain", "--ledger-out=/no/folder/ledger", "-"}, kOomPod);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("/no/folder/ledger"));
}

TEST(ExplainTest, BeginsWithProblemAndFirstStep) {
  const CommandResult result = RunMulligan({"explain", "-"}, kOomPod);
  EXPECT_THAT(result.out, StartsWith("Pod "));
  EXPECT_THAT(result.out, HasSubstr("\n  Do first   set request and limit of "
                                    "memory for container main"));
  EXPECT_LE(std::ranges::count(result.out, '\n'), 14);
  EXPECT_THAT(result.out, EndsWith(": --details\n"));
}

TEST(ExplainTest, PrintsDetailsOnRequest) {
  for (const char* flag : {"--details", "--explain=full"}) {
    const CommandResult result = RunMulligan({"explain", flag, "-"}, kOomPod);
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("\n  Cause      CONTAINER_OOM"),
                      HasSubstr("Would an unchanged retry pass? No: "),
                      HasSubstr("\nEvidence\n"), HasSubstr("\nBudgets "),
                      Not(HasSubstr(": --details"))));
    EXPECT_LT(result.out.find("Do first"), result.out.find("Evidence"));
  }
}

// Removes line numbers of the embedded policy, which change with every edit.
std::string WithoutLineNumbers(std::string text) {
  const std::string embedded = "<embedded>:";
  for (std::size_t at = 0; (at = text.find(embedded, at)) != text.npos;) {
    at += embedded.size();
    text.erase(at, text.find_first_not_of("0123456789", at) - at);
  }
  return text;
}

TEST(ExplainTest, MatchesTheReadme) {
  const absl::StatusOr<std::string> readme = ReadFile(SourcePath("README.md"));
  ASSERT_TRUE(readme.ok());
  const std::size_t begin = readme->find("```\nPod tokenizer-19-zk8tn, ") + 4;
  const std::string block =
      readme->substr(begin, readme->find("```", begin) - begin);
  const CommandResult result = RunMulligan(
      {"explain", "--observed-at=2026-11-03T09:07:34Z", "-f",
       SourcePath("tests/testdata/quickstart/out-of-memory.json").string()});
  EXPECT_THAT(WithoutLineNumbers(result.out),
              StartsWith(WithoutLineNumbers(block)));
}

TEST(ExplainTest, PrintsYaml) {
  const CommandResult result = RunMulligan(
      {"explain", "-o", "yaml", "--observed-at=2026-01-31T08:00:00Z", "-"},
      kOomPod);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("decision:\n  action: RETRY\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  cause: CONTAINER_OOM\n"));
}

TEST(ExplainTest, WarnsIfNoPolicyOfTheFilesMatches) {
  const std::string policy = WriteTestFile(
      "etl.yaml",
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\nmetadata: {name: etl}\n"
      "spec:\n  selector: {namespaces: [etl]}\n"
      "  default: {action: FAIL}\n");
  const CommandResult result =
      RunMulligan({"explain", "--policy", policy, "-o", "json", "-"}, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(
      ParseResponse(result.out).warnings(),
      ::testing::Contains(
          "--policy: no selector fits the workload, so the embedded "
          "policy \"default\" decided, not etl; --policy-name NAME asks "
          "one of them"));
  const CommandResult named = RunMulligan(
      {"explain", "--policy", policy, "--policy-name=etl", "-o", "json", "-"},
      kOomPod);
  EXPECT_THAT(ParseResponse(named.out).warnings(), IsEmpty());
}

TEST(ExplainTest, AcceptsWorkloadNamesLikeKubectl) {
  const auto explain = [](const std::string& which) {
    return RunMulligan({"explain", "--workload", which, "-f",
                        "tests/testdata/quickstart/out-of-memory.json"});
  };
  for (const char* which :
       {"job/tokenizer-19", "Jobs.batch/tokenizer-19", "tokenizer-19"}) {
    EXPECT_EQ(explain(which).code, 0) << which;
  }
  for (const char* which : {"job/train", "jobset/tokenizer-19", "train"}) {
    const CommandResult result = explain(which);
    EXPECT_EQ(result.code, 2) << which;
    EXPECT_THAT(
        result.err,
        HasSubstr("names 0 of the 1 workloads in the input, expected "
                  "one as KIND/NAME or KIND/NAMESPACE/NAME; there are: Job "
                  "ml-research/tokenizer-19"))
        << which;
  }
}

// The kubectl plugin selects one by its own arguments.
TEST(ExplainTest, UsesTheCallersCommandForOneWorkload) {
  const auto explain = [] {
    return RunMulligan({"explain", "-"},
                       R"({"kind":"List","apiVersion":"v1","items":[
                          {"kind":"Job","metadata":{"name":"a","uid":"a"}},
                          {"kind":"Job","metadata":{"name":"b","uid":"b"}}]})")
        .out;
  };
  EXPECT_THAT(explain(), HasSubstr("in full: --workload KIND/NAME\n"));
  ASSERT_EQ(setenv("MULLIGAN_NAME_ONE", "plugin why KIND/NAME", 1), 0);
  const std::string named = explain();
  unsetenv("MULLIGAN_NAME_ONE");
  EXPECT_THAT(named, HasSubstr("in full: plugin why KIND/NAME\n"));
}

TEST(ExplainTest, ReportsLogsWithoutKnownMessages) {
  const CommandResult result = RunMulligan(
      {"explain", "-"}, "INFO start\nERROR the widget was not frobnicated\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("Whether it failed is unknown: there is no exit "
                         "code, and no known failure"));
}

// One of two workloads is broken.
TEST(ExplainTest, ExplainsOneOfTheSelectedWorkloads) {
  const auto explain = [](std::vector<std::string> filter) {
    std::vector<std::string> args = {
        "explain", "--observed-at=2026-11-03T09:07:34Z", "-f",
        "tests/testdata/quickstart/out-of-memory.json", "-"};
    args.insert(args.end(), filter.begin(), filter.end());
    return RunMulligan(args,
                       R"({"kind":"Job","metadata":{"name":"fine",
                          "namespace":"ml","uid":"f"},
                          "status":{"active":1}})")
        .out;
  };
  const std::string story = "  Do first";
  EXPECT_THAT(explain({}), HasSubstr(story));
  EXPECT_THAT(explain({"--broken"}), HasSubstr(story));
  EXPECT_THAT(explain({"--cause=CONTAINER_OOM"}), HasSubstr(story));
  EXPECT_THAT(explain({"--cause=HANG", "--cause=CONTAINER_OOM"}),
              HasSubstr(story));
  EXPECT_THAT(explain({"--cause=HANG"}),
              EndsWith("\n\nNone of them is as asked for.\n"));
}

TEST(ExplainTest, UsesTheLedgerOfTheAnnotation) {
  const std::string observed = "--observed-at=2026-01-31T08:00:00Z";
  const std::string ledger = WriteTestFile("ledger.json", "");
  RunMulligan({"explain", observed, "--ledger-out", ledger, "-"}, kOomPod);
  std::string value = ReadTestFile(ledger);
  ASSERT_THAT(value, Not(IsEmpty()));
  for (std::size_t at = 0; (at = value.find('"', at)) != value.npos; at += 2) {
    value.insert(at, "\\");
  }
  while (value.back() == '\n') value.pop_back();
  std::string pod = kOomPod;
  const std::string name = "\"metadata\":{";
  ASSERT_NE(pod.find(name), pod.npos);
  pod.insert(pod.find(name) + name.size(),
             "\"annotations\":{\"mulligan.dev/ledger\":\"" + value + "\"},");
  const CommandResult again =
      RunMulligan({"explain", observed, "--details", "-"}, pod);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("as decided before"),
                               HasSubstr("the one before was read from Pod ")));
}

// One Job of 6,000 members: one in the middle fails first, the others because
// of it.
std::string LargeGang() {
  std::string list = R"({"kind":"List","items":[{"kind":"Job",
      "metadata":{"name":"train","uid":"j"}})";
  for (int i = 0; i < 6000; ++i) {
    const bool is_root = i == 3000;
    absl::StrAppendFormat(
        &list,
        R"(,{"kind":"Pod","metadata":{"name":"train-%d","uid":"p%d",
        "creationTimestamp":"2026-01-31T07:00:00Z",
        "ownerReferences":[{"kind":"Job","name":"train","uid":"j",
        "controller":true}]},"status":{"phase":"Failed",
        "containerStatuses":[{"name":"main","state":{"terminated":{
        "exitCode":1,"reason":"Error","message":"%s","startedAt":
        "2026-01-31T07:00:00Z","finishedAt":"2026-01-31T07:30:%02dZ"}}}]}})",
        i, i,
        is_root ? "ValueError: invalid literal for int() with base 10"
                : absl::StrCat("[rank", i, "] Connection closed by peer"),
        is_root ? 10 : 15 + i % 30);
  }
  return list + "]}";
}

TEST(ExplainTest, LargeGangIsOneFailure) {
  const CommandResult result = RunMulligan(
      {"explain", "-o", "json", "--observed-at=2026-01-31T08:00:00Z", "-"},
      LargeGang());
  ASSERT_EQ(result.code, 0) << result.err;
  const v1::DecideResponse response = ParseResponse(result.out);
  EXPECT_EQ(response.diagnosis().culprit().pod(), "train-3000");
  EXPECT_EQ(response.ledger().attempts_seen(), 1);
  EXPECT_EQ(response.ledger().history_size(), 1);
  EXPECT_THAT(response.warnings(),
              ::testing::Contains(HasSubstr("4000 failed pods were not looked "
                                            "at")));
}

TEST(RequestsTest, AnswersEveryLine) {
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
