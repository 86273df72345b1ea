#include "server/observe/log.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <spdlog/sinks/ostream_sink.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/observe/error_stream.h"

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

TEST_F(LogTest, DropsLowerLevels) {
  const auto log = MakeLog(LogLevel::kWarning, LogFormat::kJson);
  log->Write(LogLevel::kInfo, "quiet");
  log->Write(LogLevel::kError, "loud");
  EXPECT_THAT(text(), Not(HasSubstr("quiet")));
  EXPECT_THAT(text(), HasSubstr("loud"));
}

// A pipe holds 64 KiB; lines of 5,000 bytes are written in two parts.
TEST(ErrorStreamTest, UnreadLogDoesNotBlock) {
  for (const std::size_t size : {1000U, 5000U}) {
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const auto read_all = [&ends] {
      std::string text(1 << 20, '\0');
      const ssize_t read_bytes = read(ends[0], text.data(), text.size());
      text.resize(read_bytes > 0 ? static_cast<std::size_t>(read_bytes) : 0);
      return text;
    };
    {
      const Log log(LogLevel::kInfo, LogFormat::kText,
                    MakeErrorStream(ends[1], [](int lines) {
                      return std::to_string(lines) + " dropped";
                    }));
      constexpr int kLines = 200;
      for (int i = 0; i < kLines; ++i) {
        log.Write(LogLevel::kInfo, std::string(size, 'x'));
      }
      std::string text = read_all();
      EXPECT_GT(text.size(), 40'000);
      log.Write(LogLevel::kInfo, "the last");
      text += read_all();
      const std::vector<std::string> lines =
          absl::StrSplit(text, '\n', absl::SkipEmpty());
      ASSERT_GT(lines.size(), 2);
      EXPECT_THAT(lines.back(), HasSubstr("the last"));
      int dropped = 0;
      EXPECT_TRUE(absl::SimpleAtoi(
          absl::StripSuffix(lines[lines.size() - 2], " dropped"), &dropped));
      const auto whole = std::count_if(
          lines.begin(), lines.end(),
          [size](const std::string& line) { return line.size() > size; });
      EXPECT_EQ(whole + dropped, kLines);
    }
    close(ends[0]);
    close(ends[1]);
  }
}

}  // namespace
}  // namespace mulligan
