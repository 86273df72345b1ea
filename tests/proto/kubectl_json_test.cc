// The output of `kubectl get -o json`, which exceeds our subset: apiVersion and
// kind, managedFields, quantities, nulls, empty objects, fields of later
// releases.

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/report.pb.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::testing::Pair;
using ::testing::Property;
using ::testing::UnorderedElementsAre;

auto Quantity(const char* text) {
  return Property(&google::protobuf::Value::string_value, text);
}

template <typename Message>
void ReadFixture(const std::string& file, Message& message) {
  ASSERT_OK_AND_ASSIGN(const std::string json,
                       ReadFile(SourcePath("tests/proto/testdata/" + file)));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, &message, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST(KubectlJsonTest, ReadsPod) {
  kubernetes::core::v1::Pod pod;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", pod));
  EXPECT_EQ(pod.metadata().creation_timestamp().seconds(), 1767265200);
  EXPECT_FALSE(pod.metadata().has_deletion_timestamp());
  EXPECT_TRUE(pod.metadata().annotations().empty());
  EXPECT_THAT(pod.spec().containers(0).resources().requests(),
              UnorderedElementsAre(Pair("cpu", Quantity("500m")),
                                   Pair("memory", Quantity("64Gi")),
                                   Pair("nvidia.com/gpu", Quantity("8"))));
  EXPECT_EQ(pod.spec().tolerations(0).toleration_seconds(), 300);
  EXPECT_EQ(pod.status().conditions(0).reason(), "TerminationByKubelet");
  EXPECT_EQ(pod.status().pod_ips_size(), 2);
  const auto& status = pod.status().container_statuses(0);
  EXPECT_EQ(status.state().terminated().finished_at().seconds(), 1767268664);
  EXPECT_TRUE(status.has_last_state());
  EXPECT_FALSE(status.last_state().has_terminated());
}

TEST(KubectlJsonTest, ReadsJob) {
  kubernetes::batch::v1::Job job;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("job.json", job));
  EXPECT_TRUE(job.spec().has_backoff_limit());
  EXPECT_FALSE(job.spec().has_backoff_limit_per_index());
  EXPECT_THAT(job.spec().pod_failure_policy(), EqualsProto(R"pb(
                rules {
                  action: "Ignore"
                  on_pod_conditions { type: "DisruptionTarget" status: "True" }
                }
                rules {
                  action: "FailJob"
                  on_exit_codes {
                    container_name: "main"
                    operator: "NotIn"
                    values: 42
                    values: 143
                  }
                }
              )pb"));
  EXPECT_FALSE(job.spec().template_().metadata().has_creation_timestamp());
  EXPECT_TRUE(job.status().has_ready());
  EXPECT_EQ(job.status().failed_indexes(), "3");
}

TEST(KubectlJsonTest, ReadsNode) {
  kubernetes::core::v1::Node node;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("node.json", node));
  EXPECT_TRUE(node.spec().unschedulable());
  EXPECT_EQ(node.spec().taints(0).time_added().seconds(), 1767268710);
  EXPECT_EQ(node.status().conditions(0).reason(), "NodeStatusUnknown");
}

// An event in the newer form: microseconds, and nulls in the older fields.
TEST(KubectlJsonTest, ReadsEvent) {
  kubernetes::core::v1::Event event;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("event.json", event));
  EXPECT_FALSE(event.has_last_timestamp());
  EXPECT_EQ(event.event_time().nanos(), 123456000);
  EXPECT_EQ(event.series().last_observed_time().nanos(), 7000);
  EXPECT_EQ(event.involved_object().field_path(), "spec.containers{main}");
}

// grpcurl reads requests by the same rules, ignoring unknown fields.
TEST(KubectlJsonTest, ReadsPodInReport) {
  ASSERT_OK_AND_ASSIGN(const std::string pod,
                       ReadFile(SourcePath("tests/proto/testdata/pod.json")));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::FailureReport report;
  const auto status = google::protobuf::util::JsonStringToMessage(
      "{\"pods\": [" + pod + "]}", &report, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  kubernetes::core::v1::Pod alone;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("pod.json", alone));
  ASSERT_EQ(report.pods_size(), 1);
  EXPECT_THAT(report.pods(0), EqualsProto(alone));
}

}  // namespace
}  // namespace mulligan::testing
