#include "policy/native/kubeflow/reconcile.h"

#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/native/kubeflow/test_objects.h"

namespace mulligan::kubeflow {
namespace {

using ::testing::ElementsAre;

class TrainingJobReconcileTest : public testing::Test {
 protected:
  // Sets a job of `kind` named "ns/j".
  void Job(const std::string& kind, const std::string& spec) {
    job_.set_kind(kind);
    job_.mutable_metadata()->set_name("j");
    job_.mutable_metadata()->set_namespace_("ns");
    *job_.mutable_spec() = Parse<TrainingJobSpec>(spec);
  }

  Pass Run() {
    const Kind& kind = *FindKind(job_.kind());
    const Replicas replicas = ReplicasOf(job_, kind);
    return Reconcile({job_, kind, replicas, pods_, version_, At(1000)});
  }

  // Types of the conditions that are True, in order.
  std::vector<std::string> True(const Pass& pass) const {
    std::vector<std::string> types;
    for (const auto& condition : pass.status.conditions()) {
      if (condition.status() == "True") types.push_back(condition.type());
    }
    return types;
  }

  TrainingJob job_;
  std::vector<Pod> pods_;
  Version version_;
};

TEST_F(TrainingJobReconcileTest, RetryableExitCodeRestartsThePod) {
  Job("TFJob",
      "tf_replica_specs { key: 'Worker' value { restart_policy: 'ExitCode' } "
      "}");
  pods_ = {PodAt("Worker", 0, "Failed", 130)};
  const Pass pass = Run();
  EXPECT_TRUE(pass.restarts);
  EXPECT_THAT(True(pass), ElementsAre("Restarting"));
  EXPECT_EQ(pass.status.conditions(0).reason(), "TFJobRestarting");
  EXPECT_EQ(pass.status.conditions(0).message(),
            "job j is restarting because Worker replica(s) failed.");
}

TEST_F(TrainingJobReconcileTest, PermanentExitCodeFailsTheJob) {
  Job("TFJob",
      "tf_replica_specs { key: 'Worker' value { restart_policy: 'ExitCode' } "
      "}");
  pods_ = {PodAt("Worker", 0, "Failed", 1)};
  const Pass pass = Run();
  EXPECT_FALSE(pass.restarts);
  EXPECT_THAT(True(pass), ElementsAre("Failed"));
  EXPECT_EQ(pass.status.conditions(0).message(),
            "job \"j\" is failing because \"Worker\" replica(s) failed.");
}

TEST_F(TrainingJobReconcileTest, EvictedPodWithoutAnExitCodeIsRestarted) {
  Job("PyTorchJob",
      "pytorch_replica_specs { key: 'Worker' value { restart_policy: "
      "'ExitCode' } }");
  pods_ = {PodAt("Worker", 0, "Failed")};
  EXPECT_TRUE(Run().restarts);
}

struct KindCase {
  std::string kind;
  std::string replicas;
  std::string type;
  // The resulting condition of a failed pod under each policy.
  std::string under_never;
  std::string under_on_failure;
  std::string by_default;

  friend std::ostream& operator<<(std::ostream& out, const KindCase& row) {
    return out << row.kind;
  }
};

class TrainingJobFailedPodTest : public TrainingJobReconcileTest,
                                 public testing::WithParamInterface<KindCase> {
 protected:
  std::string ConditionUnder(const std::string& policy) {
    const std::string quoted =
        policy.empty() ? "" : "restart_policy: '" + policy + "'";
    Job(GetParam().kind, GetParam().replicas + " { key: '" + GetParam().type +
                             "' value { replicas: 1 " + quoted + " } }");
    pods_ = {PodAt(GetParam().type, 0, "Failed", 1, GetParam().kind)};
    return True(Run()).back();
  }
};

TEST_P(TrainingJobFailedPodTest, DependsOnKindAndPolicy) {
  EXPECT_EQ(ConditionUnder("Never"), GetParam().under_never);
  EXPECT_EQ(ConditionUnder("OnFailure"), GetParam().under_on_failure);
  EXPECT_EQ(ConditionUnder(""), GetParam().by_default);
}

const KindCase kKindCases[] = {
    {"PyTorchJob", "pytorch_replica_specs", "Worker", "Failed", "Restarting",
     "Restarting"},
    {"PaddleJob", "paddle_replica_specs", "Worker", "Failed", "Restarting",
     "Restarting"},
    {"JAXJob", "jax_replica_specs", "Worker", "Failed", "Restarting", "Failed"},
    {"TFJob", "tf_replica_specs", "Worker", "Failed", "Restarting", "Failed"},
    // These fail although the pod is deleted to be recreated.
    {"XGBoostJob", "xgb_replica_specs", "Master", "Failed", "Failed", "Failed"},
    {"MPIJob", "mpi_replica_specs", "Launcher", "Failed", "Failed", "Failed"},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainingJobFailedPodTest,
                         testing::ValuesIn(kKindCases),
                         [](const auto& test) { return test.param.kind; });

TEST_F(TrainingJobReconcileTest,
       EvictedMpiWorkerFailsTheJobUnderADoubledReason) {
  Job("MPIJob",
      "mpi_replica_specs { key: 'Launcher' value {} } "
      "mpi_replica_specs { key: 'Worker' value { replicas: 2 } }");
  pods_ = {PodAt("Launcher", 0, "Running"), PodAt("Worker", 0, "Running"),
           PodAt("Worker", 1, "Failed")};
  pods_[2].mutable_status()->set_reason("Evicted");
  const Pass pass = Run();
  EXPECT_THAT(True(pass), ElementsAre("Failed"));
  EXPECT_EQ(pass.status.conditions(1).reason(), "MPIJobMPIJobFailed");
}

TEST_F(TrainingJobReconcileTest, WorkersOfAFinishedLauncherAreNotCounted) {
  Job("MPIJob",
      "mpi_replica_specs { key: 'Launcher' value {} } "
      "mpi_replica_specs { key: 'Worker' value { replicas: 1 } }");
  pods_ = {PodAt("Launcher", 0, "Succeeded"), PodAt("Worker", 0, "Failed")};
  const Pass pass = Run();
  EXPECT_THAT(True(pass), ElementsAre("Succeeded"));
  EXPECT_EQ(pass.status.replica_statuses().at("Worker").failed(), 0);
}

// Without a completion time the operator returns before it counts, because the
// job's TTL cannot be computed.
TEST_F(TrainingJobReconcileTest, PodsRunningAtTheEndHaveSucceeded) {
  for (const bool knows_its_end : {true, false}) {
    Job("TFJob",
        "run_policy { ttl_seconds_after_finished: 60 } "
        "tf_replica_specs { key: 'Worker' value {} }");
    *job_.mutable_status() = Parse<JobStatus>(
        "conditions { type: 'Succeeded' status: 'True' } "
        "replica_statuses { key: 'Worker' value { active: 1 } }");
    if (knows_its_end) {
      job_.mutable_status()->mutable_completion_time()->set_seconds(900);
    }
    const Pass pass = Run();
    EXPECT_EQ(pass.status.replica_statuses().at("Worker").succeeded(),
              knows_its_end ? 1 : 0);
  }
}

TEST_F(TrainingJobReconcileTest, FailedWorkersFailATfJobWithARunningChief) {
  Job("TFJob",
      "tf_replica_specs { key: 'Chief' value {} } "
      "tf_replica_specs { key: 'Worker' value { replicas: 2 } }");
  pods_ = {PodAt("Chief", 0, "Running"), PodAt("Worker", 0, "Failed"),
           PodAt("Worker", 1, "Running")};
  const Pass pass = Run();
  EXPECT_THAT(True(pass), ElementsAre("Failed"));
}

TEST_F(TrainingJobReconcileTest, DynamicWorkersMayFail) {
  Job("TFJob",
      "enable_dynamic_worker: true "
      "tf_replica_specs { key: 'Worker' value { replicas: 2 } }");
  pods_ = {PodAt("Worker", 0, "Running"), PodAt("Worker", 1, "Failed")};
  EXPECT_THAT(True(Run()), ElementsAre("Running"));
}

TEST_F(TrainingJobReconcileTest, AnyWorkerOfAnElasticPyTorchJobIsEnough) {
  Job("PyTorchJob",
      "elastic_policy { max_restarts: 3 } "
      "pytorch_replica_specs { key: 'Worker' value { replicas: 3 } }");
  pods_ = {PodAt("Worker", 0, "Running"), PodAt("Worker", 1, "Succeeded"),
           PodAt("Worker", 2, "Running")};
  EXPECT_THAT(True(Run()), ElementsAre("Succeeded"));
}

TEST_F(TrainingJobReconcileTest, BackoffLimitIsShared) {
  Job("TFJob",
      "run_policy { backoff_limit: 4 } tf_replica_specs { key: 'Worker' value "
      "{ "
      "replicas: 4 restart_policy: 'OnFailure' } }");
  for (int i = 0; i < 4; ++i) {
    pods_.push_back(WithRestarts(PodAt("Worker", i, "Running"), 1));
  }
  const Pass pass = Run();
  EXPECT_EQ(pass.limit, Limit::kBackoff);
  EXPECT_EQ(pass.status.conditions(0).message(),
            "Job j has failed because it has reached the specified backoff "
            "limit");
}

TEST_F(TrainingJobReconcileTest, DeadlineHasTheSameReasonAndAnotherMessage) {
  Job("PyTorchJob",
      "run_policy { active_deadline_seconds: 5 } "
      "pytorch_replica_specs { key: 'Worker' value {} }");
  *job_.mutable_status()->mutable_start_time() = At(900);
  const Pass pass = Run();
  EXPECT_EQ(pass.limit, Limit::kDeadline);
  EXPECT_EQ(pass.status.conditions(0).reason(), "PyTorchJobFailed");
  EXPECT_EQ(pass.status.conditions(0).message(),
            "Job j has failed because it was active longer than specified "
            "deadline");
}

TEST_F(TrainingJobReconcileTest, SuspensionKeepsTheStartTimeAndResumeResetsIt) {
  Job("PyTorchJob",
      "run_policy { suspend: true } "
      "pytorch_replica_specs { key: 'Master' value {} }");
  *job_.mutable_status()->mutable_start_time() = At(7);
  *job_.mutable_status()->add_conditions() =
      Parse<JobCondition>("type: 'Running' status: 'True'");
  pods_ = {PodAt("Master", 0, "Running")};
  const Pass suspended = Run();
  EXPECT_THAT(True(suspended), ElementsAre("Suspended"));
  EXPECT_EQ(suspended.status.start_time().seconds(), 7);
  *job_.mutable_status() = suspended.status;
  job_.mutable_spec()->mutable_run_policy()->set_suspend(false);
  const Pass resumed = Run();
  EXPECT_THAT(True(resumed), ElementsAre("Running"));
  EXPECT_EQ(resumed.status.start_time().seconds(), 1000);
}

TEST_F(TrainingJobReconcileTest, AFinishedJobStaysFinished) {
  Job("TFJob",
      "run_policy { clean_pod_policy: 'All' } "
      "tf_replica_specs { key: 'Worker' value {} }");
  *job_.mutable_status()->add_conditions() =
      Parse<JobCondition>("type: 'Failed' status: 'True'");
  pods_ = {PodAt("Worker", 0, "Failed", 130)};
  const Pass pass = Run();
  EXPECT_FALSE(pass.restarts);
}

}  // namespace
}  // namespace mulligan::kubeflow
