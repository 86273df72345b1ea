#include "policy/operators/kubeflow/conditions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/kubeflow/test_objects.h"

namespace mulligan::kubeflow {
namespace {

using ::testing::ElementsAre;

class TrainingJobConditionsTest : public testing::Test {
 protected:
  void Set(std::string_view type, int time, const std::string& reason = "R",
           std::string_view value = kTrue) {
    SetCondition({type, value, reason, "m"}, At(time), status_);
  }

  // "Running=False".
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
  Set("Created", 1);
  Set(kRunning, 2);
  Set(kRestarting, 3);
  EXPECT_THAT(Held(), ElementsAre("Created=True", "Restarting=True"));
  Set(kRunning, 4);
  EXPECT_THAT(Held(), ElementsAre("Created=True", "Running=True"));
}

TEST_F(TrainingJobConditionsTest, TheEndTurnsRunningFalse) {
  Set(kRunning, 1);
  Set(kSucceeded, 2);
  EXPECT_THAT(Held(), ElementsAre("Running=False", "Succeeded=True"));
}

TEST_F(TrainingJobConditionsTest, FailedFreezesAll) {
  Set(kFailed, 1);
  Set(kRunning, 2);
  Set(kSucceeded, 3);
  EXPECT_THAT(Held(), ElementsAre("Failed=True"));
}

TEST_F(TrainingJobConditionsTest, ANewMessageAloneIsDropped) {
  Set(kRunning, 1);
  SetCondition({kRunning, kTrue, "R", "other"}, At(9), status_);
  EXPECT_EQ(status_.conditions(0).message(), "m");
  EXPECT_EQ(status_.conditions(0).last_update_time().seconds(), 1);
}

TEST_F(TrainingJobConditionsTest, ANewReasonKeepsTheTimeOfTransition) {
  Set(kRunning, 1);
  Set(kRunning, 9, "Other");
  EXPECT_EQ(status_.conditions(0).reason(), "Other");
  EXPECT_EQ(status_.conditions(0).last_update_time().seconds(), 9);
  EXPECT_EQ(status_.conditions(0).last_transition_time().seconds(), 1);
}

TEST_F(TrainingJobConditionsTest, FinishedMeansSucceededOrFailed) {
  EXPECT_FALSE(IsFinished(status_));
  Set(kSuspended, 1);
  EXPECT_FALSE(IsFinished(status_));
  Set(kSucceeded, 2);
  EXPECT_TRUE(IsFinished(status_));
}

}  // namespace
}  // namespace mulligan::kubeflow
