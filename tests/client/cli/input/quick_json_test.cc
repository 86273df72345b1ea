// The quick reader agrees with the careful one or declines.
#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/quick_reader.h"
#include "client/cli/input/requests.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/testing/files.h"

namespace mulligan::cli {
namespace {

std::string Bytes(const google::protobuf::Message& message) {
  // Text, because maps have no order on the wire.
  return message.DebugString();
}

// Returns whether the quick reader accepts it; then both must agree.
bool ReadsQuickly(const std::string& json) {
  static QuickReader reader;
  v1::DecideRequest quick;
  if (!reader.Read(json, quick)) {
    EXPECT_EQ(quick.ByteSizeLong(), 0U) << json;
    return false;
  }
  v1::DecideRequest careful;
  std::vector<std::string> warnings;
  const absl::Status status = ParseRequestLine(json, careful, warnings);
  EXPECT_TRUE(status.ok()) << status << "\n" << json;
  EXPECT_THAT(warnings, ::testing::IsEmpty()) << json;
  EXPECT_EQ(Bytes(quick), Bytes(careful)) << json;
  return true;
}

// Checks that printed JSON reads back equal; false if it cannot be printed.
bool PrintsFaithfully(const google::protobuf::Message& message) {
  const absl::StatusOr<std::string> json = PrintCompactJson(message);
  if (!json.ok()) return false;
  const std::unique_ptr<google::protobuf::Message> read(message.New());
  const auto status =
      google::protobuf::util::JsonStringToMessage(*json, read.get());
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << *json;
  EXPECT_EQ(Bytes(*read), Bytes(message)) << *json;
  return true;
}

// Returns the lines of a file, compressed or not.
std::vector<std::string> Lines(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(
      gzopen(file.c_str(), "rb"), gzclose);
  std::string text;
  std::array<char, 1 << 16> buffer;
  int size = 0;
  while ((size = gzread(in.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns the request in a line of test data, which has a request or a report.
std::string RequestIn(const std::string& line) {
  for (const JsonMember& member : JsonMembers(line)) {
    if (member.key == "request") return std::string(member.value);
    if (member.key == "report" || member.key == "input") {
      return absl::StrCat("{\"report\":", std::string(member.value), "}");
    }
  }
  return line;
}

std::vector<std::filesystem::path> DataFiles() {
  std::vector<std::filesystem::path> files = {
      testing::SourcePath("tests/testdata/situations.jsonl")};
  for (const auto& entry : std::filesystem::directory_iterator(
           testing::SourcePath("tests/oracle/data"))) {
    files.push_back(entry.path());
  }
  return files;
}

// Reads one of this many recorded requests, because the careful reader is slow.
constexpr std::size_t kStep = 8;

TEST(QuickJsonTest, ReadsRecordedRequestsEqually) {
  Issues issues;
  const auto policies = LoadPolicies({EmbeddedPolicy()}, issues);
  ASSERT_NE(policies, nullptr);
  int lines = 0;
  int quick = 0;
  for (const std::filesystem::path& file : DataFiles()) {
    const std::vector<std::string> all = Lines(file);
    const std::size_t step = file.extension() == ".gz" ? kStep : 1;
    for (std::size_t i = 0; i < all.size(); i += step) {
      const std::string json = RequestIn(all[i]);
      ++lines;
      if (ReadsQuickly(json)) ++quick;
      v1::DecideRequest request;
      std::vector<std::string> warnings;
      ASSERT_TRUE(ParseRequestLine(json, request, warnings).ok()) << json;
      EXPECT_TRUE(PrintsFaithfully(request)) << json;
      v1::DecideResponse response;
      if (Decide(request, *policies, {}, response).ok()) {
        EXPECT_TRUE(PrintsFaithfully(response)) << json;
      }
    }
  }
  EXPECT_GT(lines, 1'000);
  // The rest have policies of other releases.
  EXPECT_GT(quick, lines * 9 / 10) << lines;
}

// Appends every value within `json`, including itself.
void CollectValues(std::string_view json,
                   std::vector<std::string_view>& found) {
  found.push_back(json);
  for (const JsonMember& member : JsonMembers(json)) {
    CollectValues(member.value, found);
  }
  for (const std::string_view item : JsonItems(json)) {
    CollectValues(item, found);
  }
}

// Real requests whose values are replaced by unusual ones or by each other.
TEST(QuickJsonTest, ReadsChangedRequestsEqually) {
  const std::vector<std::string> unusual = absl::StrSplit(
      R"(null|{}|[]|""|"x"|5|-1|1.5|true|"5"|[null]|[5,5]|[{}]|1e9|"FULL"|"1s")"
      R"(|{"a":1,"a":2}|"2026-01-31T08:00:00Z")",
      '|');
  constexpr int kChanges = 3'000;
  const std::vector<std::string> lines =
      Lines(testing::SourcePath("tests/testdata/situations.jsonl"));
  std::minstd_rand random(1);
  int quick = 0;
  for (int i = 0; i < kChanges; ++i) {
    std::string json = RequestIn(lines[random() % lines.size()]);
    for (std::uint_fast32_t changes = 1 + random() % 3; changes > 0;
         --changes) {
      std::vector<std::string_view> values;
      CollectValues(json, values);
      const std::string_view old = values[random() % values.size()];
      const std::string fresh(
          random() % 2 == 0
              ? std::string_view(unusual[random() % unusual.size()])
              : values[random() % values.size()]);
      json.replace(static_cast<std::size_t>(old.data() - json.data()),
                   old.size(), fresh);
    }
    if (json.size() < 100'000 && ReadsQuickly(json)) ++quick;
  }
  EXPECT_GT(quick, kChanges / 10);
}

struct ReadCase {
  const char* name;
  const char* json;
  bool quick;
};

class QuickReaderTest : public ::testing::TestWithParam<ReadCase> {};

TEST_P(QuickReaderTest, ReadsOnlyCommonForms) {
  EXPECT_EQ(ReadsQuickly(GetParam().json), GetParam().quick);
}

INSTANTIATE_TEST_SUITE_P(
    Reading, QuickReaderTest,
    ::testing::Values(
        ReadCase{"Empty", "{}", true}, ReadCase{"Array", "[]", false},
        ReadCase{"EmptyInput", "", false},
        ReadCase{"Broken", R"({"policy":)", false},
        ReadCase{"TrailingValue", R"({} {})", false},
        ReadCase{"ProtoName", R"({"request_id":"a"})", true},
        ReadCase{"TwoSpellings", R"({"request_id":"a","requestId":"b"})",
                 false},
        ReadCase{"TwiceTheSame", R"({"policy":"a","policy":"a"})", false},
        ReadCase{"TwiceWithEscapes", R"({"policy":"a","p\u006flicy":"a"})",
                 false},
        ReadCase{"TwiceUnknownWithEscapes", R"({"nosuch":1,"n\u006fsuch":1})",
                 false},
        ReadCase{"TwiceUnknown", R"({"nosuch":1,"nosuch":1})", false},
        ReadCase{"TwiceInUnknown", R"({"nosuch":[{"a":1,"a":1}]})", false},
        ReadCase{"Unknown", R"({"nosuch":[{"a":null,"b":[1.5,"\n"]}]})", true},
        ReadCase{"OtherCase", R"({"requestID":"a"})", false},
        ReadCase{"Null", R"({"policy":null,"report":{"pods":null}})", false},
        ReadCase{"NullAlone", R"({"ledger":null,"report":{"pods":null}})",
                 true},
        ReadCase{"NullInList", R"({"report":{"pods":[null]}})", false},
        ReadCase{"Oneof", R"({"policy":"a","inlinePolicy":{}})", false},
        ReadCase{"EnumName", R"({"explain":"FULL"})", true},
        ReadCase{"EnumUnknown", R"({"explain":"ALL"})", false},
        ReadCase{"EnumLowerCase", R"({"explain":"full"})", false},
        ReadCase{"EnumNumber", R"({"explain":2})", false},
        ReadCase{"EnumNumberAsText", R"({"explain":"2"})", false},
        ReadCase{"NumberForText", R"({"policy":5})", false},
        ReadCase{"ObjectForList", R"({"report":{"pods":{}}})", false},
        ReadCase{"ListForObject", R"({"report":[{}]})", false},
        ReadCase{"ListOfOne", R"({"report":{"pod":{}}})", false},
        ReadCase{"UnknownInReport", R"({"report":{"nosuch":1}})", false},
        ReadCase{"KindFits", R"({"report":{"pods":[{"kind":"Pod"}]}})", true},
        ReadCase{"KindIsAnother", R"({"report":{"pods":[{"kind":"List"}]}})",
                 false},
        ReadCase{"KindIsNumber", R"({"report":{"pods":[{"kind":1}]}})", true},
        ReadCase{"Escapes", R"({"policy":"\u00e9\n\\\"\/\ud83d"})", false},
        ReadCase{"EscapesOfOneUnit", R"({"policy":"\u00e9\n\\\"\/\u0000"})",
                 true},
        ReadCase{"NotUtf8", "{\"policy\":\"\xff\"}", false},
        ReadCase{"Utf8", "{\"policy\":\"\xe6\x97\xa5\"}", true},
        ReadCase{"ControlCharacter", "{\"policy\":\"\x01\"}", false},
        ReadCase{"Time", R"({"report":{"observedAt":"2026-01-31T08:00:00Z"}})",
                 true},
        ReadCase{"TimeWithOffset",
                 R"({"report":{"observedAt":"2026-01-31T08:00:00.25+01:00"}})",
                 true},
        ReadCase{"ZeroTime",
                 R"({"report":{"observedAt":"0001-01-01T00:00:00Z"}})", true},
        ReadCase{"BadTime", R"({"report":{"observedAt":"noon"}})", false},
        ReadCase{"TimeAsNumber", R"({"report":{"observedAt":5}})", false},
        ReadCase{"TimeAsObject", R"({"report":{"observedAt":{"seconds":5}}})",
                 false}),
    [](const auto& param) { return param.param.name; });

// Numbers in fields of each type, as JSON might have them.
TEST(QuickReaderTest, ReadsNumbersEqually) {
  const char* const fields[] = {
      R"({"report":{"attempt":%s}})",
      R"({"report":{"workload":{"priority":%s}}})",
      R"({"report":{"pods":[{"metadata":{"generation":%s}}]}})",
      R"({"report":{"progress":{"value":%s}}})",
      R"({"report":{"progress":{"healthyFor":%s}}})",
      R"({"report":{"workload":{"interruptible":%s}}})"};
  const std::vector<std::string> values = absl::StrSplit(
      "0|-0|1|-1|2147483647|2147483648|-2147483648|-2147483649|"
      "9007199254740993|9223372036854775807|9223372036854775808|1.0|1.5|1e3|"
      R"(1e-320|1e400|0.1|"5"|"05"|"-0"|" 5"|"+5"|"5.0"|""|)"
      R"("9223372036854775807"|"9223372036854775808"|"NaN"|true|"true"|"5s")"
      R"(|"-5s"|"-0.5s"|"5.123456789s"|"5.1234567891s"|"5.s"|"s")"
      R"(|"315576000000s"|"99999999999s"|"315576000001s"|"5m")",
      '|');
  int quick = 0;
  for (const std::string field : fields) {
    for (const std::string& value : values) {
      std::string json = field;
      json.replace(json.find("%s"), 2, value);
      if (ReadsQuickly(json)) ++quick;
    }
  }
  EXPECT_GT(quick, 30);
}

}  // namespace
}  // namespace mulligan::cli
