#include "server/observe/workload_kind.h"

#include <google/protobuf/text_format.h>

#include <string>

#include "gtest/gtest.h"
#include "policy/request/workload.h"

namespace mulligan {
namespace {

struct KindCase {
  const char* name;
  const char* report;
  const char* kind;
};

class WorkloadKindTest : public ::testing::TestWithParam<KindCase> {};

TEST_P(WorkloadKindTest, IsFromTheClosedList) {
  v1::FailureReport report;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(GetParam().report,
                                                            &report));
  EXPECT_EQ(KindLabels()[KindLabelOf(WorkloadKindOf(report))], GetParam().kind);
  // Decisions and metrics use the same kind.
  const std::string decided = WorkloadOf(report).kind();
  EXPECT_EQ(KindLabels()[KindLabelOf(decided)], GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkloadKindTest,
    ::testing::Values(
        KindCase{"Empty", "", "other"},
        KindCase{"StatedWins", "workload { kind: 'RayJob' } pods {}", "RayJob"},
        KindCase{"StatedButUnknown", "workload { kind: 'Evil\"' }", "other"},
        KindCase{"CustomResourceBeforeJob", "job_set {} jobs {} pods {}",
                 "JobSet"},
        KindCase{"JobBeforePod", "jobs {} pods {}", "Job"},
        KindCase{"KubeflowStatesKind", "kubeflow_job { kind: 'PyTorchJob' }",
                 "PyTorchJob"},
        KindCase{"ControllerOfThePod",
                 "pods { metadata { owner_references { kind: 'Other' } "
                 "owner_references { kind: 'ReplicaSet' controller: true } } }",
                 "ReplicaSet"},
        KindCase{"PodsBeforeQueueObject", "pods {} kueue_workload {}", "Pod"},
        KindCase{"KindOfEvent", "events { involved_object { kind: 'JobSet' } }",
                 "JobSet"},
        KindCase{"LonePod", "pods {}", "Pod"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan
