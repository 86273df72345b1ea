#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

#define MPI_JOB(rest)                                   \
  "kubeflow_job { api_version: 'kubeflow.org/v2beta1' " \
  "kind: 'MPIJob' metadata { name: 'm' namespace: 'ml' } " rest " } "
#define LAUNCHER(status)                                              \
  "jobs { metadata { name: 'm-launcher' namespace: 'ml' uid: 'l' "    \
  "owner_references { kind: 'MPIJob' name: 'm' controller: true } } " \
  "spec { backoff_limit: 2 } status { " status " } } "
#define POD(role, status)                                              \
  "pods { metadata { name: 'm-" role "-0' namespace: 'ml' uid: '" role \
  "' labels { key: 'training.kubeflow.org/job-role' value: '" role     \
  "' } owner_references { kind: 'Job' name: 'm-launcher' uid: 'l' "    \
  "controller: true } } status { " status " } } "
#define WORKER(status)                                                \
  "pods { metadata { name: 'm-worker-0' labels { key: "               \
  "'training.kubeflow.org/job-role' value: 'worker' } "               \
  "owner_references { kind: 'MPIJob' name: 'm' controller: true } } " \
  "status { " status " } } "

struct Row {
  const char* name;
  const char* report;
  // Reason of the verdict.
  const char* by;
  const char* word;
  v1::Decision::Action action;
  const char* reason = "";
  const char* charged = "";
  const char* warning = "";
  const char* message = nullptr;
};

class MpiJobTest : public ::testing::TestWithParam<Row> {};

TEST_P(MpiJobTest, AgreesWithMpiOperator) {
  const Row& row = GetParam();
  const auto report = testing::Parse<v1::FailureReport>(row.report);
  google::protobuf::Timestamp now;
  now.set_seconds(1000);
  const auto outcome = AnswerNatively({report, {}, {}, now});
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), row.by);
  EXPECT_EQ(outcome->verdict.verdict(), row.word);
  EXPECT_EQ(outcome->action, row.action);
  EXPECT_EQ(outcome->verdict.reason(), row.reason);
  EXPECT_EQ(outcome->charged_to, row.charged);
  if (row.message != nullptr) {
    EXPECT_EQ(outcome->verdict.message(), row.message);
  }
  if (*row.warning != '\0') {
    EXPECT_THAT(outcome->warnings, ::testing::Contains(HasSubstr(row.warning)));
  }
}

const Row kRows[] = {
    {"LauncherIsTriedAgainByItsJob",
     MPI_JOB("") LAUNCHER("failed: 1") POD("launcher", "phase: 'Failed'"),
     "Job", "Count", v1::Decision::RETRY, "", "backoffLimit"},
    {"LauncherThatUsedUpItsLimit",
     MPI_JOB("") LAUNCHER(
         "failed: 3 conditions { type: 'Failed' status: 'True' reason: "
         "'BackoffLimitExceeded' message: 'too often' }")
         POD("launcher", "phase: 'Failed' reason: 'Error'"),
     "MPIJob", "Failed", v1::Decision::FAIL, "BackoffLimitExceeded/Error",
     "backoffLimit"},
    {"EvictedWorkerSaysFailedAndStopsNothing",
     MPI_JOB("") WORKER("phase: 'Failed' reason: 'Evicted'"), "MPIJob",
     "Failed", v1::Decision::FAIL, "MPIJobEvicted", "", "stops nothing"},
    {"FailedWorkerIsNotAPodOfTheLaunchersJob",
     MPI_JOB("") LAUNCHER("active: 1") WORKER("phase: 'Failed'"), "MPIJob",
     "None", v1::Decision::IGNORE, "", "", "leaves a worker"},
    {"OneOfTheWorkersThatAreAskedFor",
     MPI_JOB("spec { mpi_replica_specs { key: 'Worker' value { replicas: 4 } } "
             "}") WORKER("phase: 'Failed' reason: 'Evicted'"),
     "MPIJob", "Failed", v1::Decision::FAIL, "MPIJobEvicted", "", "",
     "1/4 workers are evicted"},
    {"FailedWorkerIsLeftAsItIs", MPI_JOB("") WORKER("phase: 'Failed'"),
     "MPIJob", "None", v1::Decision::IGNORE, "", "", "leaves a worker"},
    {"EndThatWasWritten",
     MPI_JOB("status { completion_time { seconds: 9 } conditions { type: "
             "'Failed' status: 'True' reason: 'MPIJobFailed' } }"),
     "MPIJob", "Failed", v1::Decision::FAIL, "MPIJobFailed"},
    {"EvictedBeforeWithTheLauncherGoingOn",
     MPI_JOB("status { conditions { type: 'Failed' status: 'True' reason: "
             "'MPIJobEvicted' } }"),
     "MPIJob", "None", v1::Decision::IGNORE, "", "", "not in the report"},
    {"Suspended", MPI_JOB("spec { run_policy { suspend: true } }"), "MPIJob",
     "Suspended", v1::Decision::IGNORE},
    {"AnothersOwn",
     MPI_JOB("spec { run_policy { managed_by: 'kueue.x-k8s.io/multikueue' } }"),
     "MPIJob", "Skipped", v1::Decision::IGNORE},
    {"TrainingOperatorsIsNot",
     "kubeflow_job { api_version: 'kubeflow.org/v1' kind: 'MPIJob' "
     "metadata { name: 'm' } }",
     "MPIJob", "None", v1::Decision::IGNORE, "", "", "no pod of the job"},
};

INSTANTIATE_TEST_SUITE_P(All, MpiJobTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mulligan
