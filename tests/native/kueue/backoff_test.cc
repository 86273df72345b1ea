#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "policy/native/kueue/settings.h"

namespace mulligan::kueue {
namespace {

// The closed form: base * factor^(n-1), capped from the second try on.
absl::Duration ClosedForm(std::int64_t n, std::int64_t base, std::int64_t cap) {
  if (n <= 0) return absl::ZeroDuration();
  if (n == 1) return absl::Seconds(base);
  const double wait =
      static_cast<double>(base) * std::pow(2.0, static_cast<double>(n - 1));
  return absl::Seconds(
      wait < static_cast<double>(cap) ? static_cast<std::int64_t>(wait) : cap);
}

TEST(KueueBackoffTest, FollowsTheClosedForm) {
  std::mt19937 random(20);
  std::uniform_int_distribution<std::int64_t> tries(-2, 70);
  std::uniform_int_distribution<std::int64_t> seconds(1, 100'000);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t n = tries(random);
    const std::int64_t base = seconds(random);
    const std::int64_t cap = seconds(random);
    EXPECT_EQ(WaitBefore(n, {absl::Seconds(base), absl::Seconds(cap)}),
              ClosedForm(n, base, cap))
        << n << " " << base << " " << cap;
  }
}

TEST(KueueBackoffTest, FirstTryIsNeverCapped) {
  const Backoff backoff{absl::Seconds(600), absl::Seconds(300)};
  EXPECT_EQ(WaitBefore(1, backoff), absl::Seconds(600));
  EXPECT_EQ(WaitBefore(2, backoff), absl::Seconds(300));
}

TEST(KueueBackoffTest, HugeNumbersEndAtTheLargestDuration) {
  const Backoff backoff{absl::Seconds(1'000'000'000), absl::ZeroDuration()};
  EXPECT_EQ(WaitBefore(std::numeric_limits<std::int64_t>::max(), backoff),
            EffectiveCap(backoff));
  EXPECT_EQ(EffectiveCap(backoff),
            absl::Nanoseconds(std::numeric_limits<std::int64_t>::max() / 2));
}

TEST(KueueBackoffTest, NegativeAndZeroBasesDoNotWait) {
  EXPECT_EQ(WaitBefore(5, {absl::Seconds(-3), absl::Seconds(10)}),
            absl::ZeroDuration());
  EXPECT_EQ(WaitBefore(5, {absl::ZeroDuration(), absl::Seconds(10)}),
            absl::ZeroDuration());
}

}  // namespace
}  // namespace mulligan::kueue
