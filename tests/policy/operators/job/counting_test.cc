#include "policy/operators/job/counting.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kDeleted[] =
    "metadata { deletion_timestamp { seconds: 5 } } status { phase: "
    "'Running' }";

TEST(IsPodFailedTest, ADeletedPodFailsWhenReplacementsDoNotWait) {
  const Pod pod = Parse<Pod>(kDeleted);
  EXPECT_TRUE(IsPodFailed(pod, JobSpec(), Gates()));
  EXPECT_FALSE(IsPodFailed(
      pod, Parse<JobSpec>("pod_replacement_policy: 'Failed'"), Gates()));
  EXPECT_FALSE(
      IsPodFailed(pod, Parse<JobSpec>("pod_failure_policy {}"), Gates()));
}

TEST(IsPodFailedTest, TheReplacementPolicyNeedsItsGate) {
  Gates gates;
  gates.pod_replacement_policy = false;
  const auto spec = Parse<JobSpec>("pod_replacement_policy: 'Failed'");
  EXPECT_TRUE(IsPodFailed(Parse<Pod>(kDeleted), spec, gates));
}

TEST(IsPodFailedTest, ADeletedPodThatSucceededHasNotFailed) {
  const Pod pod = Parse<Pod>(
      "metadata { deletion_timestamp { seconds: 5 } } status { phase: "
      "'Succeeded' }");
  EXPECT_FALSE(IsPodFailed(pod, JobSpec(), Gates()));
}

TEST(NewlyFinishedPodsTest, LeavesOutWhatIsPaidFor) {
  const auto job = Parse<Job>(
      "status { uncounted_terminated_pods { failed: 'listed' succeeded: 'won' "
      "} }");
  const PodOwner pods(
      {TrackedPod("new", kFailedPhase), TrackedPod("listed", kFailedPhase),
       "metadata { uid: 'released' } status { phase: 'Failed' }",
       TrackedPod("won", kSucceededPhase),
       TrackedPod("winner", kSucceededPhase)});
  const NewlyFinished finished = NewlyFinishedPods(job, pods.get(), Gates());
  EXPECT_THAT(finished.failed, ElementsAre(pods.get()[0]));
  EXPECT_THAT(finished.succeeded, ElementsAre(pods.get()[4]));
}

TEST(NewlyFinishedPodsTest, IndexedJobsNeedAValidIndex) {
  const auto job =
      Parse<Job>("spec { completion_mode: 'Indexed' completions: 2 }");
  const PodOwner pods({IndexedPod("beyond", 2, 0, kFailedPhase),
                       TrackedPod("none", kFailedPhase)});
  EXPECT_THAT(NewlyFinishedPods(job, pods.get(), Gates()).failed, IsEmpty());
}

TEST(FailureCountTest, AddsCountedUncountedAndNewFailures) {
  const auto job = Parse<Job>(R"pb(
    spec {
      pod_failure_policy {
        rules {
          action: 'Ignore'
          on_pod_conditions { type: 'DisruptionTarget' status: 'True' }
        }
      }
    }
    status {
      failed: 3
      uncounted_terminated_pods { failed: 'a' failed: 'b' }
    }
  )pb");
  const PodOwner pods({TrackedPod("c", kFailedPhase),
                       TrackedPod("d",
                                  "status { phase: 'Failed' conditions { type: "
                                  "'DisruptionTarget' status: 'True' } }")});
  EXPECT_EQ(FailureCount(job, pods.get(), Gates()), 6);
}

TEST(ExceedsOnFailureLimitTest, TheSumOfRestartsReachingTheLimitIsEnough) {
  const PodOwner pods(
      {TrackedPod("a",
                  "status { phase: 'Running' container_statuses { "
                  "restart_count: 1 } init_container_statuses { "
                  "restart_count: 1 } }"),
       TrackedPod("b",
                  "status { phase: 'Failed' container_statuses { "
                  "restart_count: 9 } }")});
  const auto spec = [](const std::string& policy, int limit) {
    return Parse<JobSpec>("template { spec { restart_policy: '" + policy +
                          "' } } backoff_limit: " + std::to_string(limit));
  };
  EXPECT_TRUE(ExceedsOnFailureLimit(spec("OnFailure", 2), pods.get()));
  EXPECT_FALSE(ExceedsOnFailureLimit(spec("OnFailure", 3), pods.get()));
  EXPECT_FALSE(ExceedsOnFailureLimit(spec("Never", 2), pods.get()));
  EXPECT_TRUE(ExceedsOnFailureLimit(spec("OnFailure", 0), pods.get()));
  EXPECT_FALSE(ExceedsOnFailureLimit(spec("OnFailure", 0), {}));
}

}  // namespace
}  // namespace mulligan::job
