#include "policy/operators/jobset/actions.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/jobset/restart_budget.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Gates WithRestartJob() {
  Gates gates;
  gates.restart_job = true;
  return gates;
}

JobSetSpec SpecWith(std::int32_t max_restarts) {
  auto spec = Parse<JobSetSpec>(
      "replicated_jobs { name: 'v' replicas: 1 } "
      "replicated_jobs { name: 'w' replicas: 3 }");
  spec.mutable_failure_policy()->set_max_restarts(max_restarts);
  return spec;
}

class ApplyActionTest : public testing::Test {
 protected:
  absl::StatusOr<Verdict> Apply(const std::string& action,
                                const Gates& gates = Gates(),
                                const FailurePolicyRule* rule = nullptr) {
    return ApplyAction({spec_, gates, action, rule, job_}, change_);
  }

  std::string ReasonOf(std::string_view type) const {
    const Condition* const found = FindCondition(status_.conditions(), type);
    return found == nullptr ? "" : found->reason();
  }

  JobSetSpec spec_ = SpecWith(1);
  Job job_ = FailedJob("w", 1, 5);
  JobSetStatus status_;
  StatusChange change_{status_, At(100), true, false, {}};
};

TEST_F(ApplyActionTest, FailsWhateverTheBudget) {
  const auto verdict = Apply("FailJobSet");
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->reason, "FailJobSetFailurePolicyAction");
  EXPECT_EQ(verdict->message,
            "applying FailJobSet failure policy action (first failed job: "
            "w-1)");
  EXPECT_FALSE(verdict->counted);
  EXPECT_EQ(status_.terminal_state(), "Failed");
  EXPECT_EQ(status_.restarts(), 0);
}

TEST_F(ApplyActionTest, RestartUsesBudgetAndNamesTheRule) {
  const auto rule = Parse<FailurePolicyRule>("name: 'mine'");
  const auto verdict = Apply("RestartJobSet", Gates(), &rule);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->action, "RestartJobSet");
  EXPECT_EQ(ReasonOf("RestartingJobSet"), "FailurePolicy_mine");
  EXPECT_EQ(status_.restarts(), 1);
  EXPECT_EQ(status_.restarts_count_towards_max(), 1);
  ASSERT_EQ(change_.events.size(), 1U);
  EXPECT_EQ(change_.events[0].reason, "RestartJobSetFailurePolicyAction");
  EXPECT_EQ(change_.events[0].message, verdict->message);
}

TEST_F(ApplyActionTest, RestartBeyondBudgetFailsAndEndsTheRestart) {
  ASSERT_TRUE(Apply("RestartJobSet").ok());
  const auto verdict = Apply("RestartJobSet");
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->action, "FailJobSet");
  EXPECT_EQ(verdict->message,
            "jobset failed due to reaching max number of restarts (first "
            "failed job: w-1)");
  EXPECT_EQ(ReasonOf("Failed"), "ReachedMaxRestarts");
  EXPECT_EQ(ReasonOf("RestartingJobSet"), "JobSetFailed");
  EXPECT_FALSE(IsConditionTrue(status_.conditions(), kRestarting));
  EXPECT_EQ(status_.restarts(), 1);
}

TEST_F(ApplyActionTest, IgnoringRestartsHaveNoBound) {
  spec_ = SpecWith(0);
  for (int i = 1; i <= 50; ++i) {
    ASSERT_EQ(Apply("RestartJobSetAndIgnoreMaxRestarts")->action,
              "RestartJobSetAndIgnoreMaxRestarts");
  }
  EXPECT_EQ(status_.restarts(), 50);
  EXPECT_EQ(status_.restarts_count_towards_max(), 0);
}

TEST_F(ApplyActionTest, NegativeMaxRestartsActsLikeZero) {
  spec_ = SpecWith(-7);
  EXPECT_EQ(Apply("RestartJobSet")->reason, "ReachedMaxRestarts");
}

TEST_F(ApplyActionTest, RestartJobCountsOnlyThatJobAndSetsNoCondition) {
  const auto verdict = Apply("RestartJob", WithRestartJob());
  ASSERT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict->restarts_job);
  EXPECT_EQ(verdict->reason, "");
  EXPECT_THAT(status_.conditions(), IsEmpty());
  EXPECT_EQ(status_.restarts(), 0);
  const auto* const group = FindGroupStatus(status_, "w");
  ASSERT_NE(group, nullptr);
  EXPECT_THAT(group->job_restarts(), ElementsAre(0, 1, 0));
  EXPECT_THAT(group->job_restarts_count_towards_max(), ElementsAre(0, 1, 0));
}

TEST_F(ApplyActionTest, UncountedJobRestartLeavesTheOtherCounterAbsent) {
  ASSERT_TRUE(Apply("RestartJobAndIgnoreMaxRestarts", WithRestartJob()).ok());
  const auto* const group = FindGroupStatus(status_, "w");
  EXPECT_THAT(group->job_restarts(), ElementsAre(0, 1, 0));
  EXPECT_THAT(group->job_restarts_count_towards_max(), IsEmpty());
}

TEST_F(ApplyActionTest, JobRestartsUseTheSameBudgetOnlyWithTheGate) {
  status_ = Parse<JobSetStatus>(
      "replicated_jobs_status { name: 'v' job_restarts: 1 "
      "job_restarts_count_towards_max: 1 }");
  EXPECT_EQ(CountedRestarts(status_, Gates()), 0);
  EXPECT_EQ(CountedRestarts(status_, WithRestartJob()), 1);
  EXPECT_EQ(Apply("RestartJob", WithRestartJob())->reason,
            "ReachedMaxRestarts");
}

struct RefusedCase {
  std::string name;
  std::string action;
  Gates gates;
  Job job;
  std::string message;
};

class RefusedActionTest : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedActionTest, IsAnErrorWithoutAnyChange) {
  const RefusedCase& c = GetParam();
  JobSetStatus status;
  StatusChange change{status, At(1), true, false, {}};
  const JobSetSpec spec = SpecWith(5);
  const auto verdict =
      ApplyAction({spec, c.gates, c.action, nullptr, c.job}, change);
  EXPECT_THAT(std::string(verdict.status().message()), HasSubstr(c.message));
  EXPECT_EQ(status.ByteSizeLong(), 0U);
  EXPECT_FALSE(change.updated);
}

Job WithIndex(const std::string& index) {
  Job job = FailedJob("w", 0, 1);
  auto& labels = *job.mutable_metadata()->mutable_labels();
  labels[std::string(kJobIndexKey)] = index;
  if (index.empty()) labels.erase(std::string(kJobIndexKey));
  return job;
}

std::vector<RefusedCase> RefusedCases() {
  Gates old = WithRestartJob();
  old.restart_job_actions = false;
  const Gates on = WithRestartJob();
  return {
      {"GateOff", "RestartJob", Gates(), FailedJob("w", 0, 1),
       "RestartJob failure policy action cannot be used when the feature gate "
       "RestartJob is disabled"},
      {"UnknownAction", "RecreateJob", on, FailedJob("w", 0, 1),
       "failed to find a corresponding action for the FailurePolicyRuleAction "
       "RecreateJob"},
      {"ActionOfALaterRelease", "RestartJob", old, FailedJob("w", 0, 1),
       "failed to find a corresponding action"},
      {"NoGroup", "RestartJob", on, FailedJob("", 0, 1), "replicatedjob-name"},
      {"GroupOfNobody", "RestartJob", on, FailedJob("x", 0, 1),
       "belongs to no replicated job"},
      {"NoIndex", "RestartJob", on, WithIndex(""), "job-index"},
      {"IndexNoNumber", "RestartJob", on, WithIndex("1a"), "must be integer"},
      {"NegativeIndex", "RestartJob", on, WithIndex("-1"), "must be integer"},
      {"IndexBeyondTheGroup", "RestartJob", on, WithIndex("3"),
       "has index 3 out of bounds for replicated job w (replicas: 3)"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, RefusedActionTest,
                         testing::ValuesIn(RefusedCases()),
                         [](const auto& test) { return test.param.name; });

TEST(CountJobRestartTest, CountersKeepTheLengthOfTheirFirstUse) {
  auto status = Parse<JobSetStatus>(
      "replicated_jobs_status { name: 'w' job_restarts: 0 }");
  const absl::Status grown =
      CountJobRestart(FailedJob("w", 2, 1), SpecWith(1), false, status);
  EXPECT_THAT(std::string(grown.message()), HasSubstr("(replicas: 1)"));
}

TEST(CountJobRestartTest, CountersSaturate) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  JobSetStatus status;
  status.set_restarts(kMax);
  status.set_restarts_count_towards_max(kMax);
  CountJobSetRestart(true, status);
  EXPECT_EQ(status.restarts(), kMax);
  EXPECT_EQ(status.restarts_count_towards_max(), kMax);
}

// What the rules for budgets come to, said the other way round: a counted
// restart happens while fewer than maxRestarts have, an uncounted one always.
TEST(BudgetProperty, AgreesWithASecondImplementation) {
  const std::vector<std::string> actions = {
      "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob",
      "RestartJobAndIgnoreMaxRestarts"};
  std::mt19937 random(42);
  for (int run = 0; run < 300; ++run) {
    const int limit = static_cast<int>(random() % 6) - 1;
    const JobSetSpec spec = SpecWith(limit);
    JobSetStatus status;
    StatusChange change{status, At(1), true, false, {}};
    int left = limit < 0 ? 0 : limit;
    int whole = 0;
    int single = 0;
    bool failed = false;
    for (int step = 0; step < 12 && !failed; ++step) {
      const std::size_t pick = random() % actions.size();
      const bool counted = pick % 2 == 0;
      failed = counted && left == 0;
      if (!failed) {
        left -= counted ? 1 : 0;
        (pick < 2 ? whole : single) += 1;
      }
      const Job job = FailedJob("w", static_cast<int>(random() % 3), step);
      const auto verdict = ApplyAction(
          {spec, WithRestartJob(), actions[pick], nullptr, job}, change);
      ASSERT_TRUE(verdict.ok());
      ASSERT_EQ(verdict->action == kFailJobSet, failed);
    }
    int counted_jobs = 0;
    if (const auto* const group = FindGroupStatus(status, "w")) {
      for (const std::int32_t count : group->job_restarts()) {
        counted_jobs += count;
      }
    }
    EXPECT_EQ(status.restarts(), whole);
    EXPECT_EQ(counted_jobs, single);
    EXPECT_EQ(CountedRestarts(status, WithRestartJob()),
              (limit < 0 ? 0 : limit) - left);
  }
}

TEST(ApplyFailurePolicyTest, NoPolicyAndEmptyPolicyDifferInReason) {
  const std::vector<Job> jobs = {FailedJob("w", 1, 9), FailedJob("w", 0, 3)};
  JobSetStatus status;
  StatusChange change{status, At(1), true, false, {}};
  JobSetSpec spec;
  const auto none = ApplyFailurePolicy(spec, PointersTo(jobs), Gates(), change);
  EXPECT_EQ(none->message,
            "jobset failed due to one or more job failures (first failed job: "
            "w-0)");
  EXPECT_EQ(none->reason, "FailedJobs");
  status.Clear();
  spec.mutable_failure_policy();
  EXPECT_EQ(ApplyFailurePolicy(spec, PointersTo(jobs), Gates(), change)->reason,
            "ReachedMaxRestarts");
}

TEST(ApplyFailurePolicyTest, WithoutAMatchTheOldestFailureRestartsAll) {
  const auto spec = Parse<JobSetSpec>(R"(
      failure_policy {
        max_restarts: 1
        rules { action: "FailJobSet" on_job_failure_reasons: "Other" }
      })");
  const std::vector<Job> jobs = {FailedJob("w", 1, 9), FailedJob("w", 0, 3)};
  JobSetStatus status;
  StatusChange change{status, At(1), true, false, {}};
  const auto verdict =
      ApplyFailurePolicy(spec, PointersTo(jobs), Gates(), change);
  EXPECT_EQ(verdict->rule, -1);
  EXPECT_EQ(verdict->job, &jobs[1]);
  EXPECT_EQ(verdict->reason, "DefaultFailurePolicy");
}

}  // namespace
}  // namespace mulligan::jobset
