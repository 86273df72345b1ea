#include "policy/rules/backoff.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

CompiledBackoff Backoff(v1::Backoff::Kind kind, double initial, double max,
                        double factor = 2) {
  CompiledBackoff backoff;
  backoff.kind = kind;
  backoff.initial = absl::Seconds(initial);
  backoff.max = absl::Seconds(max);
  backoff.factor = factor;
  backoff.jitter = 0;
  return backoff;
}

// The formula of policy.proto, computed step by step.
long double Plain(const CompiledBackoff& backoff, std::int64_t charges) {
  const long double initial = absl::ToDoubleSeconds(backoff.initial);
  const long double max = absl::ToDoubleSeconds(backoff.max);
  long double delay = initial;
  for (std::int64_t n = 1; n < charges && delay < max; ++n) {
    if (backoff.kind == v1::Backoff::LINEAR) delay += initial;
    if (backoff.kind == v1::Backoff::EXPONENTIAL) {
      if (backoff.factor == 1) break;
      delay *= backoff.factor;
    }
    if (backoff.kind == v1::Backoff::CONSTANT) break;
  }
  return std::min(delay, max);
}

TEST(BackoffTest, AgreesWithTheFormula) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto kind = static_cast<v1::Backoff::Kind>(1 + random() % 3);
    const double initial = 0.001 * static_cast<double>(1 + random() % 100000);
    const double max = initial * static_cast<double>(1 + random() % 5000);
    const double factor = 1 + 0.01 * static_cast<double>(random() % 900);
    const CompiledBackoff backoff = Backoff(kind, initial, max, factor);
    const auto charges = static_cast<std::int64_t>(1 + random() % 60);
    const double expected = static_cast<double>(Plain(backoff, charges));
    EXPECT_NEAR(absl::ToDoubleSeconds(BaseDelay(backoff, charges)), expected,
                1e-6 * expected + 1e-9)
        << kind << " " << initial << " " << max << " " << factor << " "
        << charges;
  }
}

TEST(BackoffTest, SaturatesAtAnyNumberOfCharges) {
  for (const auto kind :
       {v1::Backoff::CONSTANT, v1::Backoff::LINEAR, v1::Backoff::EXPONENTIAL}) {
    const CompiledBackoff backoff = Backoff(kind, 5, 600, 1000);
    EXPECT_EQ(
        BaseDelay(backoff, std::numeric_limits<std::int64_t>::max()),
        kind == v1::Backoff::CONSTANT ? absl::Seconds(5) : absl::Minutes(10));
    for (const std::int64_t charges :
         {std::int64_t{0}, std::int64_t{-1},
          std::numeric_limits<std::int64_t>::min()}) {
      EXPECT_EQ(BaseDelay(backoff, charges), absl::Seconds(5));
    }
  }
}

TEST(BackoffTest, ThirtyTwoAttemptsDoNotOverflow) {
  EXPECT_EQ(BaseDelay(Backoff(v1::Backoff::EXPONENTIAL, 5, 315360000), 32),
            absl::Seconds(315360000));
}

TEST(BackoffTest, JitterIsWithinItsShareAndTheMaximum) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    CompiledBackoff backoff =
        Backoff(v1::Backoff::EXPONENTIAL,
                0.001 * static_cast<double>(1 + random() % 5000), 600);
    backoff.jitter = 0.01 * static_cast<double>(random() % 101);
    const auto charges = static_cast<std::int64_t>(1 + random() % 20);
    const absl::Duration base = BaseDelay(backoff, charges);
    const absl::Duration delay = RetryDelay(backoff, charges, random());
    EXPECT_LE(delay, base);
    EXPECT_LE(delay, backoff.max);
    EXPECT_GE(delay, base * (1 - backoff.jitter) - absl::Nanoseconds(1));
    EXPECT_GE(delay, absl::ZeroDuration());
  }
}

TEST(BackoffTest, JitterSpreadsOverItsRange) {
  CompiledBackoff backoff = Backoff(v1::Backoff::CONSTANT, 100, 100);
  backoff.jitter = 1;
  std::mt19937_64 random(3);
  double sum = 0;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    sum += absl::ToDoubleSeconds(RetryDelay(backoff, 1, random()));
  }
  EXPECT_NEAR(sum / kDraws, 50, 1);
}

TEST(BackoffTest, JitterLeavesWholeMilliseconds) {
  CompiledBackoff backoff;
  backoff.kind = v1::Backoff::CONSTANT;
  backoff.initial = backoff.max = absl::Milliseconds(900);
  backoff.jitter = 0.5;
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration delay = RetryDelay(backoff, 1, random());
    EXPECT_EQ(delay, absl::Floor(delay, absl::Milliseconds(1)));
  }
}

TEST(BackoffTest, SameIdentitySameDelay) {
  CompiledBackoff backoff = Backoff(v1::Backoff::EXPONENTIAL, 10, 600);
  backoff.jitter = 0.5;
  EXPECT_EQ(RetryDelay(backoff, 3, 42), RetryDelay(backoff, 3, 42));
  EXPECT_NE(RetryDelay(backoff, 3, 42), RetryDelay(backoff, 3, ~42ull));
}

TEST(BackoffTest, AMemberDecidedInTimeWaitsAsIfAlone) {
  CompiledBackoff backoff = Backoff(v1::Backoff::EXPONENTIAL, 100, 600);
  backoff.jitter = 0.5;
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t identity = random();
    for (const int decided : {0, 5, 50}) {
      EXPECT_EQ(MemberDelay(backoff, 1, identity, absl::Seconds(decided)),
                RetryDelay(backoff, 1, identity));
    }
  }
}

TEST(BackoffTest, MembersDecidedLateAreSpreadFromThen) {
  CompiledBackoff backoff = Backoff(v1::Backoff::EXPONENTIAL, 100, 600);
  backoff.jitter = 0.5;
  std::mt19937_64 random(6);
  double sum = 0;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    const absl::Duration delay =
        MemberDelay(backoff, 1, random(), absl::Seconds(1000));
    EXPECT_GE(delay, absl::Seconds(1000));
    EXPECT_LE(delay, absl::Seconds(1050));
    sum += absl::ToDoubleSeconds(delay);
  }
  EXPECT_NEAR(sum / kDraws, 1025, 1);
}

}  // namespace
}  // namespace mulligan
