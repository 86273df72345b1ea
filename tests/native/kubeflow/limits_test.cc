#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/kubeflow/reconcile.h"
#include "tests/native/kubeflow/test_objects.h"
#include "tests/testing/param_name.h"

namespace mulligan::kubeflow {
namespace {

Replicas Workers(const std::string& policy) {
  Replicas replicas;
  replicas["Worker"].set_replicas(4);
  replicas["Worker"].set_restart_policy(policy);
  return replicas;
}

// The counted restarts of a TFJob's replicas and their pods.
std::int64_t RestartsOf(const Replicas& replicas,
                        const std::vector<Pod>& pods) {
  return CountedRestarts({{}, *FindKind("TFJob"), replicas, pods, {}, At(0)});
}

RunPolicy BackoffLimit(std::int32_t limit) {
  RunPolicy policy;
  policy.set_backoff_limit(limit);
  return policy;
}

TEST(CountedRestartsTest, SumsRunningPodsWithARestartingPolicy) {
  const std::vector<Pod> pods = {WithRestarts(PodAt("Worker", 0, "Running"), 1),
                                 WithRestarts(PodAt("Worker", 1, "Running"), 2),
                                 WithRestarts(PodAt("Worker", 2, "Failed"), 5),
                                 WithRestarts(PodAt("PS", 0, "Running"), 7)};
  Replicas replicas = Workers("OnFailure");
  replicas["PS"].set_restart_policy("Never");
  EXPECT_EQ(RestartsOf(replicas, pods), 3);
}

TEST(CountedRestartsTest, CountsInitContainers) {
  Pod pod = PodAt("Worker", 0, "Running");
  pod.mutable_status()->add_init_container_statuses()->set_restart_count(2);
  EXPECT_EQ(RestartsOf(Workers("ExitCode"), {pod}), 2);
}

TEST(CountedRestartsTest, HugeCountsDoNotOverflow) {
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  const std::vector<Pod> pods = {
      WithRestarts(PodAt("Worker", 0, "Running"), kMax),
      WithRestarts(PodAt("Worker", 1, "Running"), kMax)};
  EXPECT_EQ(RestartsOf(Workers("Always"), pods), 2 * std::int64_t{kMax});
}

struct LimitCase {
  std::int32_t limit;
  std::int64_t restarts;
  bool past;

  friend std::ostream& operator<<(std::ostream& out, const LimitCase& row) {
    return out << row.limit << " limit, " << row.restarts << " restarts";
  }
};

class TrainingJobBackoffLimitTest : public testing::TestWithParam<LimitCase> {};

TEST_P(TrainingJobBackoffLimitTest, ReachedIsPast) {
  EXPECT_EQ(
      PastBackoffLimit(BackoffLimit(GetParam().limit), GetParam().restarts),
      GetParam().past);
}

const LimitCase kLimitCases[] = {
    {0, 0, false},
    {0, 1, true},
    {1, 0, false},
    {1, 1, true},
    {4, 3, false},
    {4, 4, true},
    {4, 5, true},
    {-1, 0, true},
    {std::numeric_limits<std::int32_t>::min(), 0, true},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainingJobBackoffLimitTest,
                         testing::ValuesIn(kLimitCases), [](const auto& row) {
                           return ParamName(
                               row.index, std::to_string(row.param.restarts) +
                                              "_of_" +
                                              std::to_string(row.param.limit));
                         });

TEST(TrainingJobBackoffLimitTest, WithoutALimitIsNeverPast) {
  EXPECT_FALSE(PastBackoffLimit(RunPolicy(), 1000));
}

// The budget as a number of tolerated failures agrees with the limit.
TEST(ToleratedRestartsTest, AgreesWithTheLimitOnEveryCount) {
  for (std::int32_t limit = -3; limit <= 20; ++limit) {
    for (std::int64_t restarts = 0; restarts <= 25; ++restarts) {
      EXPECT_EQ(restarts > ToleratedRestarts(limit),
                PastBackoffLimit(BackoffLimit(limit), restarts))
          << limit << " " << restarts;
    }
  }
}

class TrainingJobLimitsTest : public testing::Test {
 protected:
  TrainingJobLimitsTest() {
    *job_.mutable_status()->mutable_start_time() = At(100);
  }

  Limit LimitAt(std::int64_t second) {
    const Replicas replicas = Workers("ExitCode");
    return Reconcile({job_, *FindKind("TFJob"), replicas, pods_, version_,
                      At(second)})
        .limit;
  }

  bool Exceeds(std::int32_t limit, std::int64_t requeues) {
    policy().set_backoff_limit(limit);
    version_.requeues = requeues;
    return LimitAt(100) == Limit::kBackoff;
  }

  bool IsOver(std::int64_t deadline, std::int64_t second) {
    policy().set_active_deadline_seconds(deadline);
    return LimitAt(second) == Limit::kDeadline;
  }

  RunPolicy& policy() { return *job_.mutable_spec()->mutable_run_policy(); }

  TrainingJob job_;
  Version version_;
  std::vector<Pod> pods_ = {PodAt("Worker", 0, "Failed")};
};

TEST_F(TrainingJobLimitsTest, CountRequeuesAndThisPass) {
  EXPECT_TRUE(Exceeds(0, 0));
  EXPECT_FALSE(Exceeds(1, 0));
  EXPECT_TRUE(Exceeds(1, 1));
}

TEST_F(TrainingJobLimitsTest, RequeuesNeedAFailureTheStatusDoesNotKnow) {
  (*job_.mutable_status()->mutable_replica_statuses())["Worker"].set_failed(1);
  EXPECT_FALSE(Exceeds(0, 9));
}

TEST_F(TrainingJobLimitsTest, RequeuesNeedAMissingReplica) {
  for (int i = 1; i <= 4; ++i) pods_.push_back(PodAt("Worker", i, "Running"));
  EXPECT_FALSE(Exceeds(0, 9));
}

TEST_F(TrainingJobLimitsTest, TheDeadlineIsReachedToTheSecond) {
  EXPECT_EQ(LimitAt(1000), Limit::kNone);
  EXPECT_FALSE(IsOver(2, 101));
  EXPECT_TRUE(IsOver(2, 102));
  job_.mutable_status()->clear_start_time();
  EXPECT_FALSE(IsOver(2, 1000));
}

TEST_F(TrainingJobLimitsTest, ZeroDeadlinesPassAtOnceHugeOnesNever) {
  EXPECT_TRUE(IsOver(0, 100));
  EXPECT_TRUE(IsOver(-5, 100));
  EXPECT_FALSE(IsOver(std::numeric_limits<std::int64_t>::max(), 1'000'000));
}

TEST(TrainingJobSuspensionTest, KeepsTheStartTimeUntilItsEnd) {
  auto job = Parse<TrainingJob>(
      "kind: 'PyTorchJob' spec { run_policy { suspend: true } "
      "pytorch_replica_specs { key: 'Master' value {} } } status { start_time "
      "{ seconds: 7 } conditions { type: 'Running' status: 'True' } }");
  const Kind& kind = *FindKind(job.kind());
  const Replicas replicas = ReplicasOf(job, kind);
  const std::vector<Pod> pods = {PodAt("Master", 0, "Running")};
  const auto run = [&] {
    return Reconcile({job, kind, replicas, pods, {}, At(1000)}).status;
  };
  const JobStatus suspended = run();
  EXPECT_TRUE(IsTrue(suspended.conditions(), kSuspended));
  EXPECT_FALSE(IsTrue(suspended.conditions(), kRunning));
  EXPECT_EQ(suspended.start_time().seconds(), 7);
  *job.mutable_status() = suspended;
  job.mutable_spec()->mutable_run_policy()->set_suspend(false);
  const JobStatus resumed = run();
  EXPECT_FALSE(IsTrue(resumed.conditions(), kSuspended));
  EXPECT_TRUE(IsTrue(resumed.conditions(), kRunning));
  EXPECT_EQ(resumed.start_time().seconds(), 1000);
}

}  // namespace
}  // namespace mulligan::kubeflow
