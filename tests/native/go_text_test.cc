#include "policy/native/go_text.h"

#include <optional>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(GoIntegerTest, ReadsLikeGo) {
  EXPECT_EQ(GoInteger("-12"), -12);
  EXPECT_EQ(GoInteger("+07"), 7);
  for (const char* const text :
       {"", "+", "+-1", " 1", "1 ", "1.0", "0x1", "9223372036854775808"}) {
    EXPECT_EQ(GoInteger(text), std::nullopt) << text;
  }
}

TEST(GoDurationTest, PrintsLikeGo) {
  EXPECT_EQ(GoDuration(absl::ZeroDuration()), "0s");
  EXPECT_EQ(GoDuration(absl::Nanoseconds(10)), "10ns");
  EXPECT_EQ(GoDuration(absl::Nanoseconds(1500)), "1.5\xC2\xB5s");
  EXPECT_EQ(GoDuration(absl::Milliseconds(250)), "250ms");
  EXPECT_EQ(GoDuration(absl::Seconds(1)), "1s");
  EXPECT_EQ(GoDuration(absl::Milliseconds(1050)), "1.05s");
  EXPECT_EQ(GoDuration(absl::Minutes(3)), "3m0s");
  EXPECT_EQ(GoDuration(absl::Hours(25) + absl::Seconds(1.5)), "25h0m1.5s");
  EXPECT_EQ(GoDuration(-absl::Minutes(1)), "-1m0s");
  EXPECT_EQ(GoDuration(absl::InfiniteDuration()), "2562047h47m16.854775807s");
}

TEST(GoTimestampTest, PrintsLikeGo) {
  EXPECT_EQ(GoTimestamp(absl::UnixEpoch()), "1970-01-01 00:00:00 +0000 UTC");
  // Go's zero time.
  EXPECT_EQ(
      GoTimestamp(absl::FromCivil(absl::CivilSecond(1), absl::UTCTimeZone())),
      "0001-01-01 00:00:00 +0000 UTC");
}

}  // namespace
}  // namespace mulligan
