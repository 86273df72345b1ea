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

TEST(IndexesOfTest, ExtendsTheStatusAndForgetsWhatIsBeyondCompletions) {
  const Job job =
      IndexedJob("backoff_limit_per_index: 0", "failed_indexes: '0,7'");
  const PodOwner pods({IndexedPod("a", 1, 0, kFailedPhase),
                       IndexedPod("b", 6, 0, kFailedPhase),
                       IndexedPod("c", 3, 0, kRunningPhase)});
  EXPECT_EQ(IndexesOf(job, pods.get(), Gates()).failed,
            IndexSet::Parse("0,1", 5));
}

TEST(IndexesOfTest, AddsSucceededPodsThatAreNotAccounted) {
  const Job job = IndexedJob("", "completed_indexes: '0'");
  const PodOwner pods(
      {IndexedPod("a", 1, 0, kSucceededPhase),
       "metadata { annotations { key: "
       "'batch.kubernetes.io/job-completion-index' value: '2' } } status { "
       "phase: 'Succeeded' }"});
  EXPECT_EQ(IndexesOf(job, pods.get(), Gates()).succeeded,
            IndexSet::Parse("0,1", 5));
}

TEST(IndexesOfTest, KeepsTheLatestFailureOfOpenIndexes) {
  const Job job =
      IndexedJob("backoff_limit_per_index: 5", "completed_indexes: '2'");
  const PodOwner pods({IndexedPod("old", 0, 0, kFailedPhase),
                       IndexedPod("new", 0, 1, kFailedPhase),
                       IndexedPod("replaced", 1, 0, kFailedPhase),
                       IndexedPod("running", 1, 1, kRunningPhase),
                       IndexedPod("settled", 2, 0, kFailedPhase)});
  EXPECT_THAT(IndexesOf(job, pods.get(), Gates()).awaiting_replacement,
              ElementsAre(Pair(0, pods.get()[1])));
}

}  // namespace
}  // namespace mulligan::job
