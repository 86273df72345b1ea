#include <optional>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/flyte/dask.h"
#include "policy/operators/flyte/jobset.h"
#include "policy/operators/flyte/kubeflow.h"
#include "policy/operators/flyte/ray.h"
#include "policy/operators/flyte/spark.h"
#include "tests/policy/operators/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

using ::testing::HasSubstr;

Pod FailedPod(const std::string& name) {
  return MessageOf<Pod>("metadata { name: '" + name +
                        "' } status { phase: 'Failed' reason: 'Evicted' }");
}

struct KubeflowCase {
  std::string name;
  std::string version;
  std::string job;
  std::string phase;
};

void PrintTo(const KubeflowCase& test, std::ostream* out) { *out << test.name; }

class KubeflowTest : public testing::TestWithParam<KubeflowCase> {};

TEST_P(KubeflowTest, FollowsTheNewestTrueCondition) {
  const KubeflowCase& test = GetParam();
  const auto job = MessageOf<TrainingJob>(
      "metadata { name: 'j' creation_timestamp { seconds: 1000 } } " +
      test.job);
  EXPECT_THAT(Summary(KubeflowJobPhase(job, {}, SettingsOf(test.version),
                                       Second(1061))),
              HasSubstr(test.phase));
}

std::string Condition(const std::string& type, const std::string& status,
                      int second) {
  return absl::StrFormat(
      "conditions { type: '%s' status: '%s' last_transition_time { seconds: "
      "%d } } ",
      type, status, second);
}

std::string Started(const std::string& kind, const std::string& conditions) {
  return "kind: '" + kind + "' status { start_time { seconds: 1001 } " +
         conditions + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, KubeflowTest,
    testing::Values(
        KubeflowCase{"Failed", "v1",
                     Started("PyTorchJob", Condition("Running", "False", 2) +
                                               Condition("Failed", "True", 2)),
                     "RetryableFailure USER DownstreamSystemError"},
        KubeflowCase{"NewerRestartHidesTheFailure", "v1",
                     Started("TFJob", Condition("Failed", "True", 2) +
                                          Condition("Restarting", "True", 3)),
                     "Running"},
        KubeflowCase{"NoneIsTrue", "v1",
                     Started("TFJob", Condition("Running", "False", 2)),
                     "error: found no current condition. Conditions: "
                     "[{Type:Running Status:False"},
        KubeflowCase{"NoConditions", "v1", Started("TFJob", ""), "Queued"},
        KubeflowCase{"NoConditionsOfAnMpiJob", "v1", Started("MPIJob", ""),
                     "Undefined"},
        KubeflowCase{"SuspendedInFlyte1", "v1",
                     Started("MPIJob", Condition("Suspended", "True", 2)),
                     "Queued"},
        KubeflowCase{"SuspendedInFlyte2", "v2",
                     Started("MPIJob", Condition("Suspended", "True", 2)),
                     "Undefined"},
        KubeflowCase{"Overdue", "v1", "kind: 'TFJob'",
                     "error: kubeflow operator hasn't updated the tensorflow "
                     "custom resource since creation time 1970-01-01 00:16:40 "
                     "+0000 UTC"},
        KubeflowCase{"HeldByAQueueInFlyte1", "v1",
                     "kind: 'TFJob' spec { run_policy { suspend: true } }",
                     "Queued"},
        KubeflowCase{"HeldByAQueueInFlyte2", "v2",
                     "kind: 'TFJob' spec { run_policy { suspend: true } }",
                     "error: kubeflow operator"},
        KubeflowCase{"NoPlugin", "v1", "kind: 'XGBoostJob'",
                     "error: Flyte has no plugin for kind 'XGBoostJob'"}),
    [](const auto& test) { return test.param.name; });

TEST(KubeflowPodTest, OnlyFlyte2LooksAtWorker0AndOnlyOfPyTorch) {
  const Pod pod = FailedPod("j-worker-0");
  const auto judge = [&](const char* kind, const char* version) {
    const auto job =
        MessageOf<TrainingJob>("metadata { name: 'j' } " + Started(kind, ""));
    return Summary(
        KubeflowJobPhase(job, {&pod}, SettingsOf(version), Second(0)));
  };
  EXPECT_EQ(judge("PyTorchJob", "v1"), "Queued");
  EXPECT_EQ(judge("PyTorchJob", "v2"), "RetryableFailure USER Evicted");
  EXPECT_EQ(judge("TFJob", "v2"), "Queued");
}

std::string RaySummary(const std::string& status, const std::string& version,
                       const std::optional<ErrorFile>& file = std::nullopt) {
  const auto job =
      MessageOf<RayJob>("metadata { name: 'r' } status { " + status + " }");
  const Pod head = FailedPod("c-head");
  return Summary(
      RayJobPhase(job, {&head}, file, SettingsOf(version), Second(0)));
}

TEST(RayTest, AFailureChangedSidesTwice) {
  const std::string failed = "job_deployment_status: 'Failed'";
  EXPECT_EQ(RaySummary(failed, "1.16.5"),
            "PermanentFailure USER TaskFailedWithError");
  EXPECT_EQ(RaySummary(failed, "v1"),
            "RetryableFailure SYSTEM TaskFailedWithError");
  EXPECT_EQ(RaySummary(failed, "v2"),
            "PermanentFailure USER TaskFailedWithError");
}

TEST(RayTest, TheErrorFileGoesBeforeALostJob) {
  const std::string lost =
      "job_deployment_status: 'Failed' reason: "
      "'JobDeploymentStatusTransitionGracePeriodExceeded'";
  ContainerError recoverable;
  recoverable.recoverable = true;
  EXPECT_EQ(RaySummary(lost, "v2"),
            "RetryableFailure SYSTEM TaskFailedWithError");
  EXPECT_EQ(RaySummary(lost, "v2", ErrorFile{recoverable}),
            "RetryableFailure USER TaskFailedWithError");
  EXPECT_EQ(RaySummary(lost, "v2", ErrorFile{ContainerError()}),
            "PermanentFailure USER TaskFailedWithError");
  EXPECT_EQ(RaySummary(lost, "v2", ErrorFile()),
            "PermanentFailure USER TaskFailedWithError");
}

TEST(RayTest, KubeRaysNewerStatesAreErrors) {
  EXPECT_EQ(RaySummary("job_deployment_status: 'Retrying'", "v1"),
            "error: unknown job deployment status: Retrying");
}

TEST(RayTest, TheHeadPodGoesFirstInFlyte2) {
  const std::string running =
      "job_deployment_status: 'Running' ray_cluster_name: 'c'";
  EXPECT_EQ(RaySummary(running, "v1"), "Running");
  EXPECT_EQ(RaySummary(running, "v2"), "RetryableFailure USER Evicted");
}

TEST(SparkTest, TheOperatorsRetriesAreNotSeen) {
  const auto judge = [](const std::string& state) {
    return Summary(SparkApplicationPhase(
        MessageOf<SparkApplication>("status { application_state { state: '" +
                                    state + "' error_message: 'boom' } }"),
        {}, SettingsOf("v2"), Second(0)));
  };
  EXPECT_EQ(judge(""), "Queued");
  EXPECT_EQ(judge("SUBMITTED"), "Initializing");
  EXPECT_EQ(judge("PENDING_RERUN"), "Running");
  EXPECT_EQ(judge("FAILING"), "Running");
  EXPECT_EQ(judge("COMPLETED"), "Success");
  EXPECT_EQ(judge("FAILED"), "RetryableFailure USER DownstreamSystemError");
  EXPECT_EQ(judge("SUBMISSION_FAILED"),
            "RetryableFailure USER DownstreamSystemError");
}

TEST(DaskTest, TheJobRunnerGoesFirstInFlyte2) {
  const Pod runner = FailedPod("runner");
  const DaskJob job = {"", "Running", "runner"};
  EXPECT_EQ(Summary(DaskJobPhase(job, {&runner}, SettingsOf("v1"), Second(0))),
            "Running");
  EXPECT_EQ(Summary(DaskJobPhase(job, {&runner}, SettingsOf("v2"), Second(0))),
            "RetryableFailure USER Evicted");
  EXPECT_EQ(Summary(DaskJobPhase({"", "Failed", ""}, {}, SettingsOf("v1"),
                                 Second(0))),
            "RetryableFailure USER DownstreamSystemError");
}

struct JobSetCase {
  std::string name;
  std::string job_set;
  // Of the pod of rank 0.
  std::string pod;
  std::string phase;
  bool restart_on_host_maintenance = false;
};

void PrintTo(const JobSetCase& test, std::ostream* out) { *out << test.name; }

class FlyteJobSetTest : public testing::TestWithParam<JobSetCase> {};

TEST_P(FlyteJobSetTest, JudgesRank0) {
  const JobSetCase& test = GetParam();
  const auto job_set =
      MessageOf<JobSet>("metadata { name: 'j' } " + test.job_set);
  const auto pod =
      MessageOf<Pod>("metadata { name: 'j-workers-0-0-abc' } " + test.pod);
  Pods pods;
  if (!test.pod.empty()) pods.push_back(&pod);
  ClusteredTask task;
  task.restart_on_host_maintenance = test.restart_on_host_maintenance;
  EXPECT_EQ(Summary(JobSetPhase(job_set, pods, task, Phase::kUndefined,
                                SettingsOf("v2"), Second(0))),
            test.phase);
}

constexpr char kEvicted[] = "status { phase: 'Failed' reason: 'Evicted' }";
constexpr char kShutdown[] = "status { phase: 'Failed' reason: 'Shutdown' }";
constexpr char kBadImage[] =
    "status { phase: 'Pending' conditions { type: 'Ready' status: 'False' } "
    "container_statuses { state { waiting { reason: 'InvalidImageName' } } } }";
constexpr char kOneFailed[] =
    "replicated_jobs_status { name: 'workers' failed: 1 } ";

std::string OneRestart(const std::string& status) {
  return "spec { failure_policy { max_restarts: 1 } } status { " + status + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Tasks, FlyteJobSetTest,
    testing::Values(
        JobSetCase{"NotStarted", "", "", "Initializing"},
        JobSetCase{"NotStartedIsNotJudged", "", kBadImage, "Initializing"},
        JobSetCase{"PendingWithRestartsLeft",
                   OneRestart("replicated_jobs_status { name: 'workers' "
                              "active: 1 }"),
                   kBadImage, "PermanentFailure USER |InvalidImageName"},
        JobSetCase{"RestartsLeft", OneRestart(kOneFailed), kEvicted, "Running"},
        JobSetCase{"NoRestartsLeft",
                   OneRestart(std::string(kOneFailed) + "restarts: 1 "),
                   kEvicted, "RetryableFailure USER Evicted"},
        JobSetCase{"RestartingIsNotJudgedByFailedPods",
                   OneRestart(std::string(kOneFailed) + "restarts: 1 " +
                              Condition("RestartingJobSet", "True", 1)),
                   kEvicted, "Running"},
        JobSetCase{"Failed",
                   OneRestart("conditions { type: 'Failed' status: 'True' "
                              "reason: 'ReachedMaxRestarts' }"),
                   kShutdown, "RetryableFailure USER ReachedMaxRestarts"},
        JobSetCase{"FailedByMaintenance",
                   OneRestart(Condition("Failed", "True", 1)), kShutdown,
                   "RetryableFailure SYSTEM HostMaintenance", true},
        JobSetCase{"FailedAfterEvictionIsNoMaintenance",
                   OneRestart("conditions { type: 'Failed' status: 'True' "
                              "reason: 'r' }"),
                   kEvicted, "RetryableFailure USER r", true},
        JobSetCase{"Completed", OneRestart(Condition("Completed", "True", 1)),
                   kEvicted, "Success"}),
    [](const auto& test) { return test.param.name; });

TEST(FlyteJobSetPolicyTest, ZeroIsNoneAndNegativeIsRefused) {
  EXPECT_EQ(*BuildFailurePolicy({3, false}), 3);
  EXPECT_EQ(*BuildFailurePolicy({0, true}), std::nullopt);
  EXPECT_THAT(std::string(BuildFailurePolicy({-1, false}).status().message()),
              HasSubstr("max_restarts must be >= 0, got -1"));
}

}  // namespace
}  // namespace mulligan::flyte
