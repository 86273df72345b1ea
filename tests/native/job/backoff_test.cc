#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "policy/native/job/failures.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

absl::Time At(std::int64_t seconds) {
  return absl::FromUnixSeconds(1700000000 + seconds);
}

TEST(RemainingBackoffTest, DoublesUpToTheCap) {
  const std::vector<int> expected = {0, 10, 20, 40, 80, 160, 320, 600, 600};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(RemainingBackoff(static_cast<std::int64_t>(n), At(0), At(0)),
              absl::Seconds(expected[n]))
        << n;
  }
}

TEST(RemainingBackoffTest, NeverOverflows) {
  EXPECT_EQ(RemainingBackoff(2147483647, At(0), At(0)), absl::Minutes(10));
}

TEST(RemainingBackoffTest, AgreesWithTheFormula) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const auto failures = static_cast<std::int64_t>(random() % 40);
    const auto elapsed = static_cast<std::int64_t>(random() % 900);
    const double delay =
        std::min(600.0, 10 * std::pow(2.0, static_cast<double>(failures - 1)));
    const double expected =
        failures == 0 ? 0 : std::max(0.0, delay - static_cast<double>(elapsed));
    EXPECT_EQ(
        absl::ToDoubleSeconds(RemainingBackoff(failures, At(0), At(elapsed))),
        expected)
        << failures << " failures, " << elapsed << " s";
  }
}

// A pod that ended at `seconds`. An accounted pod has lost its finalizer.
std::string Ended(const std::string& uid, const std::string& phase, int seconds,
                  bool accounted) {
  return absl::StrCat(
      "metadata { uid: '", uid, "' ",
      accounted ? "" : "finalizers: 'batch.kubernetes.io/job-tracking' ",
      "} status { phase: '", phase,
      "' conditions { type: 'Ready' status: 'False' last_transition_time { "
      "seconds: ",
      1700000000 + seconds, " } } }");
}

// The same, created at `created` seconds.
std::string Created(int created, const std::string& pod) {
  return absl::StrCat(pod, " metadata { creation_timestamp { seconds: ",
                      1700000000 + created, " } }");
}

absl::Duration Delay(const std::string& job, const PodOwner& pods,
                     std::int64_t now) {
  return ReplacementDelay(Parse<Job>(job), pods.get(), *pods.get().front(),
                          Gates(), At(now));
}

TEST(ReplacementDelayTest, FailuresWithoutPodsCountUntilASuccess) {
  const PodOwner failed({Ended("a", "Failed", 0, false)});
  EXPECT_EQ(Delay("status { failed: 2 }", failed, 0), absl::Seconds(40));
  EXPECT_EQ(Delay("status { failed: 2 succeeded: 1 }", failed, 0),
            absl::Seconds(10));
}

TEST(ReplacementDelayTest, ANewSuccessResetsTheCount) {
  const PodOwner pods({Ended("new", "Failed", 9, false),
                       Ended("old", "Failed", 3, true),
                       Ended("success", "Succeeded", 5, false)});
  EXPECT_EQ(Delay("status { failed: 1 }", pods, 9), absl::Seconds(10));
}

TEST(ReplacementDelayTest, APodThatCameLateReplacesAFailedOne) {
  const std::string started = "status { start_time { seconds: 1700000000 } }";
  const std::string failed = Ended("a", "Failed", 99, false);
  EXPECT_EQ(Delay(started, PodOwner({Created(9, failed)}), 99),
            absl::Seconds(10));
  const PodOwner late({Created(10, failed)});
  EXPECT_EQ(Delay(started, late, 99), absl::Seconds(20));
  EXPECT_EQ(Delay("", late, 99), absl::Seconds(10));
  // More than 200 pods may be late because creating them takes time.
  EXPECT_EQ(Delay(started + " spec { parallelism: 201 }", late, 99),
            absl::Seconds(10));
  // Two pods were replaced, one waits and one is new.
  EXPECT_EQ(Delay(started,
                  PodOwner({Created(10, failed),
                            Created(10, Ended("b", "Failed", 40, true)),
                            Created(0, Ended("c", "Failed", 5, true))}),
                  99),
            absl::Seconds(80));
}

TEST(ReplacementDelayTest, TheLastSuccessMayBeReplacedLate) {
  const std::string job = "status { succeeded: 1 }";
  const std::string success = Ended("s", "Succeeded", 50, true);
  const std::string failed = Ended("a", "Failed", 99, false);
  const std::string running = "status { phase: 'Running' }";
  const PodOwner two(
      {Created(60, failed), Created(0, success), Created(60, running)});
  EXPECT_EQ(Delay(job, two, 99), absl::Seconds(20));
  // A success that is not reported may have come in between.
  EXPECT_EQ(Delay("status { succeeded: 2 }", two, 99), absl::Seconds(10));
  EXPECT_EQ(Delay(job,
                  PodOwner({Created(60, failed), Created(0, success),
                            Created(60, running), Created(50, running)}),
                  99),
            absl::Seconds(40));
  EXPECT_EQ(
      Delay(job, PodOwner({Created(50, failed), Created(0, success)}), 99),
      absl::Seconds(10));
}

TEST(ReplacementDelayTest, LessThanASecondIsASecond) {
  const PodOwner pods({Ended("a", "Failed", 0, false)});
  const Job job = Parse<Job>("");
  EXPECT_EQ(ReplacementDelay(job, pods.get(), *pods.get().front(), Gates(),
                             At(9) + absl::Milliseconds(700)),
            absl::Seconds(1));
  EXPECT_EQ(Delay("", pods, 10), absl::ZeroDuration());
}

}  // namespace
}  // namespace mulligan::job
