#include "server/log.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  std::unique_ptr<Log> MakeLog(LogLevel level, LogFormat format) {
    return std::make_unique<Log>(
        level, format, std::make_shared<spdlog::sinks::ostream_sink_st>(out_));
  }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

TEST_F(LogTest, JsonLineHasTheFieldSet) {
  MakeLog(LogLevel::kInfo, LogFormat::kJson)
      ->Write(LogLevel::kWarning, "hello",
              {{"name", "x"},
               {"count", std::int64_t{3}},
               {"share", 0.25},
               {"on", true}});
  EXPECT_THAT(text(),
              MatchesRegex("\\{\"time\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}"
                           "\\.[0-9]{6}Z\",\"level\":\"warning\",\"message\":"
                           "\"hello\",\"name\":\"x\",\"count\":3,"
                           "\"share\":0.25,\"on\":true\\}\n"));
}

TEST_F(LogTest, HostileTextStaysOneValidLine) {
  const std::string hostile = "a\"}\n{\"level\":\"x\\\x01\xff";
  MakeLog(LogLevel::kInfo, LogFormat::kJson)
      ->Write(LogLevel::kInfo, hostile, {{"field", std::string_view(hostile)}});
  const std::string line = text();
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  google::protobuf::Struct parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &parsed).ok())
      << line;
  EXPECT_EQ(parsed.fields().at("message").string_value(),
            "a\"}\n{\"level\":\"x\\\x01\xEF\xBF\xBD");
}

TEST_F(LogTest, TextLineStaysOneLine) {
  MakeLog(LogLevel::kInfo, LogFormat::kText)
      ->Write(LogLevel::kError, "bro\nken", {{"why", "a b"}});
  EXPECT_THAT(text(), MatchesRegex(".*Z error   bro\\\\nken why=\"a b\"\n"));
}

TEST_F(LogTest, LeavesOutLowerLevels) {
  const auto log = MakeLog(LogLevel::kWarning, LogFormat::kJson);
  log->Write(LogLevel::kInfo, "quiet");
  log->Write(LogLevel::kError, "loud");
  EXPECT_THAT(text(), Not(HasSubstr("quiet")));
  EXPECT_THAT(text(), HasSubstr("loud"));
}

}  // namespace
}  // namespace mulligan
