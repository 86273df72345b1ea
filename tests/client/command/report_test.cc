// `mulligan report` as scripts use it.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class ReportCommandTest : public ::testing::Test {
 protected:
  const std::string log_ = WriteTestFile("log.jsonl", DecisionLog(9));
};

TEST_F(ReportCommandTest, PrintsTheCostOfFailures) {
  const CommandResult text = RunMulligan({"report", log_});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "") << "no progress without a terminal";
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("1 failure of 1 workload: no pod times"),
                    HasSubstr("CONTAINER_OOM"),
                    HasSubstr("Do first: raise the memory limit")));
  const CommandResult json = RunMulligan({"report", log_, "-o", "json"});
  EXPECT_EQ(Json::parse(json.out)["lines"], 9);
  EXPECT_EQ(Json::parse(json.out)["all"]["failures"], 1)
      << "the same failure nine times";
  const CommandResult csv = RunMulligan({"report", log_, "-o", "csv"});
  EXPECT_THAT(csv.out, HasSubstr("\ncause,CONTAINER_OOM,1,1,"));
  const CommandResult html = RunMulligan({"report", log_, "-o", "html"});
  EXPECT_THAT(html.out, HasSubstr("<h1>1 failure of 1 workload"));
}

TEST_F(ReportCommandTest, ReadsStandardInputOnAnyNumberOfThreads) {
  const std::string one =
      RunMulligan({"report", "-", "-o", "json", "--threads=1"}, DecisionLog(9))
          .out;
  EXPECT_EQ(
      RunMulligan({"report", "-", "-o", "json", "--threads=7"}, DecisionLog(9))
          .out,
      one);
}

TEST_F(ReportCommandTest, ComparesWithACandidate) {
  const std::string strict = WriteTestFile(
      "strict.yaml",
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: strict}\nspec:\n  default: {action: FAIL}\n");
  const CommandResult result =
      RunMulligan({"report", log_, "--compare", strict, "-o", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(Json::parse(result.out)["rules"].contains("candidate"));
}

TEST_F(ReportCommandTest, ReadsObjectsOfACluster) {
  const CommandResult result =
      RunMulligan({"report", "-f", "-", "-o", "json"}, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_TRUE(report["ofCluster"]);
  EXPECT_EQ(report["by"]["cause"]["CONTAINER_OOM"]["failures"], 1);
  EXPECT_EQ(report["all"]["podHours"], 0.5);
}

TEST_F(ReportCommandTest, PrintsRestartsInPlace) {
  const std::string pod = absl::StrReplaceAll(
      kOomPod, {{R"("name":"main","state")",
                 R"("name":"main","restartCount":4,"state")"}});
  EXPECT_EQ(Json::parse(RunMulligan({"report", "-f", "-", "-o", "json"}, pod)
                            .out)["restartsInPlace"],
            4);
  EXPECT_THAT(RunMulligan({"report", "-f", "-"}, pod).out,
              HasSubstr("Containers were restarted in place 4 times"));
}

TEST_F(ReportCommandTest, SkipsOlderFailures) {
  const CommandResult result =
      RunMulligan({"report", "-f", "-", "--since", "1h"}, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("No failures"));
}

TEST_F(ReportCommandTest, TimesMayBeDays) {
  const auto failures = [this](const std::string& flag) {
    return Json::parse(RunMulligan({"report", log_, flag, "-o", "json"})
                           .out)["all"]["failures"];
  };
  EXPECT_EQ(failures("--since=2020-01-01"), 1);
  EXPECT_EQ(failures("--until=2020-01-01T06:00:00Z"), 0);
}

TEST_F(ReportCommandTest, PartsAddUpToTheWhole) {
  const auto part = [](const std::string& name, const std::string& log) {
    const CommandResult entries =
        RunMulligan({"report", "-", "--placed", "-o", "entries"}, log);
    EXPECT_EQ(entries.code, 0) << entries.err;
    return WriteTestFile(name, entries.out);
  };
  std::string placed;
  int line = 0;
  for (const auto text : absl::StrSplit(DecisionLog(9), '\n')) {
    if (!text.empty())
      absl::StrAppend(&placed, log_, "\t", ++line, "\t", text, "\n");
  }
  const std::string a = part("a", placed);
  const std::string b = part("b", absl::StrCat("torn ", log_, "\t10\t{\n"));
  const std::string sums = WriteTestFile(
      "sums", RunMulligan({"report", "--merge", a, "-o", "sums"}).out);
  const CommandResult merged =
      RunMulligan({"report", "--merge", b, sums, "-o", "json"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  Json expected = Json::parse(RunMulligan({"report", log_, "-o", "json"}).out);
  expected["lines"] = 10;
  expected["badLines"] = 1;
  expected["bad"] = Json::parse(merged.out)["bad"];
  EXPECT_EQ(Json::parse(merged.out), expected);
}

TEST_F(ReportCommandTest, RejectsInputThatIsNotALog) {
  const CommandResult result = RunMulligan({"report", "-"}, "{}\n{\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("2 of 2 lines could not be read"));
}

// A table has no place for a sentence about it.
TEST_F(ReportCommandTest, CsvReportsUnreadableLinesOnStandardError) {
  const CommandResult result =
      RunMulligan({"report", "-", "-o", "csv"}, DecisionLog(1) + "torn\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("could not be read, the first: -:"));
  EXPECT_EQ(RunMulligan({"report", "-", "-o", "csv"}, DecisionLog(1)).err, "");
}

TEST_F(ReportCommandTest, RejectsMalformedParts) {
  const struct {
    const char* line;
    const char* says;
  } kWrong[] = {
      {"{}", "-:2: is not a line of mulligan report -o entries or sums"},
      {R"({"reportPart": 99})", "reportPart: 99 is not known; expected 4"},
      {"[1]", "expected an object with key or reportPart"},
      {R"({"key": 1)", "or sums: column 1: an object is never closed"},
      {R"({"key": 1} x)", "column 12: expected the end of the line"},
      {R"({"key": 1, "workload": "w"})", "or sums: failure: is missing"},
      {R"({"key": "a", "workload": "w"})",
       "or sums: key: type must be number, but is string"},
      {R"({"key": 1, "workload": "w", "failure": 1, "content": 1, "observed": 1, "decided": 1,
           "spent": [-1, 0, 0]})",
       "spent: -1 is not valid; expected an amount of at least 0"},
  };
  for (const auto& [line, says] : kWrong) {
    const CommandResult result = RunMulligan(
        {"report", "--merge", "-"},
        absl::StrCat("\n", absl::StrReplaceAll(line, {{"\n", " "}}), "\n"));
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_THAT(result.err, HasSubstr(says)) << line;
    EXPECT_THAT(result.err, Not(HasSubstr("json.exception"))) << line;
  }
}

struct ReportMistake {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

class ReportMistakeTest : public ::testing::TestWithParam<ReportMistake> {};

TEST_P(ReportMistakeTest, IsReported) {
  std::vector<std::string> arguments = {"report"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(),
                   GetParam().arguments.end());
  const CommandResult result = RunMulligan(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, ReportMistakeTest,
    ::testing::Values(
        ReportMistake{"NoLog", {}, "LOG is required, or -f"},
        ReportMistake{"Both", {"-", "-f", "-"}, "expected one of them"},
        ReportMistake{"NoFile", {"-f", "/missing"}, "/missing: No such"},
        ReportMistake{
            "Since", {"-", "--since", "week"}, "expected a time such as 7d"},
        ReportMistake{"Until",
                      {"-", "--until", "2026-13-01"},
                      "--until: \"2026-13-01\" is not valid"},
        ReportMistake{
            "Window",
            {"-", "--since", "2026-11-20", "--until", "2026-11-10"},
            "--until: \"2026-11-10\" is not after --since \"2026-11-20\""},
        ReportMistake{"NoTeam", {"-", "--team-label="}, "--team-label"},
        ReportMistake{"NoTime", {"-", "--since", ""}, "--since"},
        ReportMistake{"SumsOfLogs", {"-", "-o", "sums"}, "expected --merge"},
        ReportMistake{"EntriesOfParts",
                      {"-", "--merge", "-o", "entries"},
                      "expected decision logs"},
        ReportMistake{"MergeOfObjects", {"-f", "-", "--merge"}, "-f: "},
        ReportMistake{"MergeByTeam",
                      {"-", "--merge", "--team-label", "team"},
                      "--team-label excludes --merge"},
        ReportMistake{"MissingLog", {"/missing"}, "/missing: No such file"},
        ReportMistake{
            "TwiceTheSame", {"/dev/null", "/dev/null"}, "is named twice"},
        ReportMistake{"Format", {"-", "-o", "pdf"}, "pdf"},
        ReportMistake{"Threads", {"-", "--threads", "0"}, "--threads"},
        ReportMistake{"NoPolicy", {"-", "--compare", "/missing"}, "/missing"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan::testing
