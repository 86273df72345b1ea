#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/kubeflow/training_job.h"
#include "tests/native/kubeflow/test_objects.h"

namespace mulligan::kubeflow {
namespace {

using ::testing::ElementsAre;

class TrainingJobConditionsTest : public testing::Test {
 protected:
  void Set(std::string_view type) {
    SetCondition(type, true, "R", "m", status_);
  }

  // Like "Running=False".
  std::vector<std::string> Held() const {
    std::vector<std::string> held;
    for (const auto& condition : status_.conditions()) {
      held.push_back(condition.type() + "=" + condition.status());
    }
    return held;
  }

  JobStatus status_;
};

TEST_F(TrainingJobConditionsTest, RunningAndRestartingReplaceEachOther) {
  Set("Created");
  Set(kRunning);
  Set(kRestarting);
  EXPECT_THAT(Held(), ElementsAre("Created=True", "Restarting=True"));
  Set(kRunning);
  EXPECT_THAT(Held(), ElementsAre("Created=True", "Running=True"));
}

TEST_F(TrainingJobConditionsTest, TheEndTurnsRunningFalse) {
  Set(kRunning);
  Set(kSucceeded);
  EXPECT_THAT(Held(), ElementsAre("Running=False", "Succeeded=True"));
}

TEST_F(TrainingJobConditionsTest, FailedFreezesAll) {
  Set(kFailed);
  Set(kRunning);
  Set(kSucceeded);
  EXPECT_THAT(Held(), ElementsAre("Failed=True"));
}

TEST_F(TrainingJobConditionsTest, ANewMessageAloneIsDropped) {
  Set(kRunning);
  SetCondition(kRunning, true, "R", "other", status_);
  EXPECT_EQ(status_.conditions(0).message(), "m");
  SetCondition(kRunning, true, "Other", "other", status_);
  EXPECT_EQ(status_.conditions(0).message(), "other");
}

TEST_F(TrainingJobConditionsTest, FinishedMeansSucceededOrFailed) {
  EXPECT_FALSE(IsFinished(status_));
  Set(kSuspended);
  EXPECT_FALSE(IsFinished(status_));
  Set(kSucceeded);
  EXPECT_TRUE(IsFinished(status_));
}

}  // namespace
}  // namespace mulligan::kubeflow
