#include "policy/native/job/decision.h"

#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

Decision DecideJobAt(const std::string& job_text, const PodOwner& pods,
                     const Gates& gates = Gates()) {
  Job job = Parse<Job>(job_text);
  SetJobDefaults(gates, *job.mutable_spec());
  return DecideJob(job, pods.get(), gates, absl::FromUnixSeconds(100000));
}

TEST(DecideJobTest, IgnoresAnotherControllersJob) {
  const Decision decision =
      DecideJobAt("spec { backoff_limit: 0 managed_by: 'example.com/other' }",
                  PodOwner({TrackedPod("a", kFailedPhase)}));
  EXPECT_FALSE(decision.ending.has_value());
  EXPECT_EQ(decision.failed, 0);
}

TEST(DecideJobTest, UnreportedPodsKeepAWorkQueueOpen) {
  const PodOwner pods({TrackedPod("a", kSucceededPhase)});
  EXPECT_FALSE(DecideJobAt("spec { parallelism: 3 } status { active: 3 }", pods)
                   .ending.has_value());
  EXPECT_TRUE(DecideJobAt("spec { parallelism: 3 } status { active: 1 }", pods)
                  .ending.has_value());
}

TEST(DecideJobTest, AJobUnderDeletionWaitsForItsPods) {
  const PodOwner pods(
      {TrackedPod("a", kSucceededPhase), TrackedPod("b", kRunningPhase)});
  const std::string spec = "spec { completions: 1 parallelism: 2 }";
  EXPECT_TRUE(DecideJobAt(spec, pods).ending.has_value());
  EXPECT_FALSE(
      DecideJobAt("metadata { deletion_timestamp { seconds: 5 } } " + spec,
                  pods)
          .ending.has_value());
}

TEST(DecideJobTest, BeforeInterimConditionsRunningPodsCountAsFailed) {
  const PodOwner pods(
      {TrackedPod("a", kSucceededPhase), TrackedPod("b", kRunningPhase)});
  const std::string spec = "spec { completions: 1 parallelism: 2 }";
  EXPECT_EQ(DecideJobAt(spec, pods).failed, 0);
  Gates before;
  before.interim_conditions = false;
  EXPECT_EQ(DecideJobAt(spec, pods, before).failed, 1);
  // Either of two gates announces it.
  Gates gates;
  gates.managed_by = false;
  EXPECT_EQ(DecideJobAt(spec, pods, gates).failed, 0);
  gates.pod_replacement_policy = false;
  EXPECT_EQ(DecideJobAt(spec, pods, gates).failed, 1);
}

TEST(DecideJobTest, TheSumOfRestartsReachingTheLimitIsEnough) {
  const PodOwner pods(
      {TrackedPod("a",
                  "status { phase: 'Running' container_statuses { "
                  "restart_count: 1 } init_container_statuses { "
                  "restart_count: 1 } }"),
       TrackedPod("b",
                  "status { phase: 'Succeeded' container_statuses { "
                  "restart_count: 9 } }")});
  const auto fails = [](const std::string& policy, int limit,
                        const PodOwner& owner) {
    return DecideJobAt(
               "spec { completions: 9 template { spec { "
               "restart_policy: '" +
                   policy + "' } } backoff_limit: " + std::to_string(limit) +
                   " }",
               owner)
        .ending.has_value();
  };
  EXPECT_TRUE(fails("OnFailure", 2, pods));
  EXPECT_FALSE(fails("OnFailure", 3, pods));
  EXPECT_FALSE(fails("Never", 2, pods));
  EXPECT_TRUE(fails("OnFailure", 0, pods));
  EXPECT_FALSE(fails("OnFailure", 0, {}));
}

}  // namespace
}  // namespace mulligan::job
