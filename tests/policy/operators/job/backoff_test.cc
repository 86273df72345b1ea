#include "policy/operators/job/backoff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::Time At(std::int64_t seconds) {
  return absl::FromUnixSeconds(1700000000 + seconds);
}

TEST(RemainingBackoffTest, DoublesUpToTheCap) {
  const std::vector<int> expected = {0, 10, 20, 40, 80, 160, 320, 600, 600};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(RemainingBackoff(static_cast<std::int64_t>(n), At(0), At(0),
                               BackoffSettings()),
              absl::Seconds(expected[n]))
        << n;
  }
}

TEST(RemainingBackoffTest, NeverOverflows) {
  EXPECT_EQ(RemainingBackoff(2147483647, At(0), At(0), BackoffSettings()),
            absl::Minutes(10));
}

TEST(RemainingBackoffTest, TheFirstFailureWaitsTheBaseEvenAboveTheCap) {
  const BackoffSettings settings{absl::Seconds(5), absl::Seconds(3)};
  EXPECT_EQ(RemainingBackoff(1, At(0), At(0), settings), absl::Seconds(5));
  EXPECT_EQ(RemainingBackoff(2, At(0), At(0), settings), absl::Seconds(3));
}

TEST(RemainingBackoffTest, AgreesWithTheFormula) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const auto failures = static_cast<std::int64_t>(random() % 40);
    const auto elapsed = static_cast<std::int64_t>(random() % 900);
    const double delay =
        failures == 0
            ? 0
            : std::min(600.0,
                       10 * std::pow(2.0, static_cast<double>(failures - 1)));
    const double expected =
        failures == 0 ? 0 : std::max(0.0, delay - static_cast<double>(elapsed));
    EXPECT_EQ(absl::ToDoubleSeconds(RemainingBackoff(
                  failures, At(0), At(elapsed), BackoffSettings())),
              expected)
        << failures << " failures, " << elapsed << " s";
  }
}

TEST(NextBackoffRecordTest, AtEqualTimesTheSuccessWins) {
  const BackoffRecord next =
      NextBackoffRecord({4, At(0)}, {At(5)}, {At(5), At(4)});
  EXPECT_EQ(next.failures_after_last_success, 0);
  EXPECT_EQ(next.last_failure, std::nullopt);
}

TEST(NextBackoffRecordTest, WithoutNewsThePreviousOneStays) {
  const BackoffRecord next = NextBackoffRecord({4, At(3)}, {}, {});
  EXPECT_EQ(next.failures_after_last_success, 4);
  EXPECT_EQ(next.last_failure, At(3));
}

// Replays every pod in the order of its finish; the last success wipes.
TEST(NextBackoffRecordTest, AgreesWithAReplayInTimeOrder) {
  std::mt19937 random(13);
  for (int round = 0; round < 2000; ++round) {
    std::vector<absl::Time> succeeded(random() % 3);
    std::vector<absl::Time> failed(random() % 5);
    // At equal times the success counts as the later one.
    std::multimap<absl::Time, bool> events;
    for (auto& time : failed) {
      time = At(static_cast<std::int64_t>(random() % 10));
      events.emplace(time, false);
    }
    for (auto& time : succeeded) {
      time = At(static_cast<std::int64_t>(random() % 10));
      events.emplace(time, true);
    }
    const BackoffRecord previous{static_cast<std::int64_t>(random() % 4),
                                 At(-1)};
    BackoffRecord expected = previous;
    for (const auto& [time, success] : events) {
      if (success) {
        expected = BackoffRecord();
      } else {
        ++expected.failures_after_last_success;
        expected.last_failure = time;
      }
    }
    const BackoffRecord next = NextBackoffRecord(previous, succeeded, failed);
    EXPECT_EQ(next.failures_after_last_success,
              expected.failures_after_last_success);
    EXPECT_EQ(next.last_failure, expected.last_failure);
  }
}

Pod FailedAt(std::int64_t seconds, int counted) {
  Pod pod = Parse<Pod>(IndexedPod("a", 1, counted, kFailedPhase));
  pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1700000000 +
                                                                    seconds);
  return pod;
}

TEST(ReadyIndexesTest, WaitsForTheFirstWhenNoneIsReady) {
  const Pod once = FailedAt(0, 0);
  const Pod twice = FailedAt(0, 1);
  const std::map<std::int64_t, const Pod*> failed = {{1, &once}, {2, &twice}};
  const auto waiting =
      ReadyIndexes({1, 2}, failed, At(4), Gates(), BackoffSettings());
  EXPECT_THAT(waiting.now, IsEmpty());
  EXPECT_EQ(waiting.delay, absl::Seconds(6));
  const auto ready =
      ReadyIndexes({1, 2}, failed, At(10), Gates(), BackoffSettings());
  EXPECT_THAT(ready.now, ElementsAre(1));
  EXPECT_EQ(ready.delay, absl::ZeroDuration());
}

TEST(ReadyIndexesTest, WithoutWantedIndexesThereIsNothingToWaitFor) {
  const auto ready = ReadyIndexes({}, {}, At(0), Gates(), BackoffSettings());
  EXPECT_THAT(ready.now, IsEmpty());
  EXPECT_EQ(ready.delay, absl::ZeroDuration());
}

}  // namespace
}  // namespace mulligan::job
