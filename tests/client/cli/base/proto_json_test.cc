#include "client/cli/base/proto_json.h"

#include <string>

#include "gtest/gtest.h"
#include "mulligan/v1/report.pb.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::StatusIs;

struct BadMember {
  const char* name;
  std::string json;
  const char* message;
};

class BadMemberTest : public ::testing::TestWithParam<BadMember> {};

TEST_P(BadMemberTest, IsRejectedByFieldAndForm) {
  v1::FailureReport report;
  EXPECT_THAT(ParseProtoJson(GetParam().json, report),
              StatusIs(absl::StatusCode::kInvalidArgument, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMemberTest,
    ::testing::Values(
        BadMember{"TwoSpellings",
                  R"({"pods":[{},{"status":{"containerStatuses":[{"state":
                     {"terminated":{"exitCode":137,"exit_code":1}}}]}}]})",
                  "pods[1].status.containerStatuses[0].state.terminated."
                  "exitCode: is given twice, as exitCode and exit_code"},
        BadMember{"NumberForTime", R"({"observedAt":5})",
                  "observedAt: 5 is not a timestamp such as "
                  "\"2026-01-31T08:00:00Z\""},
        BadMember{"NumberForDuration", R"({"progress":{"healthyFor": 5}})",
                  "progress.healthyFor: 5 is not a duration such as \"30s\""},
        BadMember{"ListForMap", R"({"pods":[{"metadata":{"labels":[]}}]})",
                  "pods[0].metadata.labels: found a list, expected an object"},
        BadMember{"ObjectInMap",
                  R"({"pods":[{"metadata":{"labels":{"a_b":"c","d":{}}}}]})",
                  "pods[0].metadata.labels[d]: found an object, expected a "
                  "single value"},
        BadMember{"ListForObject", R"({"pods":[{"status":[]}]})",
                  "pods[0].status: found a list, expected an object"},
        BadMember{"ListInList", R"({"pods":[[]]})",
                  "pods[0]: found a list, expected an object"},
        BadMember{"ObjectForList",
                  R"({"pods":[{"status":{"conditions":{"type":"Ready"}}}]})",
                  "pods[0].status.conditions: found an object, expected a "
                  "list"},
        BadMember{"TextForList",
                  R"({"pods":[{"status":{"containerStatuses":"x"}}]})",
                  "pods[0].status.containerStatuses: found \"x\", expected a "
                  "list"},
        BadMember{"TextForListOfTexts",
                  R"({"pods":[{"metadata":{"finalizers":"run"}}]})",
                  "pods[0].metadata.finalizers: found \"run\", expected a "
                  "list"},
        BadMember{"ListForText", R"({"pods":[{"metadata":{"name":[]}}]})",
                  "pods[0].metadata.name: found a list, expected a single "
                  "value"},
        BadMember{"ListForAmount",
                  R"({"pods":[{"spec":{"containers":[{"resources":
                     {"limits":{"memory":["4Gi"]}}}]}}]})",
                  "pods[0].spec.containers[0].resources.limits[memory]: "
                  "[\"4Gi\"] is not an amount such as \"4Gi\" or 2"},
        BadMember{"TruthForAmount",
                  R"({"pods":[{"spec":{"containers":[{"resources":
                     {"requests":{"cpu":true}}}]}}]})",
                  "pods[0].spec.containers[0].resources.requests[cpu]: true is "
                  "not an amount such as \"4Gi\" or 2"},
        BadMember{"ObjectForSizeLimit",
                  R"({"pods":[{"spec":{"volumes":[{"emptyDir":
                     {"sizeLimit":{}}}]}}]})",
                  "pods[0].spec.volumes[0].emptyDir.sizeLimit: {} is not an "
                  "amount such as \"4Gi\" or 2"},
        BadMember{"EntryOfAMap",
                  R"({"kubeflowJob":{"spec":{"mpi_replica_specs":{
                     "Launcher":{"replicas":1},
                     "my_worker":{"replicas":"many"}}}}})",
                  "kubeflowJob.spec.mpiReplicaSpecs[my_worker].replicas: "
                  "\"many\" is not a 32-bit integer"},
        BadMember{"HugeNumber",
                  R"({"pods":[{"status":{"containerStatuses":[
                     {"restartCount":1e999}]}}]})",
                  "pods[0].status.containerStatuses[0].restartCount: 1e999 is "
                  "out of range, expected at most 1.8e308"},
        BadMember{"HugeNumberInUnknownField", R"({"nosuch":[1,-1e999]})",
                  "nosuch[1]: -1e999 is out of range, expected at most "
                  "1.8e308"}),
    [](const auto& test) { return test.param.name; });

TEST(ParseProtoJsonTest, NullIsAnEmptyList) {
  v1::FailureReport report;
  ASSERT_OK(ParseProtoJson(R"({"pods":null,"events":[]})", report));
  EXPECT_EQ(report.pods_size(), 0);
}

// Keys of maps are not fields.
TEST(ParseProtoJsonTest, LabelsMayDifferOnlyInSpelling) {
  v1::FailureReport report;
  ASSERT_OK(ParseProtoJson(
      R"({"pods":[{"metadata":{"labels":{"a_b":"c","aB":"d"}}}]})", report));
  EXPECT_EQ(report.pods(0).metadata().labels_size(), 2);
}

}  // namespace
}  // namespace mulligan::cli
