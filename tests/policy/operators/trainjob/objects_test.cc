#include "policy/operators/trainjob/objects.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::trainjob {
namespace {

using ::mulligan::jobset::Parse;

struct ErrorCase {
  std::string name;
  std::string error;
  Objects objects;
};

class TrainJobObjectsTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(TrainJobObjectsTest, TellsBuildFromCreation) {
  EXPECT_EQ(ObjectsAfter(Parse<v1::CreationError>(GetParam().error)),
            GetParam().objects);
}

const ErrorCase kErrorCases[] = {
    {"ByPhaseBuild", "phase: BUILD http_code: 409", Objects::kBuildFailed},
    {"ByPhaseCreate", "phase: CREATE message: 'invalid runtime snapshot'",
     Objects::kCreationFailed},
    {"AnAnswerIsACreationFailure",
     "http_code: 422 message: 'unsupported runtime'", Objects::kCreationFailed},
    {"ByTheBuildersText",
     "message: 'invalid runtime snapshot: unable to unmarshal the snapshot'",
     Objects::kBuildFailed},
    {"OtherTextsAreOfTheServer", "message: 'connection refused'",
     Objects::kCreationFailed},
    {"NothingSaid", "", Objects::kCreationFailed},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainJobObjectsTest,
                         testing::ValuesIn(kErrorCases),
                         [](const auto& test) { return test.param.name; });

TEST(ResourcesFailedMessageTest, ShortErrorsStayWhole) {
  const std::string error(950, 'x');
  EXPECT_EQ(ResourcesFailedMessage(error),
            "TrainJob resources reconciliation failed: " + error);
}

TEST(ResourcesFailedMessageTest, LongErrorsAreCut) {
  EXPECT_EQ(ResourcesFailedMessage(std::string(951, 'x')),
            "TrainJob resources reconciliation failed: " +
                std::string(950, 'x') + " ...");
}

// Length is told in bytes and cut in characters, as in the peer.
TEST(ResourcesFailedMessageTest, CharactersAreNotSplit) {
  std::string error;
  for (int i = 0; i < 500; ++i) error += "ü";
  EXPECT_EQ(ResourcesFailedMessage(error),
            "TrainJob resources reconciliation failed: " + error + " ...");
}

TEST(CreatedConditionTest, HasTheDesignsWords) {
  const Condition condition = CreatedCondition(Objects::kBuildFailed);
  EXPECT_EQ(condition.type(), "Created");
  EXPECT_EQ(condition.status(), "False");
  EXPECT_EQ(condition.reason(), "JobsBuildFailed");
  EXPECT_EQ(condition.message(), "Failed to build Jobs");
}

TEST(TrainJobRuntimeTest, KindAndGroupHaveDefaults) {
  EXPECT_TRUE(IsRuntimeSupported(RuntimeRef()));
  EXPECT_TRUE(IsRuntimeSupported(Parse<RuntimeRef>("kind: 'TrainingRuntime'")));
  EXPECT_FALSE(IsRuntimeSupported(Parse<RuntimeRef>("api_group: 'x.io'")));
  EXPECT_EQ(RuntimeKindOf(RuntimeRef()),
            "ClusterTrainingRuntime.trainer.kubeflow.org");
}

}  // namespace
}  // namespace mulligan::trainjob
