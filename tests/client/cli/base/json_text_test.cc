#include "client/cli/base/json_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct BadJson {
  const char* name;
  std::string text;
  const char* message;
};

class CheckJsonErrorTest : public ::testing::TestWithParam<BadJson> {};

TEST_P(CheckJsonErrorTest, HasPositionAndExpectedForm) {
  EXPECT_THAT(CheckJsonValue(GetParam().text),
              StatusIs(absl::StatusCode::kInvalidArgument, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckJsonErrorTest,
    ::testing::Values(
        BadJson{"Empty", "",
                "line 1, column 1: expected a value, found the end of the "
                "input"},
        BadJson{"TrailingComma", "{\"a\": 1,\n  }",
                "line 2, column 3: expected a key in double quotes, found '}'"},
        BadJson{"MissingComma", "[1\n 2]",
                "line 2, column 2: expected ',' or ']', found '2'"},
        BadJson{"MissingColon", "{\"a\" 1}",
                "line 1, column 6: expected ':' after the key, found '1'"},
        BadJson{"SingleQuotes", "{'a': 1}",
                "line 1, column 2: expected a key in double quotes, found "
                "'''"},
        BadJson{"Truncated", "{\"a\": [1, 2",
                "line 1, column 7: an array is never closed: expected ']' "
                "before the end of the input"},
        BadJson{"OpenString", "\"abc",
                "line 1, column 1: a string is never closed: expected '\"' "
                "before the end of the input"},
        BadJson{"DuplicateKey", "{\"a\": {\"a\": 1}, \"b\": 2,\n\"a\": 3}",
                "line 2, column 1: duplicate key \"a\""},
        BadJson{"DuplicateKeyWithEscapes",
                R"({"exitCode":1,"exit\u0043ode":2})",
                "line 1, column 15: duplicate key \"exit\\u0043ode\""},
        BadJson{"DuplicateKeyWithoutEscapes", R"({"\/\n":1,"b":2,"/\n":2})",
                "line 1, column 17: duplicate key \"/\\n\""},
        BadJson{"RawLineBreakInString", "\"a\nb\"",
                "line 1, column 3: expected control characters in strings to "
                "be escaped, found byte 0x0a"},
        BadJson{"BadEscape", "\"\\x41\"",
                "line 1, column 3: expected an escape such as \\n or \\u0041, "
                "found 'x'"},
        BadJson{"ShortUnicodeEscape", "\"\\u12\"",
                "line 1, column 6: expected four hexadecimal digits after "
                "\\u, found '\"'"},
        BadJson{"LeadingZero", "012",
                "line 1, column 2: expected a number without leading zeros, "
                "found '1'"},
        BadJson{"NotANumber", "NaN",
                "line 1, column 1: expected a value, found 'N'"},
        BadJson{"LoneMinus", "-",
                "line 1, column 2: expected a digit, found the end of the "
                "input"},
        BadJson{"TooDeep", std::string(101, '['),
                "line 1, column 101: expected at most 100 nested levels, "
                "found '['"}),
    [](const auto& test) { return test.param.name; });

TEST(CheckJsonTest, ReturnsTheEndOfTheFirstValue) {
  EXPECT_THAT(CheckJsonValue(" {\"a\": [1.5e-3, null]} {"), IsOkAndHolds(22));
  EXPECT_THAT(CheckJsonValue("-0.5,", 0), IsOkAndHolds(4));
  EXPECT_THAT(CheckJsonValue("1 22 3", 1), IsOkAndHolds(4));
}

TEST(CheckJsonTest, FindsDuplicatesAmongManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) {
    text += "\"k" + std::to_string(i) + "\": 1, ";
  }
  for (const int twice : {0, 31, 32, 33, 99}) {
    const std::string key = "\"k" + std::to_string(twice) + "\"";
    EXPECT_THAT(CheckJsonValue(text + key + ": 2}"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::HasSubstr("duplicate key " + key)));
  }
  EXPECT_THAT(CheckJsonValue(text + "\"k100\": 2}"),
              IsOkAndHolds(text.size() + 10));
}

TEST(CheckJsonTest, AcceptsAHundredLevels) {
  EXPECT_THAT(CheckJsonValue(std::string(100, '[') + std::string(100, ']')),
              IsOkAndHolds(200));
}

TEST(JsonPartsTest, MembersKeepOrderAndText) {
  const auto members =
      JsonMembers(R"( { "a" : {"b":[1,"]}"]} ,"c\n":null, "d":-1.5e3 } )");
  ASSERT_EQ(members.size(), 3);
  EXPECT_EQ(members[0].key, "a");
  EXPECT_EQ(members[0].value, R"({"b":[1,"]}"]})");
  EXPECT_EQ(members[1].key, "c\n");
  EXPECT_EQ(members[1].value, "null");
  EXPECT_EQ(members[2].value, "-1.5e3");
}

TEST(JsonPartsTest, SplitsItemsAtTheTopLevel) {
  EXPECT_THAT(JsonItems(R"([ 1, [2,3] ,{"a":"\"]"}, "x,y" ])"),
              ElementsAre("1", "[2,3]", R"({"a":"\"]"})", R"("x,y")"));
}

TEST(JsonPartsTest, OtherTypesHaveNoParts) {
  EXPECT_THAT(JsonMembers("[1]"), IsEmpty());
  EXPECT_THAT(JsonMembers("{}"), IsEmpty());
  EXPECT_THAT(JsonItems("{\"a\":1}"), IsEmpty());
  EXPECT_THAT(JsonItems(" [ ] "), IsEmpty());
  EXPECT_EQ(JsonStringValue("5"), "");
}

TEST(JsonPartsTest, UnescapesStrings) {
  EXPECT_EQ(JsonStringValue(R"( "a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(JsonStringValue(R"("\u00e9\u20AC\ud83d\ude00")"), "é€😀");
  EXPECT_EQ(JsonStringValue(R"("\ud83dx")"), "\xef\xbf\xbdx");
  EXPECT_EQ(JsonStringValue(R"("\ude00\ud83d\u0041")"),
            "\xef\xbf\xbd\xef\xbf\xbd"
            "A");
}

TEST(QuoteJsonTest, RoundTrips) {
  const std::string text("a\"b\\c\n\x01\0é", 10);
  EXPECT_THAT(QuoteJson(text), StartsWith("\"a\\\"b\\\\c\\u000a"));
  EXPECT_EQ(JsonStringValue(QuoteJson(text)), text);
}

}  // namespace
}  // namespace mulligan::cli
