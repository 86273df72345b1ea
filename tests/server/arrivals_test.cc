#include "server/arrivals.h"

#include <chrono>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

using std::chrono::milliseconds;

// How many of a hundred calls that waited so long are admitted.
int AdmittedOfHundred(Arrivals& arrivals, SteadyClock::time_point now,
                      milliseconds waited) {
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    if (arrivals.Admit(now - waited, now)) ++admitted;
  }
  return admitted;
}

TEST(ArrivalsTest, ABurstIsAdmittedAsLongAsTheQueueWasShortBefore) {
  Arrivals arrivals;
  const auto now = SteadyClock::now();
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(0)), 100);
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(500)), 100);
}

TEST(ArrivalsTest, OfALongQueueOneInTenIsRefusedAndTheRestAnswered) {
  Arrivals arrivals;
  const auto now = SteadyClock::now() + 2 * QueueDelay::kInterval;
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(500)), 90);
  // The first that did not wait ends it.
  EXPECT_TRUE(arrivals.Admit(now, now));
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, milliseconds(500)), 100);
}

TEST(ArrivalsTest, WaitingBelowTheTargetIsNoOverload) {
  Arrivals arrivals;
  const auto now = SteadyClock::now() + 2 * QueueDelay::kInterval;
  EXPECT_EQ(AdmittedOfHundred(arrivals, now, QueueDelay::kTarget), 100);
}

}  // namespace
}  // namespace mulligan
