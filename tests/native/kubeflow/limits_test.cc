#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
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

// A straightforward second implementation: visits every pod and container once.
bool PastByHand(const RunPolicy& policy, const Replicas& replicas,
                const std::vector<Pod>& pods) {
  std::int64_t restarts = 0;
  for (const Pod& pod : pods) {
    for (const auto& [type, spec] : replicas) {
      const bool is_of_type =
          pod.metadata().labels().at(std::string(kReplicaTypeLabel)) ==
          absl::AsciiStrToLower(type);
      const bool counts =
          spec.restart_policy() != "Never" && !spec.restart_policy().empty();
      if (!is_of_type || !counts || pod.status().phase() != "Running") continue;
      for (const auto& container : pod.status().container_statuses()) {
        restarts += container.restart_count();
      }
    }
  }
  if (!policy.has_backoff_limit()) return false;
  if (policy.backoff_limit() == 0) return restarts != 0;
  return restarts >= policy.backoff_limit();
}

TEST(TrainingJobBackoffLimitTest, AgreesWithTheSecondImplementation) {
  std::mt19937 random(20260101);
  const auto pick = [&](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  const std::vector<std::string> kPolicies = {"Always", "OnFailure", "Never",
                                              "ExitCode", ""};
  const std::vector<std::string> kPhases = {"Running", "Failed", "Succeeded",
                                            "Pending"};
  const std::vector<std::string> kTypes = {"Worker", "PS", "Chief"};
  for (int round = 0; round < 2000; ++round) {
    Replicas replicas;
    for (const std::string& type : kTypes) {
      if (pick(3) == 0) continue;
      replicas[type].set_restart_policy(
          kPolicies[static_cast<std::size_t>(pick(5))]);
    }
    std::vector<Pod> pods;
    for (int i = 0; i < pick(6); ++i) {
      pods.push_back(
          WithRestarts(PodAt(kTypes[static_cast<std::size_t>(pick(3))], i,
                             kPhases[static_cast<std::size_t>(pick(4))]),
                       pick(4)));
    }
    RunPolicy policy;
    if (pick(5) != 0) policy.set_backoff_limit(pick(6));
    EXPECT_EQ(PastBackoffLimit(policy, RestartsOf(replicas, pods)),
              PastByHand(policy, replicas, pods))
        << round;
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

}  // namespace
}  // namespace mulligan::kubeflow
