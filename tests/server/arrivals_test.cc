#include "server/admission/arrivals.h"

#include <chrono>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kWaited(500);

// How many of a hundred calls that waited so long are admitted.
int AdmittedOfHundred(Arrivals& arrivals, SteadyClock::time_point now,
                      milliseconds waited = kWaited) {
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    if (arrivals.Admit(now - waited, now)) ++admitted;
  }
  return admitted;
}

// Late calls one after the other for longer than a burst lasts. Its end.
SteadyClock::time_point QueueForLong(Arrivals& arrivals,
                                     SteadyClock::time_point from) {
  const auto end = from + 2 * QueueDelay::kInterval;
  for (auto now = from; now < end; now += milliseconds(10)) {
    arrivals.Admit(now - kWaited, now);
  }
  return end;
}

TEST(ArrivalsTest, ABurstIsAdmittedAsLongAsTheQueueWasShortBefore) {
  Arrivals arrivals;
  const auto now = SteadyClock::now();
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(0)), 100);
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 100);
}

TEST(ArrivalsTest, OfALongQueueOneInTenIsRefusedAndTheRestAnswered) {
  Arrivals arrivals;
  const auto now = QueueForLong(arrivals, SteadyClock::now());
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 90);
  // The first that did not wait ends it.
  EXPECT_TRUE(arrivals.Admit(now, now));
  EXPECT_EQ(AdmittedOfHundred(arrivals, now), 100);
}

TEST(ArrivalsTest, WaitingBelowTheTargetIsNoOverload) {
  Arrivals arrivals;
  const auto now = QueueForLong(arrivals, SteadyClock::now());
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, QueueDelay::kTarget), 100);
}

// The caller alone on a machine that is busy with something else.
TEST(ArrivalsTest, ALateCallAfterAQuietTimeIsNoOverload) {
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
