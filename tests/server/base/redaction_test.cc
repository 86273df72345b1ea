#include "server/observe/redaction.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/decision_record.pb.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

const google::protobuf::Descriptor& Type() {
  return *v1::DecisionRecord::descriptor();
}

TEST(RedactionTest, BlanksOnlyTheFieldsOfEveryItem) {
  v1::DecisionRecord record;
  for (const char* name : {"a", "b"}) {
    auto& pod = *record.mutable_request()->mutable_report()->add_pods();
    pod.mutable_metadata()->set_name(name);
    (*pod.mutable_metadata()->mutable_annotations())["secret"] = "x";
    (*pod.mutable_metadata()->mutable_labels())["team"] = "ml";
  }
  record.mutable_response()->mutable_decision()->set_sentence("it says a");
  ASSERT_OK_AND_ASSIGN(
      const Redaction redaction,
      Redaction::Of(Type(), {"request.report.pods.metadata.annotations",
                             "response.decision.sentence"}));
  redaction.Apply(record);
  for (const auto& pod : record.request().report().pods()) {
    EXPECT_EQ(pod.metadata().annotations_size(), 0);
    EXPECT_EQ(pod.metadata().labels_size(), 1);
    EXPECT_NE(pod.metadata().name(), "");
  }
  EXPECT_EQ(record.response().decision().sentence(), "");
}

TEST(RedactionTest, CreatesNoMessages) {
  v1::DecisionRecord record;
  ASSERT_OK_AND_ASSIGN(
      const Redaction redaction,
      Redaction::Of(Type(), {"request.report.workload.labels"}));
  redaction.Apply(record);
  EXPECT_FALSE(record.has_request());
}

TEST(RedactionTest, AcceptsJsonAndSchemaNames) {
  EXPECT_OK(Redaction::Of(Type(), {"request.report.jobSet"}));
  EXPECT_OK(Redaction::Of(Type(), {"request.report.job_set"}));
}

struct BadPath {
  const char* name;
  std::string path;
  std::string where;
};

class BadPathTest : public ::testing::TestWithParam<BadPath> {};

TEST_P(BadPathTest, IsRejectedWithThePosition) {
  EXPECT_THAT(Redaction::Of(Type(), {GetParam().path}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().where)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPathTest,
    ::testing::Values(
        BadPath{"Empty", "", "mulligan.v1.DecisionRecord has no field \"\""},
        BadPath{"Root", "report.pods",
                "DecisionRecord has no field \"report\""},
        BadPath{"Typo", "request.report.pod",
                "mulligan.v1.FailureReport has no field \"pod\""},
        BadPath{"InsideText", "replica.name",
                "mulligan.v1.DecisionRecord.replica has no field \"name\""},
        BadPath{"InsideMap", "request.report.workload.labels.team",
                "labels has no field \"team\""}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan
