#include "policy/operators/rayjob/reconcile.h"

#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/rayjob/test_objects.h"

namespace mulligan::rayjob {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RayJobPassTest : public testing::Test {
 protected:
  Pass PassOver(const RayJob& job) {
    World world{job, settings_};
    world.cluster = &cluster_;
    world.head_pod = &head_;
    world.submitter = &submitter_;
    world.ray = ray_;
    world.errors = errors_;
    world.now = now_;
    return Reconcile(world);
  }

  void RaySays(const std::string& job_status) { ray_.job_status = job_status; }

  Settings settings_;
  RayCluster cluster_;
  Pod head_ = HeadPod();
  Job submitter_ = SubmitterJob();
  RayAnswer ray_ = {.job_status = "RUNNING"};
  CallErrors errors_;
  google::protobuf::Timestamp now_ = Second(10);
};

// How a running attempt ends.
struct EndCase {
  std::string name;
  std::string spec;
  std::string status;
  std::string ray;
  std::string submitter;
  std::string state;
  std::string reason;
};

void PrintTo(const EndCase& test, std::ostream* out) { *out << test.name; }

class RayJobEndTest : public RayJobPassTest,
                      public testing::WithParamInterface<EndCase> {};

TEST_P(RayJobEndTest, FirstCheckThatFiresDecides) {
  const EndCase& test = GetParam();
  RayJob job = RayJobIn(kRunning, test.spec);
  job.mutable_status()->MergeFrom(Parse<RayJobStatus>(test.status));
  RaySays(test.ray);
  submitter_ = SubmitterJob(test.submitter);
  const Pass pass = PassOver(job);
  EXPECT_EQ(pass.status.job_deployment_status(), test.state);
  EXPECT_EQ(pass.status.reason(), test.reason);
}

INSTANTIATE_TEST_SUITE_P(
    Running, RayJobEndTest,
    testing::Values(
        EndCase{"NothingHappens", "", "", "RUNNING", "", "Running", ""},
        EndCase{"RayAloneDoesNotEndIt", "backoff_limit: 1", "", "FAILED", "",
                "Running", ""},
        EndCase{"ApplicationFails", "", "", "FAILED", "Complete", "Failed",
                "AppFailed"},
        EndCase{"ApplicationIsRetried", "backoff_limit: 1", "", "FAILED",
                "Complete", "Retrying", "AppFailed"},
        EndCase{"ApplicationSucceeds", "", "", "SUCCEEDED", "Complete",
                "Complete", ""},
        EndCase{"StoppedIsComplete", "backoff_limit: 1", "", "STOPPED",
                "Complete", "Complete", ""},
        EndCase{"SubmissionFails", "", "", "RUNNING", "Failed", "Failed",
                "SubmissionFailed"},
        EndCase{"SubmitterOfAFailedApplication", "", "job_status: 'FAILED'",
                "FAILED", "Failed", "Failed", "AppFailed"},
        EndCase{"HttpModeNeedsNoSubmitter", "submission_mode: 'HTTPMode'", "",
                "FAILED", "", "Failed", "AppFailed"},
        EndCase{"DeadlineGoesBeforeTheSubmitter", "active_deadline_seconds: 10",
                "", "FAILED", "Failed", "Failed", "DeadlineExceeded"},
        EndCase{"SuspendGoesBeforeTheDeadline",
                "suspend: true shutdown_after_job_finishes: true "
                "active_deadline_seconds: 1",
                "", "RUNNING", "", "Suspending", ""},
        EndCase{"GracePeriodOfAFailure", "",
                "job_status: 'FAILED' ray_job_info { end_time { seconds: -300 "
                "} }",
                "FAILED", "", "Failed",
                "JobDeploymentStatusTransitionGracePeriodExceeded"},
        EndCase{"GracePeriodOfASuccess", "",
                "job_status: 'SUCCEEDED' ray_job_info { end_time { seconds: "
                "-300 } }",
                "SUCCEEDED", "", "Complete",
                "JobDeploymentStatusTransitionGracePeriodExceeded"},
        EndCase{"NoGracePeriodWithoutRaysEnd", "", "job_status: 'FAILED'",
                "FAILED", "", "Running", ""},
        EndCase{"UnreachableDashboardIsFinal", "backoff_limit: 5",
                "job_status_check_failure_start_time { seconds: -290 }",
                "RUNNING", "", "Failed", "JobStatusCheckTimeoutExceeded"}),
    [](const auto& test) { return test.param.name; });

TEST_F(RayJobPassTest, SubmitterTimeoutOverwritesTheReasonAndForcesFailed) {
  submitter_ = SubmitterJob("Failed", 1);
  now_ = Second(31);
  const Pass pass = PassOver(RayJobIn(kRunning));
  EXPECT_EQ(pass.status.reason(), kGracePeriodExceeded);
  EXPECT_EQ(pass.status.job_status(), "FAILED");
  EXPECT_EQ(pass.status.message(),
            "The RayJob submitter finished at 1970-01-01 00:00:01 but the ray "
            "job did not reach terminal state within 30s");
}

TEST_F(RayJobPassTest, DeadlineLeavesRaysStatusStale) {
  RayJob job = RayJobIn(kRunning, "active_deadline_seconds: 5");
  job.mutable_status()->set_job_status("RUNNING");
  const Pass pass = PassOver(job);
  EXPECT_EQ(pass.status.job_status(), "RUNNING");
  EXPECT_EQ(pass.status.message(),
            "The RayJob has passed the activeDeadlineSeconds. StartTime: "
            "1970-01-01 00:00:00 +0000 UTC. ActiveDeadlineSeconds: 5");
  EXPECT_EQ(pass.status.end_time().seconds(), 10);
}

TEST_F(RayJobPassTest, RetryLeavesNoEndTimeAndForgetsTheCauseOnTearDown) {
  submitter_ = SubmitterJob("Complete", 9);
  RaySays("FAILED");
  RayJob job = RayJobIn(kRunning, "backoff_limit: 1");
  Pass pass = PassOver(job);
  EXPECT_FALSE(pass.status.has_end_time());
  *job.mutable_status() = pass.status;
  pass = PassOver(job);
  EXPECT_TRUE(pass.deletes_cluster);
  EXPECT_TRUE(pass.deletes_submitter);
  EXPECT_FALSE(pass.writes_status);
  World world{job, settings_};
  pass = Reconcile(world);
  EXPECT_EQ(pass.status.job_deployment_status(), kNew);
  EXPECT_EQ(pass.status.reason(), "");
  EXPECT_EQ(pass.status.job_status(), "");
  EXPECT_EQ(pass.status.failed(), 1);
}

TEST_F(RayJobPassTest, SidecarEndsWithItsHead) {
  const RayJob job = RayJobIn(kRunning, "submission_mode: 'SidecarMode'");
  World world{job, settings_};
  world.cluster = &cluster_;
  const Pass pass = Reconcile(world);
  EXPECT_EQ(pass.status.reason(), kAppFailed);
  EXPECT_EQ(pass.status.message(), "Ray head pod not found.");
}

TEST_F(RayJobPassTest, SidecarFailsWithItsContainer) {
  head_ = HeadPod(3);
  const RayJob job = RayJobIn(kRunning, "submission_mode: 'SidecarMode'");
  const Pass pass = PassOver(job);
  EXPECT_EQ(pass.status.reason(), kSubmissionFailed);
  EXPECT_EQ(pass.status.message(),
            "Ray head pod container ray-job-submitter terminated with exit "
            "code 3: Error");
}

TEST_F(RayJobPassTest, MissingRayJobAfterTheSubmitterIsAFailure) {
  ray_.kind = RayAnswer::Kind::kNotFound;
  EXPECT_EQ(PassOver(RayJobIn(kRunning)).status.job_deployment_status(),
            kRunning);
  submitter_ = SubmitterJob("Complete", 9);
  EXPECT_EQ(PassOver(RayJobIn(kRunning)).status.message(),
            "Submitter completed but Ray job not found in RayCluster.");
}

TEST_F(RayJobPassTest, HttpModeSubmitsAgainAsLongAsRayDoesNotKnowTheJob) {
  ray_.kind = RayAnswer::Kind::kNotFound;
  RayJob job = RayJobIn(kRunning, "submission_mode: 'HTTPMode'");
  *job.mutable_status()->mutable_job_status_check_failure_start_time() =
      Second(9);
  Pass pass = PassOver(job);
  EXPECT_TRUE(pass.submits_to_ray);
  EXPECT_FALSE(pass.status.has_job_status_check_failure_start_time());
  errors_.submit = "refused";
  job.mutable_status()->clear_job_status_check_failure_start_time();
  pass = PassOver(job);
  EXPECT_EQ(pass.status.job_status_check_failure_start_time().seconds(), 10);
}

TEST_F(RayJobPassTest, FirstErrorStartsTheTimerAndAnAnswerStopsIt) {
  RayJob job = RayJobIn(kRunning);
  ray_.kind = RayAnswer::Kind::kError;
  Pass pass = PassOver(job);
  EXPECT_TRUE(pass.writes_status);
  *job.mutable_status() = pass.status;
  now_ = Second(20);
  pass = PassOver(job);
  EXPECT_EQ(pass.status.job_status_check_failure_start_time().seconds(), 10);
  ray_.kind = RayAnswer::Kind::kStatus;
  EXPECT_FALSE(PassOver(job).status.has_job_status_check_failure_start_time());
}

TEST_F(RayJobPassTest, SubmitterThatCannotBeCreatedKeepsItInitializing) {
  RayJob job = RayJobIn(kInitializing);
  errors_.create_submitter = "no";
  World world{job, settings_};
  world.cluster = &cluster_;
  world.errors = errors_;
  const Pass pass = Reconcile(world);
  EXPECT_EQ(pass.error, "no");
  EXPECT_FALSE(pass.writes_status);
  ASSERT_EQ(pass.events.size(), 1U);
  EXPECT_EQ(pass.events[0].message,
            "Failed to create new Kubernetes Job ml/train: no");
}

TEST_F(RayJobPassTest, WaitingLooksAtThePreRunningDeadlineOnly) {
  const std::string interactive = "submission_mode: 'InteractiveMode' ";
  EXPECT_EQ(
      PassOver(RayJobIn(kWaiting, interactive + "active_deadline_seconds: 1"))
          .status.job_deployment_status(),
      kWaiting);
  EXPECT_EQ(PassOver(RayJobIn(kWaiting,
                              interactive + "pre_running_deadline_seconds: 1"))
                .status.reason(),
            kPreRunningDeadlineExceeded);
  EXPECT_EQ(PassOver(RayJobIn(kWaiting, interactive + "job_id: 'mine'"))
                .status.job_deployment_status(),
            kRunning);
}

TEST_F(RayJobPassTest, InvalidSpecFreezesItInAnyState) {
  for (const std::string_view state : {kNew, kRunning, kFailed}) {
    const Pass pass = PassOver(RayJobIn(state, "backoff_limit: -1"));
    EXPECT_EQ(pass.status.job_deployment_status(), kValidationFailed);
    EXPECT_EQ(pass.status.message(),
              "The RayJob spec is invalid: backoffLimit must be a positive "
              "integer");
    EXPECT_EQ(pass.status.failed(), 0);
  }
  EXPECT_FALSE(PassOver(RayJobIn(kValidationFailed)).writes_status);
}

TEST_F(RayJobPassTest, OthersObjectsAreLeftAlone) {
  EXPECT_TRUE(
      PassOver(RayJobIn(kRunning, "managed_by: 'kueue.x-k8s.io/multikueue'"))
          .left_alone);
  RayJob deleted = RayJobIn(kRunning);
  *deleted.mutable_metadata()->mutable_deletion_timestamp() = Second(1);
  EXPECT_TRUE(PassOver(deleted).left_alone);
}

TEST_F(RayJobPassTest, UnknownStateDoesNothing) {
  const Pass pass = PassOver(RayJobIn("Paused"));
  EXPECT_FALSE(pass.writes_status);
  EXPECT_EQ(pass.error, "");
  // Every three seconds, for ever.
  EXPECT_FALSE(pass.waits_for_change);
}

TEST_F(RayJobPassTest, LooksAgainUnlessOnlyAChangeMatters) {
  const std::string suspend = "suspend: true shutdown_after_job_finishes: true";
  EXPECT_TRUE(PassOver(RayJobIn(kSuspended, suspend)).waits_for_change);
  EXPECT_FALSE(PassOver(RayJobIn(kSuspended)).waits_for_change);
  EXPECT_FALSE(PassOver(RayJobIn(kInitializing)).waits_for_change);
  EXPECT_TRUE(
      PassOver(RayJobIn(kRunning, "backoff_limit: -1")).waits_for_change);
  EXPECT_TRUE(PassOver(RayJobIn(kFailed)).waits_for_change);
}

TEST_F(RayJobPassTest, SelectedClusterMustBeThere) {
  const RayJob job =
      RayJobIn(kInitializing,
               "cluster_selector { key: 'ray.io/cluster' value: 'shared' }");
  const World world{job, settings_};
  const Pass pass = Reconcile(world);
  EXPECT_THAT(pass.error, HasSubstr("not found"));
  EXPECT_FALSE(pass.creates_cluster);
}

TEST_F(RayJobPassTest, SchedulerErrorsHoldARetryButNotTheEnd) {
  errors_.clean_up_scheduler = "busy";
  const RayJob retrying = RayJobIn(kRetrying);
  World world{retrying, settings_};
  world.errors = errors_;
  EXPECT_EQ(Reconcile(world).error, "busy");
  const Pass end = PassOver(RayJobIn(kFailed));
  EXPECT_EQ(end.error, "");
  ASSERT_EQ(end.events.size(), 1U);
  EXPECT_EQ(end.events[0].reason, "FailedToCleanupBatchScheduler");
}

TEST(RayJobStatusWriteTest, NewTextAloneIsDropped) {
  RayJobStatus before = Parse<RayJobStatus>("job_status: 'RUNNING'");
  RayJobStatus after = before;
  after.set_message("new");
  after.set_reason("new");
  EXPECT_FALSE(WritesStatus(before, after));
  *after.mutable_ray_cluster_status()->mutable_last_update_time() = Second(1);
  EXPECT_FALSE(WritesStatus(before, after));
  after.mutable_ray_cluster_status()->set_state("ready");
  EXPECT_TRUE(WritesStatus(before, after));
}

}  // namespace
}  // namespace mulligan::rayjob
