// Both verdicts on the sample objects of every operator.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/files.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Explain(const std::string& sample,
                                 std::vector<std::string> flags) {
  std::vector<std::string> command = {
      "explain", "--observed-at=2026-11-03T14:00:00Z", "-f",
      SourcePath(absl::StrCat("tests/testdata/native/", sample, ".yaml"))
          .string()};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

struct Sample {
  const char* file;
  const char* operator_name;
  v1::Decision::Action native;
  const char* verdict;
  v1::Decision::Action ours;
};

class SampleTest : public ::testing::TestWithParam<Sample> {};

TEST_P(SampleTest, ExplainPrintsVerdictsAndDifference) {
  const Sample& sample = GetParam();
  const CommandResult text =
      RunMulligan(Explain(sample.file, {"--compare-native"}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(
      text.out,
      AllOf(HasSubstr("\nNext to the operator ("),
            HasSubstr(absl::StrCat("\n  Mulligan   ",
                                   v1::Decision::Action_Name(sample.ours))),
            HasSubstr(absl::StrCat("\n  ", sample.operator_name)),
            HasSubstr("\n  Difference ")));
  const CommandResult json =
      RunMulligan(Explain(sample.file, {"--compare-native", "-o", "json"}));
  const v1::DecideResponse response = ParseResponse(json.out);
  EXPECT_EQ(response.decision().action(), sample.ours);
  EXPECT_EQ(response.native().operator_(), sample.operator_name);
  EXPECT_EQ(response.native().action(), sample.native);
  EXPECT_EQ(response.native().verdict(), sample.verdict);
  EXPECT_THAT(response.native().difference(), Not(IsEmpty()));
}

TEST_P(SampleTest, PolicyNativeDecidesLikeTheOperator) {
  const Sample& sample = GetParam();
  const CommandResult text =
      RunMulligan(Explain(sample.file, {"--policy-name", "native"}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\nAs the operator says it ("));
  const v1::DecideResponse response = ParseResponse(
      RunMulligan(Explain(sample.file, {"--policy-name", "native", "-ojson"}))
          .out);
  EXPECT_EQ(response.decision().action(), sample.native);
  EXPECT_THAT(response.native().difference(), IsEmpty());
}

constexpr Sample kSamples[] = {
    {"job", "Job", v1::Decision::FAIL, "Failed", v1::Decision::RETRY},
    {"jobset", "JobSet", v1::Decision::FAIL, "FailJobSet", v1::Decision::RETRY},
    {"rayjob", "RayJob", v1::Decision::FAIL, "Failed", v1::Decision::RETRY},
    {"trainjob", "TrainJob", v1::Decision::FAIL, "Failed", v1::Decision::RETRY},
    {"workload", "Workload", v1::Decision::FAIL, "Evicted", v1::Decision::WAIT},
    {"flyte-pod", "Flyte", v1::Decision::FAIL, "Failing", v1::Decision::RETRY},
};

INSTANTIATE_TEST_SUITE_P(All, SampleTest, ::testing::ValuesIn(kSamples),
                         [](const auto& test) {
                           std::string name = test.param.file;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(NativeTest, PolicyNativeNeedsAnOperatorsObject) {
  const CommandResult result =
      RunMulligan({"explain", "--policy-name=native", "-"}, kOomPod);
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("mulligan: report: has no object of"));
}

TEST(NativeTest, PrintsThatDecisionsAreEqual) {
  const CommandResult result = RunMulligan(
      {"explain", "--compare-native", "-"},
      R"({"kind":"List","items":[{"apiVersion":"batch/v1","kind":"Job",
          "metadata":{"name":"j"},"status":{"conditions":[{"type":"Complete",
          "status":"True","reason":"CompletionsReached"}],"succeeded":1}}]})");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n  Difference none\n"));
}

}  // namespace
}  // namespace mulligan::testing
