#include "policy/operators/kueue/reconcile.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/kueue/pods_ready.h"
#include "policy/operators/kueue/release.h"
#include "policy/operators/kueue/requeue.h"
#include "tests/policy/operators/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class KueueReconcileTest : public testing::Test {
 protected:
  Pass Run(const Workload& workload) {
    return Reconcile(
        {workload, settings_, local_queue_, cluster_queue_, gates_, now_});
  }

  static std::string EvictedReason(const Workload& workload) {
    const Condition* const evicted =
        FindCondition(workload.status().conditions(), kEvicted);
    return evicted == nullptr ? "" : evicted->reason();
  }

  static Queue Stopped(const std::string& policy) {
    Queue queue;
    queue.name = "q";
    queue.stop_policy = policy;
    return queue;
  }

  std::optional<WaitForPodsReady> settings_ = WaitForPodsReady();
  std::optional<Queue> local_queue_;
  std::optional<Queue> cluster_queue_;
  Gates gates_;
  absl::Time now_ = Second(10'000);
};

TEST_F(KueueReconcileTest, FinishedWorkloadsAreLeftAlone) {
  Workload workload = AdmittedWorkload(1);
  AddCondition(kFinished, true, "Failed", 5, workload);
  AddCheck("c", "Rejected", workload);
  const Pass pass = Run(workload);
  EXPECT_EQ(pass.action, kNoAction);
  EXPECT_THAT(pass.events, IsEmpty());
}

TEST_F(KueueReconcileTest, RejectionGoesBeforeRetryAndBeforeTheTimeout) {
  Workload workload = AdmittedWorkload(1);
  AddCheck("b", "Retry", workload);
  AddCheck("a", "Rejected", workload).set_message("no");
  const Pass pass = Run(workload);
  EXPECT_EQ(pass.action, kDeactivateAction);
  const Condition* const target =
      FindCondition(pass.workload.status().conditions(), kDeactivationTarget);
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->message(), "AdmissionCheck in Rejected state: \"a\" (no)");
  EXPECT_EQ(pass.events.at(0).type, kWarningEvent);
}

TEST_F(KueueReconcileTest, RejectionIsIgnoredWhileEvicted) {
  Workload workload = EvictedWorkload("Preempted", 9000);
  AddCheck("a", "Rejected", workload);
  EXPECT_EQ(Run(workload).action, kNoAction);
}

TEST_F(KueueReconcileTest, RetryingChecksDelayBeforeTheyEvict) {
  Workload workload = AdmittedWorkload(9990);
  AdmissionCheckState& check = AddCheck("a", "Retry", workload);
  check.set_requeue_after_seconds(60);
  SetTime(now_, *check.mutable_last_transition_time());
  const Pass delayed = Run(workload);
  EXPECT_EQ(RequeueAt(delayed.workload.status()), now_ + absl::Seconds(60));
  EXPECT_EQ(delayed.workload.status().requeue_state().count(), 0);
  const Pass waits = Run(delayed.workload);
  EXPECT_EQ(waits.requeue_after, absl::Seconds(60));
  now_ += absl::Seconds(60);
  const Pass evicts = Run(delayed.workload);
  EXPECT_EQ(EvictedReason(evicts.workload), "AdmissionCheck");
  EXPECT_EQ(evicts.workload.status().admission_checks(0).retry_count(), 1);
}

TEST_F(KueueReconcileTest, EvictionDropsTheRetriesOfSatisfiedChecks) {
  Workload workload = AdmittedWorkload(1);
  AddCheck("ready", "Ready", workload).set_retry_count(4);
  AddCheck("waits", "Pending", workload).set_retry_count(4);
  const Pass pass = Run(workload);
  EXPECT_EQ(pass.action, kEvictWithBackoffAction);
  EXPECT_FALSE(pass.workload.status().admission_checks(0).has_retry_count());
  EXPECT_EQ(pass.workload.status().admission_checks(1).retry_count(), 4);
}

struct StopCase {
  const char* name;
  const char* policy;
  bool admitted;
  const char* evicted;
  bool keeps_quota;
};

class KueueStopPolicyTest : public KueueReconcileTest,
                            public testing::WithParamInterface<StopCase> {};

TEST_P(KueueStopPolicyTest, HoldsOrDrains) {
  const StopCase& test = GetParam();
  settings_.reset();
  Workload workload = AdmittedWorkload(9000);
  if (!test.admitted) {
    AddCheck("a", "Pending", workload);
    RemoveCondition(kAdmitted,
                    *workload.mutable_status()->mutable_conditions());
  }
  for (std::optional<Queue>* const queue : {&local_queue_, &cluster_queue_}) {
    local_queue_.reset();
    cluster_queue_.reset();
    *queue = Stopped(test.policy);
    const Pass pass = Run(workload);
    const std::string kind =
        queue == &local_queue_ ? "LocalQueue" : "ClusterQueue";
    EXPECT_EQ(EvictedReason(pass.workload),
              *test.evicted == '\0' ? "" : kind + test.evicted);
    EXPECT_EQ(HasQuotaReservation(pass.workload.status()), test.keeps_quota);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueStopPolicyTest,
    testing::Values(
        StopCase{"None", "None", true, "", true},
        StopCase{"HoldLetsRun", "Hold", true, "", true},
        StopCase{"DrainEvicts", "HoldAndDrain", true, "Stopped", true},
        StopCase{"HoldTakesAReservation", "Hold", false, "", false},
        StopCase{"DrainTakesAReservation", "HoldAndDrain", false, "", false}),
    [](const auto& test) { return test.param.name; });

struct ReactivationCase {
  const char* name;
  const char* reason;
  bool fixed;
  bool requeued;
};

class KueueReactivationTest
    : public KueueReconcileTest,
      public testing::WithParamInterface<ReactivationCase> {};

// kueue#14870: a workload that Kueue deactivated stays out of the queue.
TEST_P(KueueReactivationTest, DependsOnWhoDeactivatedAndOnTheRelease) {
  const ReactivationCase& test = GetParam();
  gates_.reactivates_own_deactivations = test.fixed;
  Workload workload;
  AddCondition(kRequeued, false, test.reason, 5, workload);
  const Pass pass = Run(workload);
  EXPECT_EQ(IsTrue(pass.workload.status().conditions(), kRequeued),
            test.requeued);
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueReactivationTest,
    testing::Values(ReactivationCase{"ByAUser", "Deactivated", false, true},
                    ReactivationCase{"ByKueue",
                                     "DeactivatedDueToAdmissionCheck", false,
                                     false},
                    ReactivationCase{"ByKueueFixed",
                                     "DeactivatedDueToAdmissionCheck", true,
                                     true}),
    [](const auto& test) { return test.param.name; });

TEST_F(KueueReconcileTest, ExecutionTimeSumsAdmissions) {
  settings_.reset();
  Workload workload = AdmittedWorkload(9940);
  workload.mutable_spec()->set_maximum_execution_time_seconds(100);
  workload.mutable_status()->set_accumulated_past_execution_time_seconds(39);
  EXPECT_EQ(Run(workload).requeue_after, absl::Seconds(1));
  workload.mutable_status()->set_accumulated_past_execution_time_seconds(40);
  const Pass pass = Run(workload);
  EXPECT_EQ(pass.action, kDeactivateAction);
  EXPECT_FALSE(
      pass.workload.status().has_accumulated_past_execution_time_seconds());
  EXPECT_EQ(pass.events.at(0).message,
            "The maximum execution time (100s) exceeded");
}

TEST_F(KueueReconcileTest, TheNearerTimeoutIsWaitedFor) {
  Workload workload = AdmittedWorkload(9990);
  workload.mutable_spec()->set_maximum_execution_time_seconds(30);
  EXPECT_EQ(Run(workload).requeue_after, absl::Seconds(20));
}

TEST_F(KueueReconcileTest, TheGateSwitchesReadinessOff) {
  gates_.disable_wait_for_pods_ready = true;
  EXPECT_EQ(Run(AdmittedWorkload(1)).action, kNoAction);
}

TEST_F(KueueReconcileTest, RecoveryIsTimedFromTheLossOfReadiness) {
  Workload workload = AdmittedWorkload(1);
  AddCondition(kPodsReady, false, "WaitForRecovery", 9990, workload);
  settings_->recovery_timeout = absl::Seconds(15);
  EXPECT_EQ(Run(workload).requeue_after, absl::Seconds(5));
  now_ += absl::Seconds(5);
  const Pass pass = Run(workload);
  EXPECT_EQ(pass.report->eviction.cause, kWaitForRecovery);
  settings_->recovery_timeout.reset();
  EXPECT_EQ(Run(workload).action, kNoAction);
}

TEST_F(KueueReconcileTest, TheCauseOfATimeoutIsInTheStatisticsOnly) {
  const Pass pass = Run(AdmittedWorkload(1));
  EXPECT_EQ(EvictedReason(pass.workload), kPodsReadyTimeout);
  ASSERT_THAT(pass.workload.status().scheduling_stats().evictions(), SizeIs(1));
  EXPECT_EQ(
      pass.workload.status().scheduling_stats().evictions(0).underlying_cause(),
      kWaitForStart);
}

TEST(KueueSettleTest, DeactivationEndsOutsideTheQueue) {
  WaitForPodsReady settings;
  settings.backoff_limit_count = 0;
  const Settled settled =
      Settle({AdmittedWorkload(0), settings, {}, {}, Gates(), Second(9999)},
             /*single_pod=*/false);
  const WorkloadStatus& status = settled.workload.status();
  EXPECT_FALSE(IsActive(settled.workload));
  EXPECT_EQ(FindCondition(status.conditions(), kRequeued)->reason(),
            "DeactivatedDueToRequeuingLimitExceeded");
  EXPECT_FALSE(HasQuotaReservation(status));
  EXPECT_EQ(FindCondition(status.conditions(), kDeactivationTarget), nullptr);
  EXPECT_EQ(settled.now, Second(9999));
}

TEST(KueueSettleTest, BackoffIsWaitedFor) {
  const Settled settled = Settle(
      {AdmittedWorkload(0), WaitForPodsReady(), {}, {}, Gates(), Second(9999)},
      /*single_pod=*/false);
  EXPECT_EQ(settled.now, Second(9999 + 60));
  EXPECT_TRUE(IsQueued(settled.workload, settled.now));
  EXPECT_TRUE(settled.requeue_at_set);
}

struct RequeuedCase {
  const char* name;
  const char* reason;
  bool single_pod;
  bool at_once;
  const char* later;
};

class KueueRequeuedTest : public testing::TestWithParam<RequeuedCase> {};

TEST_P(KueueRequeuedTest, IsDecidedByTheReasonOfTheEviction) {
  const RequeuedCase& test = GetParam();
  Workload workload = EvictedWorkload(test.reason, 500);
  ASSERT_TRUE(ReleaseQuota(test.single_pod, Gates(), Second(600),
                           *workload.mutable_status()));
  const Condition* const requeued =
      FindCondition(workload.status().conditions(), kRequeued);
  EXPECT_EQ(requeued->status(), test.at_once ? "True" : "False");
  EXPECT_EQ(requeued->reason(), test.reason);
  EXPECT_EQ(LaterRequeuedReason(test.reason, test.single_pod, Gates()),
            test.later);
  EXPECT_EQ(workload.status().accumulated_past_execution_time_seconds(), 200);
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueRequeuedTest,
    testing::Values(
        RequeuedCase{"Preempted", "Preempted", false, true, ""},
        RequeuedCase{"NodeFailures", "NodeFailures", false, true, ""},
        RequeuedCase{"PreemptedPod", "Preempted", true, false, ""},
        RequeuedCase{"Timeout", "PodsReadyTimeout", false, false,
                     "BackoffFinished"},
        RequeuedCase{"Check", "AdmissionCheck", false, false,
                     "BackoffFinished"},
        RequeuedCase{"ClusterQueue", "ClusterQueueStopped", false, false,
                     "ClusterQueueRestarted"},
        RequeuedCase{"LocalQueue", "LocalQueueStopped", false, false,
                     "LocalQueueRestarted"},
        RequeuedCase{"ByUser", "Deactivated", false, false, "Reactivated"},
        RequeuedCase{"ByKueue", "DeactivatedDueToAdmissionCheck", false, false,
                     ""},
        RequeuedCase{"Migration", "FlavorMigration", false, false, ""}),
    [](const auto& test) { return test.param.name; });

TEST(KueueReserveQuotaTest, EndsTheEviction) {
  Workload workload = EvictedWorkload("Preempted", 500);
  AddCondition(kPreempted, true, "InClusterQueue", 500, workload);
  ReserveQuota("other", Second(700), *workload.mutable_status());
  for (const std::string_view type : {kEvicted, kPreempted}) {
    const Condition* const condition =
        FindCondition(workload.status().conditions(), type);
    EXPECT_EQ(condition->status(), "False");
    EXPECT_THAT(condition->message(), ::testing::StartsWith("Previously: "));
  }
}

TEST(KueuePodsReadyTest, TellsStartRecoveryAndRecoveredApart) {
  Workload workload = AdmittedWorkload(1);
  WorkloadStatus& status = *workload.mutable_status();
  const auto reason = [&](bool ready) {
    SetPodsReady(ready, Second(2), status);
    return FindCondition(status.conditions(), kPodsReady)->reason();
  };
  EXPECT_EQ(reason(false), kWaitForStart);
  EXPECT_EQ(reason(true), kStarted);
  EXPECT_EQ(reason(false), kWaitForRecovery);
  EXPECT_EQ(reason(false), kWaitForRecovery);
  EXPECT_EQ(reason(true), kRecovered);
  EXPECT_EQ(reason(false), kWaitForRecovery);
  UnsetQuotaReservation("PendingEvaluation", "m", Second(3), status);
  EXPECT_EQ(reason(false), kWaitForStart);
}

}  // namespace
}  // namespace mulligan::kueue
