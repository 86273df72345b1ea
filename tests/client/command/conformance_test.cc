// `mulligan conformance` as a program.
#include <nlohmann/json.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A question about the Job controller's delay, whose answer is 0.
std::string Case(const std::string& id, int expected_delay) {
  return R"({"id":")" + id +
         R"(","source":"kubernetes/kubernetes x_test.go: T","input":{)"
         R"("failuresAfterLastSuccess":0,"lastFailureTime":null,)"
         R"("currentTime":null,"defaultBackoffSeconds":10,)"
         R"("maxBackoffSeconds":600},"expect":{"delaySeconds":)" +
         std::to_string(expected_delay) + "}}\n";
}

TEST(ConformanceCommandTest, EndsWith0WhenAllCasesPass) {
  const std::string file =
      WriteTestFile("good.jsonl", Case("a", 0) + Case("b", 0));
  const CommandResult result = RunMulligan({"conformance", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, file + ": 2 passed, 0 failed, 0 out of scope\n");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(ConformanceCommandTest, EndsWith1AndTheDifferenceWhenACaseFails) {
  const CommandResult result =
      RunMulligan({"conformance", "-"}, Case("a", 0) + Case("b", 7));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out,
            "<stdin>: 1 passed, 1 failed, 0 out of scope\n"
            "  failed b\n"
            "    expect.delaySeconds: expected 7, got 0\n");
}

TEST(ConformanceCommandTest, CasesOfOtherOperatorsAreNoFailures) {
  const CommandResult result = RunMulligan(
      {"conformance", "-"},
      Case("a", 0) +
          R"({"id":"b","source":"some/repo x","input":{},"expect":{"a":1}})");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out,
              StartsWith("<stdin>: 1 passed, 0 failed, 0 out of scope, 1 "
                         "without semantics\n"));
}

TEST(ConformanceCommandTest, SumsSeveralFiles) {
  const std::string good = WriteTestFile("good.jsonl", Case("a", 0));
  const std::string bad = WriteTestFile("bad.jsonl", "no case\n");
  const CommandResult result = RunMulligan({"conformance", good, bad});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("  failed line 1\n    not a JSON object\n"),
                    HasSubstr("2 files: 1 passed, 1 failed, 0 out of scope")));
}

TEST(ConformanceCommandTest, PrintsJson) {
  const CommandResult result =
      RunMulligan({"conformance", "-o", "json", "-"}, Case("a\xff", 7));
  EXPECT_EQ(result.code, 1);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["total"]["failed"], 1);
  EXPECT_EQ(json["files"][0]["file"], "<stdin>");
}

TEST(ConformanceCommandTest, ForeignTextDoesNotReachTheTerminal) {
  const CommandResult result =
      RunMulligan({"conformance", "-"}, Case("a\\u001b[2J", 7));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(ConformanceCommandTest, RefusesFilesWithoutCases) {
  const struct {
    std::vector<std::string> arguments;
    std::string error;
  } kTests[] = {
      {{"conformance"}, "FILE is required"},
      {{"conformance", "/nonexistent"}, "/nonexistent: No such file"},
      {{"conformance", "/"}, "is a directory"},
      {{"conformance", "-"}, "<stdin>: holds no case"},
      {{"conformance", "-", "-"}, "named more than once"},
  };
  for (const auto& test : kTests) {
    const CommandResult result = RunMulligan(test.arguments, "\n \n");
    EXPECT_EQ(result.code, 2) << test.error;
    EXPECT_THAT(result.err,
                AllOf(StartsWith("mulligan: "), HasSubstr(test.error)));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

}  // namespace
}  // namespace mulligan::testing
