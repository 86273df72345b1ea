#include "gtest/gtest.h"
#include "policy/request/workload.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

struct NaturalScopeRow {
  const char* name;
  const char* kind;
  const char* report;
  v1::Decision::Scope retried;
  v1::Decision::Scope given_up;
  bool sink;
};

class ScopeTest : public ::testing::TestWithParam<NaturalScopeRow> {};

TEST_P(ScopeTest, FollowsTheKind) {
  const auto report = Parse<v1::FailureReport>(GetParam().report);
  v1::WorkloadReference workload;
  workload.set_kind(GetParam().kind);
  EXPECT_EQ(DefaultScope(report, workload, v1::Decision::RETRY),
            GetParam().retried);
  EXPECT_EQ(DefaultScope(report, workload, v1::Decision::FAIL),
            GetParam().given_up);
  EXPECT_EQ(IsInFinalState(Owners(report), workload), GetParam().sink);
}

#define FAILED "status { conditions { type: 'Failed' status: 'True' } } "

const NaturalScopeRow kNaturalScopeRows[] = {
    {"Pod", "Pod", "pods { status { phase: 'Failed' } }", v1::Decision::POD,
     v1::Decision::POD, true},
    {"RunningPod", "Pod", "pods { status { phase: 'Running' } }",
     v1::Decision::POD, v1::Decision::POD, false},
    {"Job", "Job", "jobs {}", v1::Decision::POD, v1::Decision::JOB, false},
    {"FailedJob", "Job", "jobs { " FAILED "}", v1::Decision::JOB,
     v1::Decision::JOB, true},
    {"JobWithoutTheJob", "Job", "pods {}", v1::Decision::POD, v1::Decision::JOB,
     false},
    {"IndexedJob", "Job", "jobs { spec { completion_mode: 'Indexed' } }",
     v1::Decision::INDEX, v1::Decision::JOB, false},
    {"IndexedJobWithLimit", "Job",
     "jobs { spec { completion_mode: 'Indexed' backoff_limit_per_index: 1 } }",
     v1::Decision::INDEX, v1::Decision::INDEX, false},
    {"JobSet", "JobSet", "job_set {}", v1::Decision::JOB_SET,
     v1::Decision::JOB_SET, false},
    {"FailedJobSet", "JobSet",
     "job_set { status { terminal_state: 'Failed' } "
     "}",
     v1::Decision::JOB_SET, v1::Decision::JOB_SET, true},
    {"ChildJobFailed", "JobSet", "job_set {} jobs { " FAILED "}",
     v1::Decision::JOB_SET, v1::Decision::JOB_SET, false},
    {"RayJob", "RayJob",
     "ray_job { status { job_deployment_status: 'Failed' } }",
     v1::Decision::CLUSTER, v1::Decision::WORKLOAD, true},
    {"TrainJob", "TrainJob", "train_job { " FAILED "}", v1::Decision::JOB_SET,
     v1::Decision::WORKLOAD, true},
    {"PyTorchJob", "PyTorchJob", "kubeflow_job { " FAILED "}",
     v1::Decision::JOB, v1::Decision::JOB, true},
    {"Spark", "SparkApplication",
     "spark_application { status { application_state { state: 'FAILED' } } }",
     v1::Decision::WORKLOAD, v1::Decision::WORKLOAD, true},
    {"Unknown", "Foo", "pods {}", v1::Decision::WORKLOAD,
     v1::Decision::WORKLOAD, false},
};

#undef FAILED

INSTANTIATE_TEST_SUITE_P(DefaultScope, ScopeTest,
                         ::testing::ValuesIn(kNaturalScopeRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mulligan
