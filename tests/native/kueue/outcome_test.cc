#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/kueue/test_objects.h"

namespace mulligan {
namespace {

using kueue::AddCheck;
using kueue::AddCondition;
using kueue::AdmittedWorkload;
using kueue::EvictedWorkload;
using kueue::Parse;
using kueue::Workload;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr std::int64_t kAskedAt = 10'000;

class KueueWorkloadOutcomeTest : public testing::Test {
 protected:
  NativeOutcome Outcome(const Workload& workload) {
    *report_.mutable_kueue_workload() = workload;
    google::protobuf::Timestamp now;
    now.set_seconds(kAskedAt);
    const auto outcome = WorkloadOutcome({report_, ledger_, semantics_, now});
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(NativeOutcome());
  }

  void Setting(const std::string& name, const std::string& value) {
    (*semantics_.mutable_settings())["kueue." + name] = value;
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

TEST_F(KueueWorkloadOutcomeTest, HasNoAnswerWithoutAWorkload) {
  EXPECT_FALSE(WorkloadOutcome({report_, ledger_, semantics_, {}}).has_value());
}

TEST_F(KueueWorkloadOutcomeTest, ReadinessTimeoutsAreChargedAndWait) {
  Setting("waitForPodsReady.requeuingStrategy.backoffLimitCount", "3");
  Workload workload = AdmittedWorkload(1);
  workload.mutable_status()->mutable_requeue_state()->set_count(1);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.operator_(), "Workload");
  EXPECT_EQ(outcome.verdict.semantics(), "kueue 0.19");
  EXPECT_EQ(outcome.verdict.verdict(), "EvictAndRequeueWithBackoff");
  EXPECT_EQ(outcome.verdict.reason(), "PodsReadyTimeout");
  EXPECT_EQ(outcome.verdict.message(), "Exceeded the PodsReady timeout ns/wl");
  EXPECT_EQ(outcome.verdict.delay().seconds(), 120);
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::WORKLOAD);
  EXPECT_EQ(outcome.queue, v1::Decision::REQUEUE);
  EXPECT_EQ(outcome.charged_to, "backoffLimitCount");
  EXPECT_EQ(outcome.used, 2);
  EXPECT_EQ(outcome.limit, 3);
  EXPECT_THAT(outcome.verdict.counters(),
              Contains(Pair("requeueState.count", 2)));
}

TEST_F(KueueWorkloadOutcomeTest, TheTimeoutBeyondTheLimitDeactivates) {
  Setting("waitForPodsReady.requeuingStrategy.backoffLimitCount", "1");
  Workload workload = AdmittedWorkload(1);
  workload.mutable_status()->mutable_requeue_state()->set_count(1);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.verdict(), "Deactivate");
  EXPECT_EQ(outcome.verdict.reason(), "DeactivatedDueToRequeuingLimitExceeded");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.used, 2);
  EXPECT_EQ(outcome.limit, 1);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("kueue#14870")));
}

TEST_F(KueueWorkloadOutcomeTest, WithoutALimitNothingIsCharged) {
  const NativeOutcome outcome = Outcome(AdmittedWorkload(1));
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.charged_to, "");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("without limit")));
}

struct EvictedCase {
  const char* name;
  const char* reason;
  v1::Decision::Action action;
  v1::Decision::Queue queue;
};

class KueueEvictedOutcomeTest
    : public KueueWorkloadOutcomeTest,
      public testing::WithParamInterface<EvictedCase> {};

TEST_P(KueueEvictedOutcomeTest, FollowsTheReason) {
  const EvictedCase& test = GetParam();
  const NativeOutcome outcome = Outcome(EvictedWorkload(test.reason, 9000));
  EXPECT_EQ(outcome.verdict.verdict(), "Evicted");
  EXPECT_EQ(outcome.verdict.reason(), test.reason);
  EXPECT_EQ(outcome.action, test.action);
  EXPECT_EQ(outcome.queue, test.queue);
  EXPECT_FALSE(outcome.verdict.has_delay());
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueEvictedOutcomeTest,
    testing::Values(
        EvictedCase{"Preempted", "Preempted", v1::Decision::RETRY,
                    v1::Decision::REQUEUE},
        EvictedCase{"NodeFailures", "NodeFailures", v1::Decision::RETRY,
                    v1::Decision::REQUEUE},
        EvictedCase{"Timeout", "PodsReadyTimeout", v1::Decision::RETRY,
                    v1::Decision::REQUEUE},
        EvictedCase{"Check", "AdmissionCheck", v1::Decision::RETRY,
                    v1::Decision::REQUEUE},
        EvictedCase{"ClusterQueue", "ClusterQueueStopped", v1::Decision::WAIT,
                    v1::Decision::QUEUE_UNSPECIFIED},
        EvictedCase{"LocalQueue", "LocalQueueStopped", v1::Decision::WAIT,
                    v1::Decision::QUEUE_UNSPECIFIED},
        EvictedCase{"ByUser", "Deactivated", v1::Decision::IGNORE,
                    v1::Decision::QUEUE_UNSPECIFIED},
        EvictedCase{"ByKueue", "DeactivatedDueToMaximumExecutionTimeExceeded",
                    v1::Decision::FAIL, v1::Decision::QUEUE_UNSPECIFIED},
        EvictedCase{"Migration", "FlavorMigration", v1::Decision::WAIT,
                    v1::Decision::QUEUE_UNSPECIFIED},
        EvictedCase{"Newer", "Teleported", v1::Decision::WAIT,
                    v1::Decision::QUEUE_UNSPECIFIED}),
    [](const auto& test) { return test.param.name; });

TEST_F(KueueWorkloadOutcomeTest, ARunningBackoffIsTheDelay) {
  Workload workload = EvictedWorkload("PodsReadyTimeout", 9990);
  auto& state = *workload.mutable_status()->mutable_requeue_state();
  state.set_count(4);
  state.mutable_requeue_at()->set_seconds(kAskedAt + 480);
  EXPECT_EQ(Outcome(workload).verdict.delay().seconds(), 480);
}

TEST_F(KueueWorkloadOutcomeTest, ASinglePodIsNotRequeued) {
  Workload workload = EvictedWorkload("Preempted", 9000);
  workload.mutable_metadata()->add_owner_references()->set_kind("Pod");
  EXPECT_EQ(Outcome(workload).action, v1::Decision::FAIL);
  (*semantics_
        .mutable_feature_gates())["SkipReassignmentForPodOwnedWorkloads"] =
      false;
  EXPECT_EQ(Outcome(workload).action, v1::Decision::RETRY);
}

TEST_F(KueueWorkloadOutcomeTest, AStoppedQueueEvicts) {
  Setting("clusterQueue.stopPolicy", "HoldAndDrain");
  const NativeOutcome outcome = Outcome(AdmittedWorkload(9990));
  EXPECT_EQ(outcome.verdict.verdict(), "Evict");
  EXPECT_EQ(outcome.verdict.reason(), "ClusterQueueStopped");
  EXPECT_EQ(outcome.action, v1::Decision::WAIT);
}

TEST_F(KueueWorkloadOutcomeTest, ARunningQueueRequeues) {
  Setting("clusterQueue.stopPolicy", "None");
  const NativeOutcome outcome =
      Outcome(EvictedWorkload("ClusterQueueStopped", 9000));
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
}

TEST_F(KueueWorkloadOutcomeTest, FailedWorkIsNeverRequeued) {
  *report_.add_jobs() = Parse<kubernetes::batch::v1::Job>(R"(
      metadata { name: "j" }
      status { conditions {
        type: "Failed" status: "True" reason: "BackoffLimitExceeded"
        message: "too many"
      } })");
  const NativeOutcome outcome = Outcome(AdmittedWorkload(9990));
  EXPECT_EQ(outcome.verdict.verdict(), "Finished");
  EXPECT_EQ(outcome.verdict.reason(), "Failed");
  EXPECT_EQ(outcome.verdict.message(), "too many");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
}

TEST_F(KueueWorkloadOutcomeTest, TheJobOfAnotherWorkloadIsNotItsEnd) {
  *report_.add_jobs() = Parse<kubernetes::batch::v1::Job>(R"(
      metadata { name: "other" }
      status { conditions { type: "Failed" status: "True" } })");
  Workload workload = AdmittedWorkload(9990);
  auto& owner = *workload.mutable_metadata()->add_owner_references();
  owner.set_kind("Job");
  owner.set_name("mine");
  EXPECT_EQ(Outcome(workload).verdict.verdict(), "None");
}

TEST_F(KueueWorkloadOutcomeTest, IgnoresFailedPods) {
  report_.add_pods()->mutable_status()->set_phase("Failed");
  const NativeOutcome outcome = Outcome(AdmittedWorkload(9990));
  EXPECT_EQ(outcome.verdict.verdict(), "None");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("29m50s away")));
}

// kueue#14811: the restart of a JobSet starts the recovery timeout.
TEST_F(KueueWorkloadOutcomeTest, ARestartOfTheJobCountsAsALossOfReadiness) {
  *report_.mutable_job_set() = Parse<kubernetes::jobset::v1alpha2::JobSet>(R"(
      spec { replicated_jobs { name: "a" replicas: 2 } }
      status { replicated_jobs_status { name: "a" ready: 1 } })");
  Workload workload = AdmittedWorkload(9000);
  AddCondition(kueue::kPodsReady, true, "Started", 9100, workload);
  EXPECT_THAT(Outcome(workload).warnings,
              Contains(HasSubstr("unless it recovers within 30m")));
}

TEST_F(KueueWorkloadOutcomeTest, ChecksEvictAfterTheirDelay) {
  Workload workload = AdmittedWorkload(9990);
  auto& check = AddCheck("prov", "Retry", workload);
  check.set_message("no capacity");
  check.set_requeue_after_seconds(60);
  check.mutable_last_transition_time()->set_seconds(kAskedAt);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.reason(), "AdmissionCheck");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.verdict.delay().seconds(), 60);
  EXPECT_EQ(outcome.charged_to, "");
  EXPECT_THAT(outcome.verdict.counters(),
              Contains(Pair("admissionChecks[0].retryCount", 1)));
}

// Passes repeat until nothing changes; the job does not stop in between.
TEST_F(KueueWorkloadOutcomeTest, ExecutionTimeRunsOutBehindAnotherEviction) {
  Setting("clusterQueue.stopPolicy", "HoldAndDrain");
  Workload workload = AdmittedWorkload(9990);
  workload.mutable_spec()->set_maximum_execution_time_seconds(5);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.verdict(), "Deactivate");
  EXPECT_EQ(outcome.verdict.reason(), "ClusterQueueStopped");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
}

TEST_F(KueueWorkloadOutcomeTest, AcceptsNewerReasonsWithAWarning) {
  EXPECT_THAT(Outcome(EvictedWorkload("Teleported", 5)).warnings,
              Contains(HasSubstr("Teleported")));
}

TEST_F(KueueWorkloadOutcomeTest, RejectedChecksDeactivate) {
  Workload workload = AdmittedWorkload(9990);
  AddCheck("prov", "Rejected", workload);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.verdict(), "Deactivate");
  EXPECT_EQ(outcome.verdict.reason(), "DeactivatedDueToAdmissionCheck");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
}

TEST_F(KueueWorkloadOutcomeTest, AUsersStopIsNotAFailure) {
  Workload workload = AdmittedWorkload(9990);
  workload.mutable_spec()->set_active(false);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.verdict(), "Evict");
  EXPECT_EQ(outcome.verdict.reason(), "Deactivated");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
}

class KueueNodeOutcomeTest : public KueueWorkloadOutcomeTest {
 protected:
  Workload Placed() {
    Workload workload = AdmittedWorkload(9990);
    *workload.mutable_status()->mutable_admission()->add_pod_set_assignments() =
        Parse<kubernetes::kueue::v1beta2::PodSetAssignment>(R"(
            topology_assignment {
              levels: "kubernetes.io/hostname"
              domains { values: "a" } domains { values: "b" }
            })");
    return workload;
  }

  void Lose(const std::string& name) {
    report_.add_nodes()->mutable_metadata()->set_name(name);
  }
};

TEST_F(KueueNodeOutcomeTest, OneNodeIsReplacedInPlace) {
  Lose("a");
  Lose("unrelated");
  const NativeOutcome outcome = Outcome(Placed());
  EXPECT_EQ(outcome.verdict.verdict(), "ReplaceNode");
  EXPECT_EQ(outcome.verdict.message(), "a");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::POD);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
}

TEST_F(KueueNodeOutcomeTest, TwoNodesEvict) {
  Lose("a");
  Lose("b");
  const NativeOutcome outcome = Outcome(Placed());
  EXPECT_EQ(outcome.verdict.verdict(), "Evict");
  EXPECT_EQ(outcome.verdict.reason(), "NodeFailures");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.queue, v1::Decision::REQUEUE);
}

TEST_F(KueueWorkloadOutcomeTest, QueuedWorkIsNotAFailure) {
  Workload workload;
  AddCondition(kueue::kQuotaReserved, false, "WaitingForQuota", 5, workload);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.verdict(), "Pending");
  EXPECT_EQ(outcome.verdict.reason(), "WaitingForQuota");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
}

// Nothing is written, so the checks keep their order.
TEST_F(KueueWorkloadOutcomeTest, ReasonsAreFineGrainedWithTheGateOnly) {
  Workload workload;
  workload.mutable_spec()->set_active(false);
  AddCondition(kueue::kQuotaReserved, false, "Pending", 5, workload);
  AddCondition(kueue::kEvicted, true, "Preempted", 5, workload);
  AddCheck("b", "Pending", workload).set_retry_count(3);
  AddCheck("a", "Pending", workload);
  const auto first = Pair("admissionChecks[0].retryCount", 3);
  const auto second = Pair("admissionChecks[1].retryCount", 3);
  EXPECT_THAT(Outcome(workload).verdict.counters(), Contains(first));

  (*semantics_.mutable_feature_gates())["UnadmittedWorkloadsObservability"] =
      true;
  EXPECT_THAT(Outcome(workload).verdict.counters(), Contains(second));

  workload.mutable_status()->mutable_conditions()->RemoveLast();
  workload.mutable_spec()->clear_active();
  EXPECT_EQ(Outcome(workload).verdict.reason(), "PendingEvaluation");
  Setting("localQueue.stopPolicy", "Hold");
  EXPECT_EQ(Outcome(workload).verdict.reason(), "Suspended");
  semantics_.clear_feature_gates();
  EXPECT_EQ(Outcome(workload).verdict.reason(), "Inadmissible");
  EXPECT_EQ(Outcome(workload).verdict.message(), "LocalQueue is inactive");
  workload.mutable_spec()->set_queue_name("lq");
  EXPECT_EQ(Outcome(workload).verdict.message(), "LocalQueue lq is inactive");
}

TEST_F(KueueWorkloadOutcomeTest, FinishedWorkKeepsItsEnd) {
  Workload workload = AdmittedWorkload(1);
  AddCondition(kueue::kFinished, true, "FailedToStart", 5, workload);
  EXPECT_EQ(Outcome(workload).action, v1::Decision::FAIL);
}

// Invalid input.

TEST_F(KueueWorkloadOutcomeTest, AnEmptyWorkloadIsPending) {
  const NativeOutcome outcome = Outcome(Workload());
  EXPECT_EQ(outcome.verdict.verdict(), "Pending");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
}

TEST_F(KueueWorkloadOutcomeTest, SurvivesHugeAndNegativeNumbers) {
  Setting("waitForPodsReady.requeuingStrategy.backoffLimitCount", "2147483647");
  Workload workload = AdmittedWorkload(1);
  auto& status = *workload.mutable_status();
  status.mutable_requeue_state()->set_count(
      std::numeric_limits<std::int32_t>::max());
  status.set_accumulated_past_execution_time_seconds(
      std::numeric_limits<std::int32_t>::min());
  workload.mutable_spec()->set_maximum_execution_time_seconds(-5);
  EXPECT_EQ(Outcome(workload).action, v1::Decision::FAIL);
  status.mutable_requeue_state()->set_count(-7);
  EXPECT_EQ(Outcome(workload).action, v1::Decision::RETRY);
}

TEST_F(KueueWorkloadOutcomeTest, NamesAContradictoryStatus) {
  Workload workload = AdmittedWorkload(1);
  workload.mutable_status()->mutable_conditions(0)->set_status("False");
  EXPECT_THAT(Outcome(workload).warnings,
              Contains(HasSubstr("Admitted without QuotaReserved")));
}

TEST_F(KueueWorkloadOutcomeTest, CompletesATruncatedStatus) {
  Workload workload = AdmittedWorkload(1);
  workload.mutable_status()->mutable_conditions()->DeleteSubrange(0, 1);
  const NativeOutcome outcome = Outcome(workload);
  EXPECT_EQ(outcome.verdict.reason(), "PodsReadyTimeout");
  EXPECT_THAT(outcome.warnings,
              Not(Contains(HasSubstr("Admitted without QuotaReserved"))));
}

}  // namespace
}  // namespace mulligan
