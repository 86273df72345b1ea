#include "server/admission/arrivals.h"

#include <chrono>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kWaited(500);

// Returns how many of a hundred calls that waited for `waited` are admitted.
int AdmittedOfHundred(Arrivals& arrivals, SteadyClock::time_point now,
                      milliseconds waited = kWaited) {
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    if (arrivals.Admit(now - waited, now)) ++admitted;
  }
  return admitted;
}

// Makes late calls for longer than a burst lasts. Returns the end.
SteadyClock::time_point QueueForLong(Arrivals& arrivals,
                                     SteadyClock::time_point from) {
  const auto end = from + 2 * QueueDelay::kInterval;
  for (auto now = from; now < end; now += milliseconds(10)) {
    arrivals.Admit(now - kWaited, now);
  }
  return end;
}

TEST(ArrivalsTest, AdmitsBurstAfterShortQueue) {
  Arrivals arrivals;
  const auto now = SteadyClock::now();
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(0)), 100);
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 100);
}

TEST(ArrivalsTest, RefusesOneInTenOfALongQueue) {
  Arrivals arrivals;
  const auto now = QueueForLong(arrivals, SteadyClock::now());
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 90);
  // A call that did not wait ends the overload.
  EXPECT_TRUE(arrivals.Admit(now, now));
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 100);
}

TEST(ArrivalsTest, WaitingBelowTargetIsNotOverload) {
  Arrivals arrivals;
  const auto now = QueueForLong(arrivals, SteadyClock::now());
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, QueueDelay::kTarget), 100);
}

// A single caller on a machine that is busy with something else.
TEST(ArrivalsTest, LateCallAfterQuietTimeIsNotOverload) {
  Arrivals arrivals;
  auto now = SteadyClock::now();
  for (int i = 0; i < 100; ++i) {
    now += seconds(1);
    EXPECT_TRUE(arrivals.Admit(now - kWaited, now)) << i;
  }
  now = QueueForLong(arrivals, now) + seconds(1);
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 100);
}

}  // namespace
}  // namespace mulligan
