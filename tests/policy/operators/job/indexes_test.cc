#include "policy/operators/job/indexes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kRules[] =
    "pod_failure_policy { rules { action: 'FailIndex' on_exit_codes { "
    "operator: 'In' values: 3 } } rules { action: 'Ignore' on_exit_codes { "
    "operator: 'In' values: 4 } } }";

std::string ExitedWith(int code) {
  return "status { phase: 'Failed' container_statuses { state { terminated { "
         "exit_code: " +
         std::to_string(code) + " } } } }";
}

Job IndexedJob(const std::string& spec, const std::string& status = "") {
  return Parse<Job>("spec { completion_mode: 'Indexed' completions: 5 " + spec +
                    " } status { " + status + " }");
}

TEST(FailsIndexTest, ALimitOfNMeansNRetries) {
  const JobSpec spec = IndexedJob("backoff_limit_per_index: 1").spec();
  const auto fails = [&](int failures) {
    return FailsIndex(Parse<Pod>(IndexedPod("a", 0, failures, kFailedPhase)),
                      spec, Gates());
  };
  EXPECT_FALSE(fails(0));
  EXPECT_TRUE(fails(1));
}

TEST(FailsIndexTest, RulesCanEndAnIndexOrSpareIt) {
  const JobSpec spec =
      IndexedJob("backoff_limit_per_index: 1 " + std::string(kRules)).spec();
  const auto fails = [&](int failures, int code) {
    return FailsIndex(
        Parse<Pod>(IndexedPod("a", 0, failures, ExitedWith(code))), spec,
        Gates());
  };
  EXPECT_TRUE(fails(0, 3));
  EXPECT_FALSE(fails(7, 4));
  EXPECT_FALSE(fails(0, 5));
}

TEST(FailsIndexTest, UnreadableCountsAreZero) {
  for (const char* count : {"-1", "x", "2147483648", "1.0", ""}) {
    Pod pod = Parse<Pod>(IndexedPod("a", 0, 0, kFailedPhase));
    (*pod.mutable_metadata()->mutable_annotations())
        ["batch.kubernetes.io/job-index-failure-count"] = count;
    EXPECT_FALSE(FailsIndex(
        pod, IndexedJob("backoff_limit_per_index: 1").spec(), Gates()))
        << count;
  }
}

TEST(FailedIndexesTest, ExtendsTheStatusAndForgetsWhatIsBeyondCompletions) {
  const Job job =
      IndexedJob("backoff_limit_per_index: 0", "failed_indexes: '0,7'");
  const PodOwner pods({IndexedPod("a", 1, 0, kFailedPhase),
                       IndexedPod("b", 6, 0, kFailedPhase),
                       IndexedPod("c", 3, 0, kRunningPhase)});
  EXPECT_EQ(FailedIndexes(job, pods.get(), Gates()).ToString(), "0,1");
}

TEST(SucceededIndexesTest, AddsSucceededPodsThatAreNotAccounted) {
  const Job job = IndexedJob("", "completed_indexes: '0'");
  const PodOwner pods(
      {IndexedPod("a", 1, 0, kSucceededPhase),
       "metadata { annotations { key: "
       "'batch.kubernetes.io/job-completion-index' value: '2' } } status { "
       "phase: 'Succeeded' }"});
  EXPECT_EQ(SucceededIndexes(job, pods.get()).ToString(), "0,1");
}

TEST(NextIndexFailureCountsTest, CountsOrIgnores) {
  const JobSpec spec = IndexedJob(kRules).spec();
  const auto next = [&](int code) {
    const Pod pod = Parse<Pod>(IndexedPod("a", 0, 2, ExitedWith(code)));
    return NextIndexFailureCounts(&pod, spec, Gates());
  };
  EXPECT_EQ(next(1).counted, 3);
  EXPECT_EQ(next(1).ignored, 0);
  EXPECT_EQ(next(4).counted, 2);
  EXPECT_EQ(next(4).ignored, 1);
  EXPECT_EQ(NextIndexFailureCounts(nullptr, spec, Gates()).counted, 0);
}

TEST(PodsAwaitingReplacementTest, KeepsTheLatestFailureOfOpenIndexes) {
  const Job job = IndexedJob("backoff_limit_per_index: 5");
  const PodOwner pods({IndexedPod("old", 0, 0, kFailedPhase),
                       IndexedPod("new", 0, 1, kFailedPhase),
                       IndexedPod("replaced", 1, 0, kFailedPhase),
                       IndexedPod("running", 1, 1, kRunningPhase),
                       IndexedPod("settled", 2, 0, kFailedPhase)});
  IndexSet succeeded;
  succeeded.Add(2);
  EXPECT_THAT(
      PodsAwaitingReplacement(job, pods.get(), succeeded, IndexSet(), Gates()),
      ElementsAre(Pair(0, pods.get()[1])));
}

TEST(FirstPendingIndexesTest, TerminatingPodsOccupyTheirIndexWhenWaiting) {
  const PodOwner pods(
      {IndexedPod("run", 1, 0, kRunningPhase),
       IndexedPod("leave", 2, 0,
                  "metadata { deletion_timestamp { seconds: 5 } }")});
  IndexSet failed;
  failed.Add(3);
  const auto pending = [&](const char* spec, int count) {
    return FirstPendingIndexes(IndexedJob(spec), pods.get(), IndexSet(), failed,
                               Gates(), count);
  };
  EXPECT_THAT(pending("", 9), ElementsAre(0, 2, 4));
  EXPECT_THAT(pending("", 2), ElementsAre(0, 2));
  EXPECT_THAT(pending("pod_replacement_policy: 'Failed'", 9),
              ElementsAre(0, 4));
}

}  // namespace
}  // namespace mulligan::job
