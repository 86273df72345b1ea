#include "server/observe/text.h"

#include <limits>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(TruncateTest, KeepsShortText) { EXPECT_EQ(Truncate("abcde", 5), "abcde"); }

TEST(TruncateTest, CutsWithinLimit) {
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
