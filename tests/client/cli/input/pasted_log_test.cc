#include <string>

#include "client/cli/base/json_text.h"
#include "client/cli/input/pasted.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

TEST(IsJsonLog, IsDetectedByTheFirstLine) {
  for (const char* log : {
           R"({"level":"error","ts":1.8,"msg":"no database"})",
           R"({"level":50,"time":1,"msg":"boom","err":{"message":"m"}})",
           R"({"@timestamp":"t","level":"WARN","message":"full"})",
           R"({"asctime":"t","levelname":"ERROR","message":"x"})",
           R"({"log":"KeyError: 'x'\n","stream":"stderr","time":"t"})",
           // Output that bypasses the logger, and blank lines.
           "\n{\"level\":\"info\",\"msg\":\"up\"}\n\npanic: x\n{\"a\":1}\n",
       }) {
    EXPECT_TRUE(IsJsonLog(log)) << log;
  }
  for (const char* text :
       {"", "{}", "[1]", "{\"msg\":\"x\"}", "{\"level\":\"info\"}",
        "{\"msg\":{},\"level\":\"info\"}",
        "{\"apiVersion\":\"v1\",\"message\":\"x\",\"time\":\"t\"}",
        "{\n\"level\":\"info\",\n\"msg\":\"x\"}",
        "{\"level\":\"info\",\"msg\":\"x\"} {", "plain\n"}) {
    EXPECT_FALSE(IsJsonLog(text)) << text;
  }
}

TEST(ReportOfLog, KeepsTheEndThatFits) {
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
  // Keeps the end of one long line.
  const std::string line = ReportOfLog(std::string(70'000, 'x') + " the end\n");
  EXPECT_THAT(
      JsonStringValue(JsonMemberOf(JsonMemberOf(line, "exit"), "message")),
      ::testing::EndsWith("x the end\n"));
}

}  // namespace
}  // namespace mulligan::cli
