#include "policy/operators/kueue/jobs.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policy/operators/kueue/pod_group.h"
#include "tests/policy/operators/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

struct GroupCase {
  const char* name;
  int total;
  std::vector<std::string> pods;
  // Empty: not finished.
  const char* message;
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

TEST_P(KueuePodGroupTest, EndsByItsPods) {
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
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueuePodGroupTest,
    testing::Values(
        GroupCase{"AllSucceeded",
                  2,
                  {kSucceeded, kSucceeded},
                  "Pods succeeded: 2/2."},
        GroupCase{"FailuresWaitForReplacement", 2, {kSucceeded, kFailed}, ""},
        GroupCase{
            "ReplacedFailuresAreLetGo", 2, {kFailed, kRunning, kSucceeded}, ""},
        GroupCase{"UnretriableEndsTheRest",
                  3,
                  {kUnretriable, kSucceeded, kFailed},
                  "Pods succeeded: 1/3."},
        GroupCase{
            "UnretriableWaitsForRunningPods", 2, {kUnretriable, kRunning}, ""},
        GroupCase{"DeletedBeforeItRan", 1, {kDeletedUnplaced}, ""},
        GroupCase{"Empty", 1, {}, ""}),
    [](const auto& test) { return test.param.name; });

TEST(KueuePodGroupTest, ASinglePodEndsAsItsPhaseSays) {
  const Pod pod = Parsed<Pod>("status { phase: 'Failed' message: 'm' }");
  const auto end = EndOf(PodGroup{std::nullopt, {&pod}});
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->success);
  EXPECT_EQ(end->message, "m");
}

TEST(KueueJobsTest, ReadinessCountsUncountedSuccesses) {
  Job job =
      Parsed<Job>("spec { parallelism: 3 completions: 2 } status { ready: 1 }");
  EXPECT_FALSE(ArePodsReady(job));
  job.mutable_status()->mutable_uncounted_terminated_pods()->add_succeeded("u");
  EXPECT_TRUE(ArePodsReady(job));
}

}  // namespace
}  // namespace mulligan::kueue
