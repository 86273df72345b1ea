#include <string>

#include "client/cli/base/json_text.h"
#include "client/cli/input/pasted.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

using ::testing::Eq;
using ::testing::Optional;

struct Logged {
  const char* name;
  const char* log;
  const char* text;
};

class LoggedTest : public ::testing::TestWithParam<Logged> {};

TEST_P(LoggedTest, BecomesLinesOfText) {
  EXPECT_THAT(TextOfJsonLog(GetParam().log),
              Optional(Eq(std::string(GetParam().text))));
}

INSTANTIATE_TEST_SUITE_P(
    All, LoggedTest,
    ::testing::Values(
        Logged{"Zap",
               R"({"level":"info","ts":1.7,"msg":"up"}
{"level":"error","ts":1.8,"msg":"no database","error":"refused"})",
               "INFO up\nERROR no database: refused\n"},
        Logged{"Pino",
               R"({"level":50,"time":1,"msg":"boom","err":{"message":"m",)"
               R"("stack":"Error: m\n  at x"}})",
               "ERROR boom\nError: m\n  at x\n"},
        Logged{"Logback",
               R"({"@timestamp":"t","level":"WARN","message":"full",)"
               R"("stack_trace":"java.io.IOException: full\n\tat x\n"})",
               "WARN full\njava.io.IOException: full\n\tat x\n"},
        Logged{"PythonJsonLogger",
               R"({"asctime":"t","levelname":"ERROR","message":"x",)"
               R"("exc_info":"Traceback:\nKeyError: 'x'"})",
               "ERROR x\nTraceback:\nKeyError: 'x'\n"},
        Logged{"Docker",
               R"({"log":"KeyError: 'x'\n","stream":"stderr","time":"t"})",
               "KeyError: 'x'\n"},
        // What a program prints past its logger, and blank lines.
        Logged{"LinesBetween",
               "\n{\"level\":\"info\",\"msg\":\"up\"}\n\npanic: x\n{\"a\":1}\n",
               "INFO up\n\npanic: x\n{\"a\":1}\n"},
        // The error is in the message already.
        Logged{"Once", R"({"level":"error","msg":"a: b","err":"b"})",
               "ERROR a: b\n"}),
    [](const auto& test) { return test.param.name; });

TEST(TextOfJsonLog, IsNothingOfOtherJson) {
  for (const char* text :
       {"", "{}", "[1]", "{\"msg\":\"x\"}", "{\"level\":\"info\"}",
        "{\"msg\":{},\"level\":\"info\"}",
        "{\"apiVersion\":\"v1\",\"message\":\"x\",\"time\":\"t\"}",
        "{\n\"level\":\"info\",\n\"msg\":\"x\"}",
        "{\"level\":\"info\",\"msg\":\"x\"} {", "plain\n"}) {
    EXPECT_EQ(TextOfJsonLog(text), std::nullopt) << text;
  }
}

TEST(ReportOfLog, HoldsAsMuchOfTheEndAsAReportTakes) {
  std::string log;
  while (log.size() < 2 * kMaxTextBytes) log += "line \x01 of a log\n";
  log += "the \"last\"\n";
  const std::string report = ReportOfLog(log);
  EXPECT_TRUE(CheckJsonValue(report).ok());
  const std::string message =
      JsonStringValue(JsonMemberOf(JsonMemberOf(report, "exit"), "message"));
  EXPECT_LE(message.size(), kMaxTextBytes);
  EXPECT_GT(message.size(), kMaxTextBytes - 32);
  EXPECT_TRUE(message.starts_with("line "));
  EXPECT_TRUE(message.ends_with("the \"last\"\n"));
}

}  // namespace
}  // namespace mulligan::cli
