#include "policy/operators/jobset/reconcile.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReconcileTest : public testing::Test {
 protected:
  Pass Run() {
    auto pass = Reconcile({job_set_, PointersTo(jobs_), {}, gates_, At(100)});
    EXPECT_TRUE(pass.ok()) << pass.status();
    return pass.ok() ? *pass : Pass();
  }

  void Add(Job job, std::string_view key, const std::string& value) {
    (*job.mutable_metadata()->mutable_labels())[std::string(key)] = value;
    jobs_.push_back(std::move(job));
  }

  static std::vector<std::string> Created(const Pass& pass) {
    std::vector<std::string> places;
    for (const JobPlace& place : pass.created) {
      places.push_back(place.group + std::to_string(place.index));
    }
    return places;
  }

  JobSet job_set_ = Parse<JobSet>(R"(
      spec {
        replicated_jobs { name: "a" replicas: 1 }
        replicated_jobs { name: "b" replicas: 2 }
        failure_policy { max_restarts: 1 }
      })");
  std::vector<Job> jobs_;
  Gates gates_;
};

TEST_F(ReconcileTest, FailureGoesBeforeSuccess) {
  job_set_.mutable_spec()->clear_failure_policy();
  job_set_.mutable_spec()->mutable_success_policy()->set_operator_("Any");
  jobs_ = {JobWith("Complete", "b", 0), FailedJob("a", 0, 5)};
  EXPECT_EQ(Run().status.terminal_state(), "Failed");
  jobs_.pop_back();
  EXPECT_EQ(Run().status.terminal_state(), "Completed");
}

TEST_F(ReconcileTest, AllTargetedJobsHaveToSucceed) {
  auto& policy = *job_set_.mutable_spec()->mutable_success_policy();
  policy.set_operator_("All");
  policy.add_target_replicated_jobs("b");
  jobs_ = {JobWith("Complete", "a", 0), JobWith("Complete", "b", 0),
           JobAt("b", 1)};
  EXPECT_EQ(Run().status.terminal_state(), "");
  jobs_[2] = JobWith("Complete", "b", 1);
  EXPECT_EQ(Run().status.terminal_state(), "Completed");
}

TEST_F(ReconcileTest, JobsOfEarlierAttemptsAreDeletedAndNotEvaluated) {
  job_set_.mutable_status()->set_restarts(1);
  Add(FailedJob("a", 0, 5), kRestartAttemptKey, "0");
  const Pass pass = Run();
  EXPECT_FALSE(pass.verdict.has_value());
  EXPECT_THAT(pass.deleted, ElementsAre(&jobs_[0]));
  EXPECT_THAT(Created(pass), ElementsAre("b0", "b1"));
}

TEST_F(ReconcileTest, JobRestartAttemptCountsOnlyWithTheGate) {
  *job_set_.mutable_status() = Parse<JobSetStatus>(
      "replicated_jobs_status { name: 'b' job_restarts: [0, 1] }");
  Add(FailedJob("b", 1, 5), kJobRestartAttemptKey, "0");
  EXPECT_TRUE(Run().verdict.has_value());
  gates_.restart_job = true;
  EXPECT_FALSE(Run().verdict.has_value());
}

TEST_F(ReconcileTest, AttemptThatIsNoNumberIsAnError) {
  Add(FailedJob("a", 0, 5), kRestartAttemptKey, "first");
  EXPECT_FALSE(
      Reconcile({job_set_, PointersTo(jobs_), {}, gates_, At(100)}).ok());
}

TEST_F(ReconcileTest, FinishedJobSetsAreNotEvaluated) {
  job_set_.mutable_status()->set_terminal_state("Failed");
  jobs_ = {FailedJob("a", 0, 5), JobAt("b", 0)};
  const Pass pass = Run();
  EXPECT_FALSE(pass.verdict.has_value());
  EXPECT_THAT(pass.deleted, ElementsAre(&jobs_[1]));
}

TEST_F(ReconcileTest, PolicyRunsWhileSuspended) {
  job_set_.mutable_spec()->set_suspend(true);
  jobs_ = {FailedJob("a", 0, 5)};
  const Pass pass = Run();
  EXPECT_EQ(pass.status.restarts(), 1);
  EXPECT_FALSE(IsConditionTrue(pass.status.conditions(), kSuspended));
}

TEST_F(ReconcileTest, OthersJobSetsAndDeletedOnesAreLeftAlone) {
  jobs_ = {FailedJob("a", 0, 5)};
  job_set_.mutable_spec()->set_managed_by("kueue.x-k8s.io/multikueue");
  EXPECT_FALSE(Run().verdict.has_value());
  job_set_.mutable_spec()->set_managed_by(
      "jobset.sigs.k8s.io/jobset-controller");
  EXPECT_TRUE(Run().verdict.has_value());
  *job_set_.mutable_metadata()->mutable_deletion_timestamp() = At(1);
  EXPECT_FALSE(Run().verdict.has_value());
}

TEST_F(ReconcileTest, ReadyJobsEndTheRestart) {
  *job_set_.mutable_status() = Parse<JobSetStatus>(
      "conditions { type: 'RestartingJobSet' status: 'True' reason: 'X' }");
  jobs_ = {JobAt("a", 0), JobAt("b", 0), JobWith("Complete", "b", 1)};
  EXPECT_TRUE(IsConditionTrue(Run().status.conditions(), kRestarting));
  jobs_[0].mutable_status()->set_ready(1);
  jobs_[1].mutable_status()->set_ready(1);
  const Pass pass = Run();
  const auto* const restarting =
      FindCondition(pass.status.conditions(), kRestarting);
  EXPECT_EQ(restarting->status(), "False");
  EXPECT_EQ(restarting->reason(), "JobsReady");
}

TEST_F(ReconcileTest, SuspensionEndsTheRestartConditionAndResumeTheOther) {
  *job_set_.mutable_status() = Parse<JobSetStatus>(
      "conditions { type: 'RestartingJobSet' status: 'True' reason: 'X' }");
  job_set_.mutable_spec()->set_suspend(true);
  Pass pass = Run();
  EXPECT_EQ(FindCondition(pass.status.conditions(), kRestarting)->reason(),
            "JobSetSuspended");
  EXPECT_TRUE(IsConditionTrue(pass.status.conditions(), kSuspended));
  *job_set_.mutable_status() = pass.status;
  job_set_.mutable_spec()->set_suspend(false);
  pass = Run();
  EXPECT_EQ(FindCondition(pass.status.conditions(), kSuspended)->reason(),
            "ResumeJobs");
}

TEST_F(ReconcileTest, BlockingRecreateWaitsForTheLastOldJob) {
  job_set_.mutable_status()->set_restarts(1);
  Add(JobAt("b", 1), kRestartAttemptKey, "0");
  EXPECT_THAT(Created(Run()), ElementsAre("a0", "b0"));
  job_set_.mutable_spec()->mutable_failure_policy()->set_restart_strategy(
      "BlockingRecreate");
  EXPECT_THAT(Created(Run()), IsEmpty());
  jobs_.clear();
  EXPECT_THAT(Created(Run()), ElementsAre("a0", "b0", "b1"));
}

TEST_F(ReconcileTest, InOrderStartsAGroupWhenTheOneBeforeHasStarted) {
  job_set_.mutable_spec()->mutable_startup_policy()->set_startup_policy_order(
      "InOrder");
  Pass pass = Run();
  EXPECT_THAT(Created(pass), ElementsAre("a0"));
  EXPECT_TRUE(IsConditionTrue(pass.status.conditions(), kStartupInProgress));
  jobs_ = {JobAt("a", 0)};
  EXPECT_THAT(Created(Run()), IsEmpty());
  jobs_[0].mutable_status()->set_ready(1);
  EXPECT_THAT(Created(Run()), ElementsAre("b0", "b1"));
}

TEST_F(ReconcileTest, DependenciesHoldGroupsBack) {
  auto& depends =
      *job_set_.mutable_spec()->mutable_replicated_jobs(1)->add_depends_on();
  depends.set_name("a");
  depends.set_status("Complete");
  jobs_ = {JobAt("a", 0)};
  jobs_[0].mutable_status()->set_ready(1);
  EXPECT_THAT(Created(Run()), IsEmpty());
  depends.set_status("Ready");
  EXPECT_THAT(Created(Run()), SizeIs(2));
  depends.set_status("Complete");
  jobs_ = {JobWith("Complete", "a", 0)};
  EXPECT_THAT(Created(Run()), SizeIs(2));
}

TEST_F(ReconcileTest, OneActionPerPassUsesBudgetEach) {
  gates_.restart_job = true;
  job_set_.mutable_spec()->mutable_failure_policy()->add_rules()->set_action(
      "RestartJob");
  Add(FailedJob("b", 1, 9), kJobRestartAttemptKey, "0");
  Add(FailedJob("b", 0, 3), kJobRestartAttemptKey, "0");
  const Pass first = Run();
  EXPECT_EQ(first.verdict->job, &jobs_[1]);
  EXPECT_EQ(first.verdict->action, "RestartJob");
  *job_set_.mutable_status() = first.status;
  const Pass second = Run();
  EXPECT_EQ(second.verdict->job, &jobs_[0]);
  EXPECT_EQ(second.verdict->reason, "ReachedMaxRestarts");
}

TEST_F(ReconcileTest, RestartConditionIsUnknownBeforeRelease012) {
  gates_.restarting_condition = false;
  jobs_ = {FailedJob("a", 0, 5)};
  EXPECT_THAT(Run().status.conditions(), IsEmpty());
}

}  // namespace
}  // namespace mulligan::jobset
