#include "policy/base/times.h"

#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(TimesTest, ClampToTheRangeOfTheMessages) {
  google::protobuf::Timestamp time;
  SetTime(absl::InfiniteFuture(), time);
  EXPECT_TRUE(IsValidTime(time));
  SetTime(absl::InfinitePast(), time);
  EXPECT_TRUE(IsValidTime(time));
  google::protobuf::Duration duration;
  SetDuration(absl::InfiniteDuration(), duration);
  EXPECT_TRUE(IsValidDuration(duration));
  SetDuration(-absl::InfiniteDuration(), duration);
  EXPECT_TRUE(IsValidDuration(duration));
}

TEST(TimesTest, RoundTrip) {
  google::protobuf::Timestamp time;
  time.set_seconds(-5);
  time.set_nanos(7);
  google::protobuf::Timestamp copy;
  SetTime(ToTime(time), copy);
  EXPECT_EQ(copy.seconds(), -5);
  EXPECT_EQ(copy.nanos(), 7);
  google::protobuf::Duration duration;
  SetDuration(absl::Milliseconds(-1500), duration);
  EXPECT_EQ(duration.seconds(), -1);
  EXPECT_EQ(duration.nanos(), -500000000);
  EXPECT_EQ(ToDuration(duration), absl::Milliseconds(-1500));
}

}  // namespace
}  // namespace mulligan
