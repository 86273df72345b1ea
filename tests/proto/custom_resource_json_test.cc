// Custom resources exist only as JSON. The files under testdata set every field
// that we model, under the operator's name for it (an API server would not
// accept them). Strict: unknown JSON names and fields that a file lacks are
// errors.

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/jobset/v1alpha2/jobset.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"
#include "mulligan/kubernetes/kueue/v1beta2/workload.pb.h"
#include "mulligan/kubernetes/ray/v1/ray.pb.h"
#include "mulligan/kubernetes/spark/v1beta2/spark_application.pb.h"
#include "mulligan/kubernetes/trainer/v1alpha1/train_job.pb.h"
#include "tests/proto/populated_fields.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::Message;
using ::google::protobuf::util::JsonParseOptions;
using ::google::protobuf::util::JsonStringToMessage;
using ::testing::IsEmpty;

struct Resource {
  const char* name;
  const char* file;
  const Message* prototype;
};

class CustomResourceJsonTest : public ::testing::TestWithParam<Resource> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(
        json_, ReadFile(SourcePath("tests/proto/testdata") / GetParam().file));
    message_.reset(GetParam().prototype->New());
  }

  std::string json_;
  std::unique_ptr<Message> message_;
};

TEST_P(CustomResourceJsonTest, UsesOperatorsNamesAndReachesEveryField) {
  const auto status = JsonStringToMessage(json_, message_.get());
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(
      UnpopulatedFields(
          *message_, GetParam().prototype->GetDescriptor()->file()->package()),
      IsEmpty());
}

// Live objects have more fields than our subset.
TEST_P(CustomResourceJsonTest, IgnoresOtherFields) {
  ASSERT_EQ(json_.front(), '{');
  JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = JsonStringToMessage(
      R"({"fieldOfALaterRelease": {"a": [1, null]}, "statusOld": null,)" +
          json_.substr(1),
      message_.get(), options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<Message> strict(GetParam().prototype->New());
  ASSERT_TRUE(JsonStringToMessage(json_, strict.get()).ok());
  EXPECT_THAT(*message_, EqualsProto(*strict));
}

TEST_P(CustomResourceJsonTest, PrintedJsonRoundTrips) {
  ASSERT_TRUE(JsonStringToMessage(json_, message_.get()).ok());
  std::string printed;
  ASSERT_TRUE(
      google::protobuf::util::MessageToJsonString(*message_, &printed).ok());
  const std::unique_ptr<Message> again(GetParam().prototype->New());
  ASSERT_TRUE(JsonStringToMessage(printed, again.get()).ok());
  EXPECT_THAT(*again, EqualsProto(*message_));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CustomResourceJsonTest,
    ::testing::Values(
        Resource{"JobSet", "jobset.json",
                 &kubernetes::jobset::v1alpha2::JobSet::default_instance()},
        Resource{"RayJob", "ray_job.json",
                 &kubernetes::ray::v1::RayJob::default_instance()},
        Resource{"RayCluster", "ray_cluster.json",
                 &kubernetes::ray::v1::RayCluster::default_instance()},
        Resource{"TrainJob", "train_job.json",
                 &kubernetes::trainer::v1alpha1::TrainJob::default_instance()},
        Resource{"Workload", "workload.json",
                 &kubernetes::kueue::v1beta2::Workload::default_instance()},
        Resource{
            "SparkApplication", "spark_application.json",
            &kubernetes::spark::v1beta2::SparkApplication::default_instance()},
        Resource{"KubeflowJob", "kubeflow_job.json",
                 &kubernetes::kubeflow::v1::TrainingJob::default_instance()}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace mulligan::testing
