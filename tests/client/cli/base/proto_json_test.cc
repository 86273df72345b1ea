#include "client/cli/base/proto_json.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/report.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

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
        BadMember{"NumberForObject", R"({"pods":[{"status":5}]})",
                  "pods[0].status: 5 is not an object"},
        BadMember{"TextForEntryOfAMap",
                  R"({"pods":[{"metadata":{"labels":{"a":true}}}]})",
                  "pods[0].metadata.labels[a]: true is not a string"},
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

std::vector<std::string> Ignored(std::string_view json) {
  v1::DecideRequest request;
  std::vector<std::string> ignored;
  EXPECT_OK(ParseProtoJson(json, request, &ignored));
  return ignored;
}

TEST(EnumNamesTest, ReportsFieldValueAndChoices) {
  EXPECT_THAT(
      Ignored(
          R"({"report":{"creationError":{"phase":"build","httpCode":422}}})"),
      ElementsAre("report.creationError.phase: \"build\" is ignored, it is "
                  "not one of BUILD, CREATE"));
}

TEST(EnumNamesTest, AcceptsKnownNamesNumbersAndNull) {
  EXPECT_THAT(Ignored(R"({"explain":"FULL","purpose":1,"report":
                      {"creationError":{"phase":null}}})"),
              IsEmpty());
  EXPECT_THAT(Ignored(R"({"explain":"3"})"), IsEmpty());
}

TEST(EnumNamesTest, SearchesListsMapsAndProtoFieldNames) {
  EXPECT_THAT(
      Ignored(R"({"ledger":{"history":[{"cause":"APP_ERROR"},{"cause":"oom"}]},
               "inline_policy":{"spec":{"budgets":{"a b":{}},
                 "rules":[{"when":{"causes":["OOM","CONTAINER_OOM"]}}]}}})"),
      ElementsAre(StartsWith("ledger.history[1].cause: \"oom\""),
                  AllOf(StartsWith("inlinePolicy.spec.rules[0].when.causes[0]"),
                        HasSubstr("\"OOM\""), HasSubstr("CONTAINER_OOM"))));
}

TEST(EnumNamesTest, IgnoresUnknownFieldsAndMirrors) {
  EXPECT_THAT(Ignored(R"({"nosuch":{"phase":"x"},"report":{"pods":
                      [{"status":{"phase":"NoSuchPhase"}}]}})"),
              IsEmpty());
}

TEST(EnumNamesTest, StopsAtTwentyFindings) {
  std::string json = R"({"ledger":{"history":[)";
  for (int i = 0; i < 100; ++i) json += R"({"cause":"x"},)";
  json += "{}]}}";
  EXPECT_THAT(Ignored(json), SizeIs(20));
}

}  // namespace
}  // namespace mulligan::cli
