#include "policy/base/message_json.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

std::string Json(const google::protobuf::Message& message) {
  std::string json;
  EXPECT_TRUE(AppendMessageJson(message, json));
  return json;
}

TEST(MessageJsonTest, SituationsReadBackAreTheSame) {
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       testing::ReadFile(testing::SourcePath(
                           "tests/testdata/situations.jsonl")));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  std::size_t lines = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    v1::DecideRequest request;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                    text.substr(start, end - start), &request, options)
                    .ok());
    v1::DecideRequest again;
    const std::string json = Json(request);
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &again).ok())
        << json;
    EXPECT_TRUE(MessageDifferencer::Equals(again, request)) << json;
    EXPECT_EQ(json.find('\n'), std::string::npos);
    start = end + 1;
    ++lines;
  }
  EXPECT_GT(lines, 500);
}

TEST(MessageJsonTest, PrintsWhatProtobufPrints) {
  v1::DecideResponse response;
  response.mutable_decision()->set_action(v1::Decision::RETRY);
  response.mutable_decision()->mutable_retry_after()->set_nanos(1'500'000);
  auto& resource = *response.mutable_decision()->add_resources();
  resource.set_resource("memory");
  resource.set_factor(1.5);
  response.mutable_diagnosis()->set_exit_code(0);
  response.mutable_diagnosis()->mutable_finished_at()->set_seconds(1700000000);
  (*response.mutable_accounting()->mutable_refunds())["b"] = 2;
  (*response.mutable_accounting()->mutable_refunds())["a"] = -1;
  response.add_warnings("a \"quoted\" \\ line\nbreak, tab\t, \x01 and é");
  EXPECT_EQ(
      Json(response),
      R"json({"decision":{"action":"RETRY","retryAfter":"0.001500s",)json"
      R"json("resources":[{"resource":"memory","factor":1.5}]},"diagnosis":)json"
      R"json({"finishedAt":"2023-11-14T22:13:20Z","exitCode":0},"accounting":)json"
      R"json({"refunds":{"a":-1,"b":2}},"warnings":["a \"quoted\" \\ line\n)json"
      R"json(break, tab\t, \u0001 and é"]})json");
}

TEST(MessageJsonTest, WritesNumbersThatJsonLacksAsText) {
  v1::ResourceChange change;
  change.set_factor(std::numeric_limits<double>::infinity());
  EXPECT_THAT(Json(change), HasSubstr("\"Infinity\""));
  v1::ContainerUsage usage;
  usage.set_memory_peak_bytes(9007199254740993);
  EXPECT_EQ(Json(usage), R"({"memoryPeakBytes":"9007199254740993"})");
  google::protobuf::UninterpretedOption bytes;
  bytes.set_string_value(std::string("\0\xFF", 2));
  EXPECT_EQ(Json(bytes), R"({"stringValue":"AP8="})");
}

TEST(MessageJsonTest, EnumNumbersWithoutANameStayNumbers) {
  v1::Decision decision;
  decision.set_action(static_cast<v1::Decision::Action>(77));
  EXPECT_EQ(Json(decision), R"({"action":77})");
}

TEST(MessageJsonTest, RepairsInvalidUtf8) {
  v1::DecideRequest request;
  request.mutable_report()->add_pods()->mutable_metadata()->set_name("a\xFF");
  EXPECT_THAT(Json(request), HasSubstr("\"name\":\"a\xEF\xBF\xBD\""));
}

TEST(MessageJsonTest, RefusesTimesThatJsonCannotExpress) {
  std::string json;
  v1::FailureReport report;
  report.mutable_observed_at()->set_seconds(999'999'999'999);
  EXPECT_FALSE(AppendMessageJson(report, json));
  report.mutable_observed_at()->set_seconds(0);
  report.mutable_observed_at()->set_nanos(-1);
  EXPECT_FALSE(AppendMessageJson(report, json));
  v1::Decision decision;
  decision.mutable_retry_after()->set_seconds(999'999'999'999);
  EXPECT_FALSE(AppendMessageJson(decision, json));
  decision.mutable_retry_after()->set_seconds(1);
  for (const std::int32_t nanos : {-1, 1'000'000'000}) {
    decision.mutable_retry_after()->set_nanos(nanos);
    EXPECT_FALSE(AppendMessageJson(decision, json)) << nanos;
  }
}

// Blocks of a thousand code points, and the first ones separately.
TEST(MessageJsonTest, EveryCharacterReadsBack) {
  const auto check = [](const std::string& text) {
    v1::DecideResponse message;
    message.set_request_id(text);
    v1::DecideResponse read;
    ASSERT_TRUE(
        google::protobuf::util::JsonStringToMessage(Json(message), &read).ok());
    ASSERT_EQ(read.request_id(), text);
  };
  std::string block;
  for (std::uint32_t point = 1; point < 0x110000; ++point) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const std::size_t start = block.size();
    if (point < 0x80) {
      block += static_cast<char>(point);
    } else if (point < 0x800) {
      block += static_cast<char>(0xC0U | point >> 6U);
      block += static_cast<char>(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
      block += static_cast<char>(0xE0U | point >> 12U);
      block += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
      block += static_cast<char>(0x80U | (point & 0x3FU));
    } else {
      block += static_cast<char>(0xF0U | point >> 18U);
      block += static_cast<char>(0x80U | (point >> 12U & 0x3FU));
      block += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
      block += static_cast<char>(0x80U | (point & 0x3FU));
    }
    if (point < 0x300) check(block.substr(start));
    if (point % 0x400 != 0x3ff) continue;
    check(block);
    block.clear();
  }
}

TEST(MessageJsonTest, NumbersReadBack) {
  for (const double number :
       {-0.0, 0.1, 1.0 / 3, 1e20, 1e-7, 123456789012345678.0, 1.5, 5e-324,
        1.7976931348623157e308}) {
    v1::ResourceChange change;
    change.set_factor(number);
    v1::ResourceChange read;
    ASSERT_TRUE(
        google::protobuf::util::JsonStringToMessage(Json(change), &read).ok());
    EXPECT_EQ(read.factor(), number);
  }
}

struct JsonTextCase {
  const char* name;
  std::string in;
  std::string json;
};

class JsonTextTest : public ::testing::TestWithParam<JsonTextCase> {};

TEST_P(JsonTextTest, BecomesAJsonString) {
  std::string json;
  AppendJsonString(GetParam().in, json);
  EXPECT_EQ(json, GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonTextTest,
    ::testing::Values(
        JsonTextCase{"Empty", "", "\"\""},
        JsonTextCase{"Plain", "abc", "\"abc\""},
        JsonTextCase{"QuotesAndBackslash", "a\"b\\", R"("a\"b\\")"},
        JsonTextCase{"LineBreaks", "a\nb\r\tc", R"("a\nb\r\tc")"},
        JsonTextCase{"Nul", std::string("a\0b", 3), R"("a\u0000b")"},
        JsonTextCase{"Delete", "\x7f", R"("\u007f")"},
        JsonTextCase{"Characters", "é€😀", "\"é€😀\""},
        JsonTextCase{"InvalidUtf8", "a\x80z", "\"a\xEF\xBF\xBDz\""}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan
