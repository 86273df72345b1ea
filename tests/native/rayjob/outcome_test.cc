#include <limits>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/rayjob/test_objects.h"

namespace mulligan {
namespace {

using ::mulligan::rayjob::Parse;
using ::mulligan::rayjob::RayJobIn;
using ::mulligan::rayjob::Second;
using ::mulligan::rayjob::SubmitterJob;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class RayJobOutcomeTest : public testing::Test {
 protected:
  NativeOutcome Outcome() {
    const std::optional<NativeOutcome> outcome =
        RayJobOutcome({report_, ledger_, semantics_, Second(100)});
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(NativeOutcome());
  }

  void Report(std::string_view state, const std::string& spec = "",
              const std::string& status = "") {
    *report_.mutable_ray_job() = RayJobIn(state, spec);
    report_.mutable_ray_job()->mutable_status()->MergeFrom(
        Parse<rayjob::RayJobStatus>(status));
  }

  rayjob::Pod& AddPod(const std::string& node, const std::string& phase) {
    rayjob::Pod& pod = *report_.add_pods();
    pod.mutable_metadata()->set_name("train-0-" + node);
    (*pod.mutable_metadata()->mutable_labels())["ray.io/node-type"] = node;
    pod.mutable_status()->set_phase(phase);
    return pod;
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

TEST_F(RayJobOutcomeTest, HasNoAnswerWithoutARayJob) {
  report_.mutable_ray_cluster();
  EXPECT_FALSE(
      RayJobOutcome({report_, ledger_, semantics_, Second(1)}).has_value());
}

TEST_F(RayJobOutcomeTest, ApplicationFailureIsRetriedOnANewCluster) {
  Report(rayjob::kRunning, "backoff_limit: 2", "job_status: 'FAILED'");
  *report_.add_jobs() = SubmitterJob("Complete", 99);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.operator_(), "RayJob");
  EXPECT_EQ(outcome.verdict.semantics(), "kuberay 1.7");
  EXPECT_EQ(outcome.verdict.verdict(), "Retrying");
  EXPECT_EQ(outcome.verdict.reason(), "AppFailed");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::CLUSTER);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(outcome.charged_to, "backoffLimit");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 2);
  EXPECT_FALSE(outcome.verdict.has_delay());
  EXPECT_THAT(outcome.verdict.counters(), Contains(Pair("failed", 1)));
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST_F(RayJobOutcomeTest, LastAttemptFails) {
  Report(rayjob::kRunning, "backoff_limit: 2 shutdown_after_job_finishes: true",
         "job_status: 'FAILED' failed: 2");
  *report_.add_jobs() = SubmitterJob("Complete", 99);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.scope, v1::Decision::WORKLOAD);
  EXPECT_EQ(outcome.used, 3);
  EXPECT_EQ(outcome.limit, 2);
  EXPECT_THAT(outcome.warnings, IsEmpty());
}

TEST_F(RayJobOutcomeTest, UnreportedSubmitterEndsWithTheApplication) {
  Report(rayjob::kRunning, "backoff_limit: 1", "job_status: 'FAILED'");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("submitter Job")));
}

TEST_F(RayJobOutcomeTest, RunningSubmitterDelaysTheEnd) {
  Report(rayjob::kRunning, "backoff_limit: 1", "job_status: 'FAILED'");
  *report_.add_jobs() = SubmitterJob();
  EXPECT_EQ(Outcome().action, v1::Decision::IGNORE);
}

TEST_F(RayJobOutcomeTest, TheOperatorsDecisionIsFinal) {
  Report(rayjob::kRetrying, "backoff_limit: 2",
         "reason: 'SubmissionFailed' message: 'm' failed: 1");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.verdict.reason(), "SubmissionFailed");
  EXPECT_EQ(outcome.verdict.message(), "m");
  EXPECT_EQ(outcome.used, 1);
  Report(rayjob::kFailed, "backoff_limit: 9",
         "reason: 'DeadlineExceeded' failed: 1 job_status: 'RUNNING'");
  outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.used, 1);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("keeps its nodes")));
}

TEST_F(RayJobOutcomeTest, DeadlineIsFinalUnderAnyLimit) {
  Report(rayjob::kRunning, "backoff_limit: 9 active_deadline_seconds: 100");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.reason(), "DeadlineExceeded");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.charged_to, "backoffLimit");
}

TEST_F(RayJobOutcomeTest, UnreachableDashboardWaitsThenFails) {
  Report(rayjob::kRunning, "backoff_limit: 9",
         "job_status_check_failure_start_time { seconds: 40 }");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::WAIT);
  EXPECT_EQ(outcome.verdict.delay().seconds(), 240);
  EXPECT_EQ(outcome.charged_to, "");
  (*semantics_
        .mutable_settings())["kuberay.RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS"] =
      "60";
  outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.verdict.reason(), "JobStatusCheckTimeoutExceeded");
  (*semantics_.mutable_versions())["kuberay"] = "1.6";
  EXPECT_EQ(Outcome().action, v1::Decision::IGNORE);
}

TEST_F(RayJobOutcomeTest, SubmitterPodUsesTheInnerBudget) {
  Report(rayjob::kRunning, "submitter_config { backoff_limit: 1 }");
  rayjob::Job job = SubmitterJob();
  job.mutable_metadata()->set_uid("u");
  *job.mutable_spec() = Parse<kubernetes::batch::v1::JobSpec>(
      "backoff_limit: 1 template { spec { restart_policy: 'Never' } }");
  *report_.add_jobs() = job;
  *report_.add_pods() = Parse<rayjob::Pod>(R"(
      metadata {
        name: "train-x"
        uid: "p"
        owner_references { kind: "Job" name: "train" uid: "u" controller: true }
        finalizers: "batch.kubernetes.io/job-tracking"
      }
      status { phase: "Failed" })");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::POD);
  EXPECT_EQ(outcome.charged_to, "submitterConfig.backoffLimit");
  EXPECT_EQ(outcome.limit, 1);
  report_.mutable_jobs(0)->mutable_status()->set_failed(1);
  outcome = Outcome();
  EXPECT_EQ(outcome.verdict.reason(), "SubmissionFailed");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_THAT(outcome.verdict.message(), HasSubstr("BackoffLimitExceeded"));
}

TEST_F(RayJobOutcomeTest, PodsOfTheClusterAreReplacedWithoutACount) {
  Report(rayjob::kInitializing);
  AddPod("worker", "Failed");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "DeletedWorkerPod");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::POD);
  EXPECT_EQ(outcome.charged_to, "");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("preRunningDeadline")));
  report_.clear_pods();
  Report(rayjob::kRunning);
  AddPod("head", "Failed");
  outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "DeletedHeadPod");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("lost with its head")));
}

TEST_F(RayJobOutcomeTest, SidecarEndsWithItsHead) {
  Report(rayjob::kRunning, "submission_mode: 'SidecarMode' backoff_limit: 1");
  AddPod("head", "Failed");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.reason(), "AppFailed");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::CLUSTER);
}

TEST_F(RayJobOutcomeTest, ClusterThatNeverStartsWaitsForTheDeadline) {
  Report(rayjob::kInitializing, "pre_running_deadline_seconds: 160");
  report_.mutable_ray_job()->mutable_status()->clear_dashboard_url();
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::WAIT);
  EXPECT_EQ(outcome.verdict.delay().seconds(), 60);
  Report(rayjob::kInitializing);
  report_.mutable_ray_job()->mutable_status()->clear_dashboard_url();
  outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::WAIT);
  EXPECT_FALSE(outcome.verdict.has_delay());
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("never runs")));
}

TEST_F(RayJobOutcomeTest, RetriesCreationErrorsForever) {
  Report(rayjob::kInitializing);
  report_.mutable_creation_error()->set_message("denied");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.verdict.message(), "denied");
  EXPECT_EQ(outcome.charged_to, "");
}

TEST_F(RayJobOutcomeTest, RefusedSpecNamesFieldAndLimit) {
  Report(rayjob::kNew, "backoff_limit: -1");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "ValidationFailed");
  EXPECT_EQ(outcome.action, v1::Decision::WAIT_FOR_SPEC_UPDATE);
  EXPECT_EQ(outcome.charged_to, "");
  EXPECT_THAT(outcome.warnings,
              Contains(HasSubstr("spec.backoffLimit: Invalid value")));
  Report(rayjob::kValidationFailed, "backoff_limit: 1");
  outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::WAIT_FOR_SPEC_UPDATE);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("delete and create")));
}

TEST_F(RayJobOutcomeTest, NameCannotBeRepaired) {
  Report(rayjob::kNew);
  report_.mutable_ray_job()->mutable_metadata()->set_name(std::string(48, 'n'));
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
}

TEST_F(RayJobOutcomeTest, AcceptsTruncatedReports) {
  report_.mutable_ray_job()->mutable_status()->set_job_deployment_status(
      "Retrying");
  report_.mutable_ray_job()->mutable_status()->set_failed(1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_THAT(outcome.warnings, Not(Contains(HasSubstr("refuses"))));
}

TEST_F(RayJobOutcomeTest, StopsAndSuspensionsAreNotFailures) {
  Report(rayjob::kRunning, "submission_mode: 'HTTPMode'",
         "job_status: 'STOPPED'");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Complete");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
  Report(rayjob::kRunning, "suspend: true shutdown_after_job_finishes: true");
  EXPECT_EQ(Outcome().verdict.verdict(), "Suspending");
  Report(rayjob::kRunning, "managed_by: 'kueue.x-k8s.io/multikueue'");
  EXPECT_EQ(Outcome().action, v1::Decision::IGNORE);
}

TEST_F(RayJobOutcomeTest, SurvivesAbsurdValues) {
  Report(rayjob::kFailed, "backoff_limit: 2147483647",
         "failed: -7 succeeded: -1 reason: 'AppFailed'");
  NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.used, 1);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("status.failed: -7")));
  Report(rayjob::kInitializing, "active_deadline_seconds: 2147483647",
         "start_time { seconds: 9223372036854775807 }");
  outcome = Outcome();
  EXPECT_GE(outcome.verdict.delay().seconds(), 0);
  EXPECT_LE(outcome.verdict.delay().seconds(), 315576000000);
  Report("Paused", "submission_mode: 'Mail'");
  outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Paused");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("'Mail'")));
}

}  // namespace
}  // namespace mulligan
