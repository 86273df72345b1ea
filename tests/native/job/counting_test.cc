#include "gtest/gtest.h"
#include "policy/native/job/failures.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

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

TEST(FailureCountTest, LeavesOutChargedFailures) {
  const auto job = Parse<Job>(
      "status { failed: 4 uncounted_terminated_pods { failed: 'listed' "
      "succeeded: 'won' } }");
  const PodOwner pods(
      {TrackedPod("new", kFailedPhase), TrackedPod("listed", kFailedPhase),
       "metadata { uid: 'released' } status { phase: 'Failed' }",
       TrackedPod("won", kSucceededPhase),
       TrackedPod("winner", kSucceededPhase)});
  EXPECT_EQ(FailureCount(job, pods.get(), Gates()), 4 + 1 + 1);
  EXPECT_EQ(SuccessCount(job, pods.get()), 1 + 1);
}

TEST(FailureCountTest, IndexedJobsNeedAValidIndex) {
  const auto job =
      Parse<Job>("spec { completion_mode: 'Indexed' completions: 2 }");
  const PodOwner pods({IndexedPod("beyond", 2, 0, kFailedPhase),
                       TrackedPod("none", kFailedPhase)});
  EXPECT_EQ(FailureCount(job, pods.get(), Gates()), 0);
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

}  // namespace
}  // namespace mulligan::job
