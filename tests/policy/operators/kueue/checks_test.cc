#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/multikueue.h"
#include "policy/operators/kueue/provisioning.h"
#include "tests/policy/operators/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

using ::testing::StartsWith;

AdmissionCheckState Check(const std::string& state) {
  AdmissionCheckState check;
  check.set_name("c");
  check.set_state(state);
  return check;
}

struct RequestCase {
  const char* name;
  // Type of the true condition of the request.
  const char* condition;
  bool admitted;
  std::int64_t attempt;
  const char* state;
};

class KueueFollowRequestTest : public testing::TestWithParam<RequestCase> {};

TEST_P(KueueFollowRequestTest, RetriesRejectsOrWaits) {
  const RequestCase& test = GetParam();
  Workload request;
  AddCondition(test.condition, true, "r", 5, request);
  const Workload workload = test.admitted ? AdmittedWorkload(1) : Workload();
  const CheckUpdate update = FollowRequest(
      Check("Pending"), {request.status().conditions(), test.attempt},
      RetryStrategy(), workload);
  EXPECT_EQ(update.check.state(), test.state);
  EXPECT_EQ(update.event.has_value(), update.check.state() != "Pending");
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueFollowRequestTest,
    testing::Values(
        RequestCase{"Failed", "Failed", false, 3, "Retry"},
        RequestCase{"FailedTooOften", "Failed", false, 4, "Rejected"},
        RequestCase{"Expired", "BookingExpired", false, 3, "Retry"},
        RequestCase{"ExpiredTooOften", "BookingExpired", false, 4, "Rejected"},
        RequestCase{"ExpiredAfterAdmission", "BookingExpired", true, 1,
                    "Pending"},
        RequestCase{"Revoked", "CapacityRevoked", true, 1, "Rejected"},
        RequestCase{"Provisioned", "Provisioned", false, 1, "Ready"},
        RequestCase{"Accepted", "Accepted", false, 1, "Pending"},
        RequestCase{"Nothing", "Odd", false, 1, "Pending"}),
    [](const auto& test) { return test.param.name; });

TEST(KueueFollowRequestTest, RevokedCapacityOfFinishedWorkIsIgnored) {
  Workload request;
  AddCondition("CapacityRevoked", true, "r", 5, request);
  Workload workload = AdmittedWorkload(1);
  AddCondition(kFinished, true, "Succeeded", 6, workload);
  EXPECT_EQ(FollowRequest(Check("Ready"), {request.status().conditions(), 1},
                          RetryStrategy(), workload)
                .check.state(),
            "Ready");
}

TEST(KueueFollowRequestTest,
     DelaysGrowWithTheRetriesAndOldRequestsAreNotCounted) {
  Workload request;
  AddCondition("Failed", true, "r", 5, request);
  AdmissionCheckState check = Check("Pending");
  check.set_retry_count(2);
  const auto follow = [&](std::int64_t attempt) {
    return FollowRequest(check, {request.status().conditions(), attempt},
                         RetryStrategy(), Workload())
        .check;
  };
  EXPECT_EQ(follow(3).requeue_after_seconds(), 240);
  EXPECT_EQ(follow(2).state(), "Pending");
}

TEST(KueueChecksTest, MessagesSortByName) {
  Workload workload;
  AddCheck("b", "Retry", workload).set_message("why");
  AddCheck("c", "Ready", workload);
  AddCheck("a", "Retry", workload);
  EXPECT_EQ(ChecksMessage("Retry", workload.status()),
            "AdmissionChecks in Retry state: \"a\"; \"b\" (why)");
}

TEST(KueueChecksTest, TheQueueSaysWhichChecksThereAre) {
  Workload workload;
  AddCheck("b", "Ready", workload);
  AddCheck("c", "Ready", workload);
  WorkloadStatus& status = *workload.mutable_status();
  EXPECT_TRUE(SyncChecks({"b", "a"}, Second(1), status));
  EXPECT_EQ(status.admission_checks(0).name(), "a");
  EXPECT_EQ(status.admission_checks(0).state(), "Pending");
  EXPECT_EQ(status.admission_checks(1).state(), "Ready");
  EXPECT_FALSE(SyncChecks({"a", "b"}, Second(1), status));
}

class KueueWorkersTest : public testing::Test {
 protected:
  KueueWorkersTest() {
    workload_.mutable_status()->set_cluster_name("w");
    worker_.name = "w";
  }

  ManagerVerdict Follow() {
    return FollowWorkers(
        {workload_, check_, true, "", "", {worker_}, absl::Seconds(300)});
  }

  void Remote(std::string_view type, const std::string& reason) {
    Workload remote;
    AddCondition(type, true, reason, 5, remote);
    worker_.remote = remote.status();
  }

  Workload workload_ = AdmittedWorkload(1);
  AdmissionCheckState check_ = Check("Ready");
  Worker worker_;
};

TEST_F(KueueWorkersTest, AnEvictionThereIsARetryHere) {
  Remote(kEvicted, "Preempted");
  const ManagerVerdict verdict = Follow();
  EXPECT_EQ(verdict.check.state(), "Retry");
  EXPECT_THAT(verdict.check.message(),
              StartsWith("Workload evicted on worker cluster: \"w\""));
}

TEST_F(KueueWorkersTest, OutOfSyncIsNoEnd) {
  Remote(kFinished, "OutOfSync");
  EXPECT_FALSE(Follow().finished.has_value());
  EXPECT_EQ(Follow().check.state(), "Retry");
  Remote(kFinished, "Failed");
  EXPECT_EQ(Follow().finished->reason(), "Failed");
}

TEST_F(KueueWorkersTest, ALostWorkerHasAGracePeriod) {
  worker_.reachable = false;
  worker_.lost_for = absl::Seconds(299);
  EXPECT_EQ(Follow().check.state(), "Ready");
  EXPECT_EQ(Follow().requeue_after, absl::Seconds(1));
  worker_.lost_for = absl::Seconds(300);
  EXPECT_EQ(Follow().check.state(), "Retry");
  EXPECT_EQ(Follow().check.message(),
            "Admitting remote lost, Previously: \"Ready\"");
}

TEST_F(KueueWorkersTest, ALostCopyRetriesAtOnce) {
  EXPECT_EQ(Follow().check.message(),
            "Admitting remote no longer exists, Previously: \"Ready\"");
}

TEST_F(KueueWorkersTest, AClusterTakenOutOfTheConfigurationIsNotWaitedFor) {
  const ManagerVerdict verdict =
      FollowWorkers({workload_, check_, true, "", "", {}, absl::Seconds(300)});
  EXPECT_EQ(verdict.check.state(), "Retry");
  EXPECT_EQ(verdict.check.message(),
            "Admitting remote no longer exists, Previously: \"Ready\"");
}

TEST_F(KueueWorkersTest, AWorkloadWithoutAJobIsRejected) {
  check_ = Check("Pending");
  const ManagerVerdict verdict = FollowWorkers(
      {workload_, check_, false, "", "", {worker_}, absl::Seconds(300)});
  EXPECT_EQ(verdict.check.state(), "Rejected");
  EXPECT_EQ(verdict.check.message(),
            "No multikueue adapter found, Previously: \"Pending\"");
}

TEST_F(KueueWorkersTest, AnAdmissionThereSatisfiesTheCheck) {
  check_ = Check("Pending");
  Remote(kAdmitted, "Admitted");
  EXPECT_EQ(Follow().check.state(), "Ready");
  EXPECT_EQ(Follow().check.message(), "The workload was admitted on \"w\"");
}

}  // namespace
}  // namespace mulligan::kueue
