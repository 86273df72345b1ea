#include "policy/operators/kueue/requeue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "policy/operators/kueue/queue_order.h"
#include "policy/operators/kueue/reconcile.h"
#include "tests/policy/operators/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

TEST(KueueSetRequeueStateTest, OnlyEverMovesLater) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> seconds(1, 1000);
  WorkloadStatus status;
  std::int64_t latest = 0;
  std::int32_t count = 0;
  for (int i = 0; i < 500; ++i) {
    const std::int64_t at = seconds(random);
    const bool counts = at % 2 == 0;
    SetRequeueState(Second(at), counts, status);
    latest = std::max(latest, at);
    if (counts) ++count;
    EXPECT_EQ(RequeueAt(status), Second(latest));
    EXPECT_EQ(status.requeue_state().count(), count);
  }
}

TEST(KueueSetRequeueStateTest, SaysWhetherAnythingChanged) {
  WorkloadStatus status;
  EXPECT_TRUE(SetRequeueState(Second(5), false, status));
  EXPECT_FALSE(SetRequeueState(Second(5), false, status));
  EXPECT_FALSE(SetRequeueState(Second(4), false, status));
  EXPECT_TRUE(SetRequeueState(Second(4), true, status));
}

TEST(KueueCountRequeueTest, CountsUpToTheLargestNumber) {
  WorkloadStatus status;
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  status.mutable_requeue_state()->set_count(kMax);
  CountRequeue({absl::Seconds(60), absl::Hours(1)}, Second(0), status);
  EXPECT_EQ(status.requeue_state().count(), kMax);
  EXPECT_EQ(RequeueAt(status), Second(3600));
}

TEST(KueueMaxRetryTimeTest, TheTotalCountsNotTheDelay) {
  Workload workload;
  const auto add = [&](std::int64_t since, std::int32_t delay) {
    AdmissionCheckState& check = AddCheck("c", "Retry", workload);
    SetTime(Second(since), *check.mutable_last_transition_time());
    check.set_requeue_after_seconds(delay);
  };
  add(100, 10);
  add(110, 5);
  EXPECT_EQ(MaxRetryTime(workload.status()), Second(115));
  EXPECT_EQ(PendingRequeueAt(workload.status(), Second(114)), Second(115));
  EXPECT_EQ(PendingRequeueAt(workload.status(), Second(115)), std::nullopt);
}

TEST(KueueBackoffExpiredTest, RequeueAtCountsAsReachedInItsOwnSecond) {
  WorkloadStatus status;
  SetRequeueState(Second(50), false, status);
  EXPECT_FALSE(BackoffExpired(status, Second(49)));
  EXPECT_TRUE(BackoffExpired(status, Second(50)));
}

struct OrderCase {
  const char* name;
  const char* reason;
  bool eviction_timestamp;
  std::int64_t place;
};

class KueueQueueOrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(KueueQueueOrderTest, OnlyReadinessTimeoutsAndChecksCostThePlace) {
  const OrderCase& test = GetParam();
  EXPECT_EQ(QueueOrderTime(EvictedWorkload(test.reason, 500),
                           test.eviction_timestamp, Gates()),
            Second(test.place));
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueQueueOrderTest,
    testing::Values(
        OrderCase{"Timeout", "PodsReadyTimeout", true, 500},
        OrderCase{"TimeoutByCreation", "PodsReadyTimeout", false, 1},
        OrderCase{"Check", "AdmissionCheck", true, 500},
        OrderCase{"CheckByCreation", "AdmissionCheck", false, 500},
        OrderCase{"Preempted", "Preempted", true, 1},
        OrderCase{"NodeFailures", "NodeFailures", true, 1},
        OrderCase{"Stopped", "ClusterQueueStopped", true, 1},
        OrderCase{"Deactivated", "DeactivatedDueToAdmissionCheck", true, 1}),
    [](const auto& test) { return test.param.name; });

TEST(KueueQueueOrderTimeTest, WhoWasPreemptedWhileBorrowingStandsBehind) {
  Workload workload = AdmittedWorkload(1);
  AddCondition(kPreempted, true, "InCohortReclaimWhileBorrowing", 500,
               workload);
  Gates gates;
  EXPECT_EQ(QueueOrderTime(workload, true, gates), Second(1));
  gates.priority_sorting_within_cohort = false;
  EXPECT_EQ(QueueOrderTime(workload, true, gates),
            Second(500) + absl::Milliseconds(1));
}

TEST(KueueRequeueAfterSchedulingTest, StrictQueuesParkOnlyForTheNamespace) {
  for (const char* const reason :
       {"Generic", "NoFit", "PreemptionNoCandidates"}) {
    EXPECT_TRUE(RequeueAfterScheduling(reason, false, false)->inadmissible);
    EXPECT_FALSE(RequeueAfterScheduling(reason, false, true)->inadmissible);
    EXPECT_FALSE(RequeueAfterScheduling(reason, true, false)->inadmissible);
  }
  EXPECT_TRUE(
      RequeueAfterScheduling("NamespaceMismatch", true, false)->inadmissible);
  EXPECT_TRUE(
      RequeueAfterScheduling("PendingPreemption", false, false)->sticky);
  EXPECT_FALSE(RequeueAfterScheduling("Odd", false, false).has_value());
}

// The budget by counting: the (N+1)-th timeout deactivates.
TEST(KueueRequeueBudgetTest, ALimitOfNAllowsNRequeues) {
  for (std::int64_t limit = 0; limit < 6; ++limit) {
    WaitForPodsReady settings;
    settings.backoff_limit_count = limit;
    Workload workload = AdmittedWorkload(0);
    absl::Time now = Second(0);
    std::int64_t requeues = 0;
    while (IsActive(workload) && requeues <= limit) {
      now += absl::Hours(1);
      Settled settled = Settle({workload, settings, {}, {}, Gates(), now},
                               /*single_pod=*/false);
      now = settled.now;
      workload = settled.workload;
      if (!IsActive(workload)) break;
      ++requeues;
      EXPECT_EQ(workload.status().requeue_state().count(), requeues);
      ASSERT_TRUE(IsQueued(workload, now));
      // Admitted anew.
      Workload next = AdmittedWorkload(absl::ToUnixSeconds(now));
      *next.mutable_status()->mutable_requeue_state() =
          workload.status().requeue_state();
      workload = next;
    }
    EXPECT_EQ(requeues, limit);
    EXPECT_FALSE(workload.status().has_requeue_state());
  }
}

}  // namespace
}  // namespace mulligan::kueue
