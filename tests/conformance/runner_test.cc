#include "client/conformance/runner.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "client/conformance/case.h"
#include "client/conformance/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::conformance {
namespace {

using ::mulligan::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A case the Job controller answers with a delay of 0.
std::string NoFailure(const std::string& id, const std::string& expect) {
  return R"({"id":")" + id +
         R"(","source":"kubernetes/kubernetes x_test.go: T","input":{)"
         R"("failuresAfterLastSuccess":0,"lastFailureTime":null,)"
         R"("currentTime":null,"defaultBackoffSeconds":10,)"
         R"("maxBackoffSeconds":600},"expect":)" +
         expect + "}\n";
}

FileReport RunText(const std::string& text) {
  std::istringstream cases(text);
  return RunCases("f.jsonl", cases);
}

TEST(RunCasesTest, CountsWhatPassesAndSaysWhatFails) {
  const FileReport report =
      RunText(NoFailure("good", R"({"delaySeconds":0})") + "\n  \r\n" +
              NoFailure("bad", R"({"delaySeconds":1})"));
  EXPECT_EQ(report.passed, 1);
  EXPECT_THAT(
      report.failed,
      ElementsAre(
          AllOf(Field(&FailedCase::id, "bad"),
                Field(&FailedCase::why,
                      ElementsAre("expect.delaySeconds: expected 1, got 0")))));
}

TEST(RunCasesTest, ACaseThatAssertsNothingFails) {
  const FileReport report = RunText(NoFailure("empty", "{}"));
  EXPECT_EQ(report.passed, 0);
  EXPECT_THAT(report.failed, ElementsAre(Field(&FailedCase::id, "empty")));
}

TEST(RunCasesTest, ALineThatIsNoCaseFails) {
  const FileReport report = RunText("\nnot json\n");
  EXPECT_THAT(report.failed, ElementsAre(Field(&FailedCase::id, "line 2")));
}

TEST(RunCasesTest, CasesOfOtherOperatorsAreCountedApart) {
  const FileReport report = RunText(
      R"({"id":"x","source":"some/repo a_test.go","input":{},"expect":{"a":1}})");
  EXPECT_THAT(report.failed, IsEmpty());
  EXPECT_THAT(report.without_semantics,
              ElementsAre(AllOf(Field(&CaseWithoutSemantics::id, "x"),
                                Field(&CaseWithoutSemantics::source,
                                      "some/repo a_test.go"))));
  EXPECT_EQ(TotalsOf(report).cases(), 1);
}

TEST(RunCasesTest, AnInputThatIsNotUnderstoodFails) {
  const FileReport report = RunText(
      R"({"id":"x","source":"kubernetes/kubernetes a","input":{"odd":1},)"
      R"("expect":{"a":1}})");
  EXPECT_THAT(report.failed, ElementsAre(Field(&FailedCase::why,
                                               ElementsAre(HasSubstr("odd")))));
}

TEST(RunCasesTest, AMemberOfAnotherTypeFailsThatCaseAlone) {
  const FileReport report = RunText(
      R"({"id":"x","source":"kubernetes/kubernetes a","input":{"pod":[]},)"
      R"("expect":{"finishTime":null}})"
      "\n" +
      NoFailure("good", R"({"delaySeconds":0})"));
  EXPECT_EQ(report.passed, 1);
  EXPECT_THAT(report.failed, ElementsAre(Field(&FailedCase::id, "x")));
}

TEST(PrintReportTest, ShowsNumbersFailuresAndReasons) {
  FileReport report;
  report.file = "f.jsonl";
  report.passed = 3;
  report.failed = {{"x", {"why"}}};
  report.out_of_scope = {{"clean-up", {"y", "z"}}};
  std::ostringstream out;
  PrintReport(report, out);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("f.jsonl: 3 passed, 1 failed, 2 out of scope\n"),
                    HasSubstr("  failed x\n    why\n"),
                    HasSubstr("out of scope 2 clean-up: Deleting finished"),
                    HasSubstr("\n    y, z\n")));
}

TEST(PrintReportTest, NamesTheSourcesWithoutSemantics) {
  FileReport report;
  report.file = "f.jsonl";
  report.without_semantics = {{"x", "some/repo a_test.go"}};
  std::ostringstream out;
  PrintReport(report, out);
  EXPECT_EQ(out.str(),
            "f.jsonl: 0 passed, 0 failed, 0 out of scope, 1 without "
            "semantics\n"
            "  without semantics 1: the sources are none of the operators "
            "whose verdicts are known\n"
            "    x: some/repo a_test.go\n");
  const Json json = ReportsAsJson({report});
  EXPECT_EQ(json["total"]["withoutSemantics"], 1);
  EXPECT_EQ(json["files"][0]["withoutSemantics"][0]["id"], "x");
}

TEST(ReportsAsJsonTest, HoldsEveryFileAndTheSum) {
  FileReport good;
  good.file = "good.jsonl";
  good.passed = 3;
  FileReport bad;
  bad.file = "bad.jsonl";
  bad.failed = {{"x", {"why"}}};
  bad.out_of_scope = {{"clean-up", {"y", "z"}}};
  const Json json = ReportsAsJson({good, bad});
  EXPECT_EQ(json["total"],
            Json::parse(R"({"passed":3,"failed":1,"outOfScope":2})"));
  EXPECT_EQ(json["files"][0]["file"], "good.jsonl");
  EXPECT_EQ(json["files"][1]["failed"],
            Json::parse(R"([{"id":"x","why":["why"]}])"));
  EXPECT_EQ(json["files"][1]["outOfScope"][0]["ids"],
            Json::parse(R"(["y","z"])"));
}

TEST(ParseCaseTest, ReadsEveryMember) {
  ASSERT_OK_AND_ASSIGN(
      const Case test,
      ParseCase(R"({"id":"i","source":"s","kind":"k","line":"v1",)"
                R"("featureGates":{"G":true},"input":{"a":1},)"
                R"("expect":{"b":2},"note":"n"})"));
  EXPECT_EQ(test.id, "i");
  EXPECT_EQ(test.input.source, "s");
  EXPECT_EQ(test.input.kind, "k");
  EXPECT_EQ(test.input.line, "v1");
  EXPECT_EQ(test.input.feature_gates, Json::parse(R"({"G":true})"));
  EXPECT_EQ(test.input.input, Json::parse(R"({"a":1})"));
  EXPECT_EQ(test.expect, Json::parse(R"({"b":2})"));
}

TEST(ParseCaseTest, TheKindIsFoundInThreePlaces) {
  const auto kind = [](const std::string& line) {
    const auto test = ParseCase(line);
    return test.ok() ? test->input.kind : "error";
  };
  EXPECT_EQ(kind(R"({"id":"i","source":"s","fn":"f","input":{"kind":"x"},)"
                 R"("expect":{}})"),
            "f");
  EXPECT_EQ(kind(R"({"id":"i","source":"s","input":{"kind":"x"},"expect":{}})"),
            "x");
  EXPECT_EQ(kind(R"({"id":"i","source":"s","input":{},"expect":{}})"), "");
}

TEST(ParseCaseTest, NamesTheMemberThatIsMissing) {
  EXPECT_THAT(ParseCase("[]"), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("JSON object")));
  EXPECT_THAT(ParseCase(R"({"source":"s","input":{},"expect":{}})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("id")));
  EXPECT_THAT(ParseCase(R"({"id":"i","source":"s","expect":{}})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("input")));
  EXPECT_THAT(
      ParseCase(R"({"id":"i","source":"s","input":{},"expect":[]})"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expect")));
}

TEST(EvaluatorForTest, GoesByRepositoryOnly) {
  const auto find = [](const std::string& source) {
    CaseInput input;
    input.source = source;
    return EvaluatorFor(input);
  };
  EXPECT_EQ(find("kubernetes/kubernetes pkg/x"), &EvaluateKubernetes);
  EXPECT_EQ(find("kubernetes/kubernetes@7858371b4^ pkg/x"),
            &EvaluateKubernetes);
  EXPECT_EQ(find("kubernetes-sigs/jobset: pkg/x"), &EvaluateJobSet);
  EXPECT_EQ(find("kubernetes-sigs/jobset"), &EvaluateJobSet);
  EXPECT_EQ(find("kubernetes-sigs/jobsets x"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(OutOfScopeReasonsTest, EveryKeyIsThereOnceWithASentence) {
  std::set<std::string_view> keys;
  for (const OutOfScope& reason : OutOfScopeReasons()) {
    EXPECT_TRUE(keys.insert(reason.key).second) << reason.key;
    EXPECT_TRUE(reason.why.ends_with(".")) << reason.key;
  }
  EXPECT_THAT(keys, ::testing::Not(IsEmpty()));
}

TEST(OutOfScopeReasonsTest, TheDocumentHasTheSameTable) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      mulligan::testing::ReadFile(
          mulligan::testing::SourcePath("docs/conformance.md")));
  for (const OutOfScope& reason : OutOfScopeReasons()) {
    EXPECT_THAT(text, HasSubstr("| `" + std::string(reason.key) + "` | " +
                                std::string(reason.why) + " |"));
  }
}

}  // namespace
}  // namespace mulligan::conformance
