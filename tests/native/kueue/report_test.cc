#include "policy/native/kueue/report.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/native/kueue/test_objects.h"

namespace mulligan::kueue {
namespace {

constexpr char kTotal[] = "kueue.x-k8s.io/pod-group-total-count";

void OwnByPod(v1::FailureReport& report) {
  auto& metadata = *report.mutable_kueue_workload()->mutable_metadata();
  metadata.add_owner_references()->set_kind("Pod");
}

struct GroupCase {
  const char* name;
  int total;
  std::vector<std::string> pods;
  // Empty: not finished.
  const char* message;
};

const char kFailed[] = "status { phase: 'Failed' }";
const char kSucceeded[] = "status { phase: 'Succeeded' }";
const char kRunningStatus[] = "status { phase: 'Running' }";
const char kUnretriable[] =
    "metadata { annotations { key: 'kueue.x-k8s.io/retriable-in-group' "
    "value: 'false' } } status { phase: 'Failed' }";
const char kDeletedUnplaced[] =
    "metadata { deletion_timestamp { seconds: 5 } } "
    "status { phase: 'Pending' }";

class KueuePodGroupTest : public testing::TestWithParam<GroupCase> {};

TEST_P(KueuePodGroupTest, EndsWithItsPods) {
  const GroupCase& test = GetParam();
  v1::FailureReport report;
  OwnByPod(report);
  (*report.mutable_kueue_workload()
        ->mutable_metadata()
        ->mutable_annotations())["kueue.x-k8s.io/is-group-workload"] = "true";
  for (const std::string& text : test.pods) {
    auto& pod = *report.add_pods();
    pod = Parse<kubernetes::core::v1::Pod>(text);
    (*pod.mutable_metadata()->mutable_annotations())[kTotal] =
        std::to_string(test.total);
  }
  const auto end = ReportedEnd(report);
  EXPECT_EQ(end.has_value() ? end->message : "", test.message);
  // However many pods failed.
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
        GroupCase{"ReplacedFailuresAreLetGo",
                  2,
                  {kFailed, kRunningStatus, kSucceeded},
                  ""},
        GroupCase{"UnretriableEndsTheRest",
                  3,
                  {kUnretriable, kSucceeded, kFailed},
                  "Pods succeeded: 1/3."},
        GroupCase{"UnretriableWaitsForRunningPods",
                  2,
                  {kUnretriable, kRunningStatus},
                  ""},
        GroupCase{"DeletedBeforeItRan", 1, {kDeletedUnplaced}, ""},
        GroupCase{"Empty", 1, {}, ""}),
    [](const auto& test) { return test.param.name; });

TEST(KueuePodGroupTest, ASinglePodEndsByItsPhase) {
  v1::FailureReport report;
  OwnByPod(report);
  *report.add_pods() = Parse<kubernetes::core::v1::Pod>(
      "status { phase: 'Failed' message: 'm' }");
  const auto end = ReportedEnd(report);
  ASSERT_TRUE(end.has_value());
  EXPECT_FALSE(end->success);
  EXPECT_EQ(end->message, "m");
}

TEST(KueueJobsTest, ReadinessCountsUncountedSuccesses) {
  v1::FailureReport report;
  auto& job = *report.add_jobs();
  job = Parse<kubernetes::batch::v1::Job>(
      "spec { parallelism: 3 completions: 2 } status { ready: 1 }");
  EXPECT_TRUE(IsKnownUnready(report));
  job.mutable_status()->mutable_uncounted_terminated_pods()->add_succeeded("u");
  EXPECT_FALSE(IsKnownUnready(report));
}

// A RayJob that is Retrying has not ended.
TEST(KueueJobsTest, ARayJobEndsWithItsDeployment) {
  v1::FailureReport report;
  auto& status = *report.mutable_ray_job()->mutable_status();
  status.set_job_deployment_status("Retrying");
  status.set_job_status("FAILED");
  EXPECT_FALSE(ReportedEnd(report).has_value());
  status.set_job_deployment_status("Complete");
  EXPECT_EQ(ReportedEnd(report).value_or(JobEnd{true, ""}).success, false);
  status.set_job_status("SUCCEEDED");
  EXPECT_EQ(ReportedEnd(report).value_or(JobEnd()).success, true);
}

}  // namespace
}  // namespace mulligan::kueue
