#include "server/text.h"

#include <limits>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using std::string_literals::operator""s;

struct TextCase {
  const char* name;
  std::string in;
  std::string json;
};

class TextTest : public ::testing::TestWithParam<TextCase> {};

TEST_P(TextTest, BecomesAJsonString) {
  std::string json;
  AppendJsonString(GetParam().in, json);
  EXPECT_EQ(json, GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    All, TextTest,
    ::testing::Values(TextCase{"Empty", "", "\"\""},
                      TextCase{"Plain", "abc", "\"abc\""},
                      TextCase{"QuotesAndBackslash", "a\"b\\", R"("a\"b\\")"},
                      TextCase{"LineBreaks", "a\nb\r\tc", R"("a\nb\r\tc")"},
                      TextCase{"Nul", "a\0b"s, R"("a\u0000b")"},
                      TextCase{"Delete", "\x7f", R"("\u007f")"},
                      TextCase{"Characters", "é€😀", "\"é€😀\""},
                      TextCase{"BytesThatAreNoUtf8", "a\x80z",
                               "\"a\xEF\xBF\xBDz\""}),
    [](const auto& param) { return param.param.name; });

TEST(TruncateTest, KeepsWhatFits) { EXPECT_EQ(Truncate("abcde", 5), "abcde"); }

TEST(TruncateTest, CutsWithinTheBound) {
  EXPECT_EQ(Truncate("abcdef", 5), "ab...");
}

TEST(TruncateTest, DoesNotSplitACharacter) {
  EXPECT_EQ(Truncate("a€€€", 6), "a...");
}

TEST(JsonObjectTest, WritesMembersInOrder) {
  JsonObject object;
  object.Add("text", "a\n").Add("count", std::int64_t{-3}).Add("on", true);
  object.Add("real", 0.5).Add("nan", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(std::move(object).Finish(),
            R"({"text":"a\n","count":-3,"on":true,"real":0.5,"nan":null})");
}

TEST(JsonObjectTest, EmptyObject) { EXPECT_EQ(JsonObject().Finish(), "{}"); }

}  // namespace
}  // namespace mulligan
