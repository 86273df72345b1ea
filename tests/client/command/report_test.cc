// `mulligan report` as scripts use it.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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
using Json = nlohmann::json;

class ReportCommandTest : public ::testing::Test {
 protected:
  const std::string log_ = WriteTestFile("log.jsonl", DecisionLog(9));
};

TEST_F(ReportCommandTest, SaysWhatFailuresCost) {
  const CommandResult text = RunMulligan({"report", log_});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "") << "no progress without a terminal";
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("1 failure of 1 workload: no pod's times"),
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

TEST_F(ReportCommandTest, LeavesOutWhatIsOlder) {
  const CommandResult result =
      RunMulligan({"report", "-f", "-", "--since", "1h"}, kOomPod);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("No failures"));
}

struct ReportMistake {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  const char* says;
};

class ReportMistakeTest : public ::testing::TestWithParam<ReportMistake> {};

TEST_P(ReportMistakeTest, IsNamed) {
  std::vector<std::string> arguments = {"report"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(),
                   GetParam().arguments.end());
  const CommandResult result = RunMulligan(arguments);
  EXPECT_EQ(result.code, GetParam().code);
  EXPECT_THAT(result.err, HasSubstr(GetParam().says));
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    All, ReportMistakeTest,
    ::testing::Values(
        ReportMistake{"NoLog", {}, 2, "LOG is required, or -f"},
        ReportMistake{"Both", {"-", "-f", "-"}, 2, "expected one of them"},
        ReportMistake{"NoFile", {"-f", "/missing"}, 2, "/missing: No such"},
        ReportMistake{
            "Since", {"-", "--since", "week"}, 2, "expected a time such as 7d"},
        ReportMistake{"MissingLog", {"/missing"}, 2, "/missing: No such file"},
        ReportMistake{
            "TwiceTheSame", {"/dev/null", "/dev/null"}, 2, "is named twice"},
        ReportMistake{"Format", {"-", "-o", "pdf"}, 2, "pdf"},
        ReportMistake{"Threads", {"-", "--threads", "0"}, 2, "--threads"},
        ReportMistake{
            "NoPolicy", {"-", "--compare", "/missing"}, 2, "/missing"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan::testing
