#include "server/message_json.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

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

TEST(MessageJsonTest, NumbersThatJsonLacksAreText) {
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

TEST(MessageJsonTest, TextThatIsNotUtf8IsRepaired) {
  v1::DecideRequest request;
  request.mutable_report()->add_pods()->mutable_metadata()->set_name("a\xFF");
  EXPECT_THAT(Json(request), HasSubstr("\"name\":\"a\xEF\xBF\xBD\""));
}

TEST(MessageJsonTest, TimesThatJsonCannotSayAreRefused) {
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
}

}  // namespace
}  // namespace mulligan
