#include "policy/native/kueue_jobs.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/kueue_pod_group.h"
#include "tests/policy/native/kueue_test_objects.h"

namespace mulligan::kueue {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

struct GroupCase {
  const char* name;
  int total;
  std::vector<std::string> pods;
  // Empty: not finished.
  const char* message;
  int absent;
  std::size_t replaced;
};

const char kFailed[] = "status { phase: 'Failed' }";
const char kSucceeded[] = "status { phase: 'Succeeded' }";
const char kRunning[] = "status { phase: 'Running' }";
const char kUnretriable[] =
    "metadata { annotations { key: 'kueue.x-k8s.io/retriable-in-group' "
    "value: 'false' } } status { phase: 'Failed' }";
const char kDeletedUnplaced[] =
    "metadata { deletion_timestamp { seconds: 5 } } "
    "status { phase: 'Pending' }";

class KueuePodGroupTest : public testing::TestWithParam<GroupCase> {};

TEST_P(KueuePodGroupTest, EndsAndNeedsReplacementByItsPods) {
  const GroupCase& test = GetParam();
  std::vector<Pod> pods;
  for (const std::string& text : test.pods) pods.push_back(Parsed<Pod>(text));
  PodGroup group;
  group.total_count = test.total;
  for (const Pod& pod : pods) group.pods.push_back(&pod);
  const auto end = EndOf(group);
  EXPECT_EQ(end.has_value() ? end->message : "", test.message);
  // However many failed.
  EXPECT_TRUE(!end.has_value() || end->success);
  EXPECT_EQ(AbsentPods(group), test.absent);
  EXPECT_THAT(ReplacedPods(group), SizeIs(test.replaced));
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueuePodGroupTest,
    testing::Values(
        GroupCase{"AllSucceeded",
                  2,
                  {kSucceeded, kSucceeded},
                  "Pods succeeded: 2/2.",
                  0,
                  0},
        GroupCase{
            "FailuresWaitForReplacement", 2, {kSucceeded, kFailed}, "", 1, 0},
        GroupCase{"ReplacedFailuresAreLetGo",
                  2,
                  {kFailed, kRunning, kSucceeded},
                  "",
                  0,
                  1},
        GroupCase{"UnretriableEndsTheRest",
                  3,
                  {kUnretriable, kSucceeded, kFailed},
                  "Pods succeeded: 1/3.",
                  2,
                  0},
        GroupCase{"UnretriableWaitsForRunningPods",
                  2,
                  {kUnretriable, kRunning},
                  "",
                  1,
                  0},
        GroupCase{"DeletedBeforeItRan", 1, {kDeletedUnplaced}, "", 1, 0},
        GroupCase{"Empty", 1, {}, "", 1, 0}),
    [](const auto& test) { return test.param.name; });

TEST(KueuePodGroupTest, ASinglePodEndsAsItsPhaseSays) {
  const Pod pod = Parsed<Pod>("status { phase: 'Failed' message: 'm' }");
  const auto end = EndOf(PodGroup{std::nullopt, {&pod}});
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->success);
  EXPECT_EQ(end->message, "m");
}

TEST(KueuePodGroupTest, APodPastItsGracePeriodHoldsNoQuota) {
  const Pod pod = Parsed<Pod>(
      "metadata { deletion_timestamp { seconds: 50 } } "
      "status { phase: 'Running' }");
  const PodGroup group{1, {&pod}};
  EXPECT_TRUE(HoldsQuota(group, Second(49)));
  EXPECT_FALSE(HoldsQuota(group, Second(50)));
}

TEST(KueueStopPodsTest, MarksWhatStillRuns) {
  const Workload workload = EvictedWorkload("Preempted", 5);
  const Pod running = Parsed<Pod>(kRunning);
  const Pod deleted = Parsed<Pod>(kDeletedUnplaced);
  const Pod gated = Parsed<Pod>(
      "spec { scheduling_gates { name: 'kueue.x-k8s.io/admission' } }");
  const auto stopped =
      StopPods({3, {&running, &deleted, &gated}}, workload.status(), Second(6));
  ASSERT_THAT(stopped, SizeIs(1));
  EXPECT_EQ(stopped[0].condition.reason(), "WorkloadEvictedDueToPreempted");
  EXPECT_THAT(
      StopPods({1, {&running}}, AdmittedWorkload(1).status(), Second(6)),
      IsEmpty());
}

TEST(KueueWaitingForReplacementTest, KeepsTheEvictionThroughReadmission) {
  Workload workload = EvictedWorkload("Preempted", 5);
  WorkloadStatus& status = *workload.mutable_status();
  const auto reason = [&] {
    return FindCondition(status.conditions(), kWaitingForReplacementPods)
        ->reason();
  };
  EXPECT_TRUE(SetWaitingForReplacement(true, Second(6), status));
  EXPECT_EQ(reason(), "Preempted");
  SetCondition(kEvicted, false, "QuotaReserved", "", Second(7),
               *status.mutable_conditions());
  EXPECT_FALSE(SetWaitingForReplacement(true, Second(8), status));
  EXPECT_EQ(reason(), "Preempted");
  EXPECT_TRUE(SetWaitingForReplacement(false, Second(9), status));
  EXPECT_EQ(reason(), "PodsReady");
}

TEST(KueueJobsTest, ReadinessCountsUncountedSuccesses) {
  Job job =
      Parsed<Job>("spec { parallelism: 3 completions: 2 } status { ready: 1 }");
  EXPECT_FALSE(ArePodsReady(job));
  job.mutable_status()->mutable_uncounted_terminated_pods()->add_succeeded("u");
  EXPECT_TRUE(ArePodsReady(job));
}

TEST(KueueJobsTest, SucceededGroupsOfAJobSetAreReclaimed) {
  const JobSet job_set = Parsed<JobSet>(R"(
      spec {
        replicated_jobs { name: "a" replicas: 2 template { spec {
          parallelism: 4 completions: 3
        } } }
        replicated_jobs { name: "b" replicas: 1 }
      }
      status {
        replicated_jobs_status { name: "a" succeeded: 1 }
        replicated_jobs_status { name: "b" ready: 1 active: 1 }
      })");
  const auto reclaimable = ReclaimablePods(job_set);
  ASSERT_THAT(reclaimable, SizeIs(1));
  EXPECT_EQ(reclaimable[0].count(), 3);
  EXPECT_TRUE(HoldsQuota(job_set));
  EXPECT_FALSE(ArePodsReady(job_set));
}

}  // namespace
}  // namespace mulligan::kueue
