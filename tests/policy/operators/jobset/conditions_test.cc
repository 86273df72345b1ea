#include "policy/operators/jobset/conditions.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

Condition ConditionOf(const std::string& type, const std::string& status,
                      const std::string& reason) {
  Condition condition;
  condition.set_type(type);
  condition.set_status(status);
  condition.set_reason(reason);
  return condition;
}

TEST(UpdateConditionTest, AddsOnlyTrue) {
  Conditions conditions;
  EXPECT_FALSE(UpdateCondition(ConditionOf("Suspended", "False", "R"), At(1),
                               conditions));
  EXPECT_TRUE(conditions.empty());
  EXPECT_TRUE(UpdateCondition(ConditionOf("Suspended", "True", "R"), At(1),
                              conditions));
  EXPECT_EQ(conditions.at(0).last_transition_time().seconds(), 1);
}

TEST(UpdateConditionTest, NewReasonDoesNotMoveTheTime) {
  Conditions conditions;
  UpdateCondition(ConditionOf("RestartingJobSet", "True", "A"), At(1),
                  conditions);
  EXPECT_TRUE(UpdateCondition(ConditionOf("RestartingJobSet", "True", "B"),
                              At(9), conditions));
  EXPECT_EQ(conditions.at(0).reason(), "B");
  EXPECT_EQ(conditions.at(0).last_transition_time().seconds(), 1);
  EXPECT_FALSE(UpdateCondition(ConditionOf("RestartingJobSet", "True", "B"),
                               At(9), conditions));
}

TEST(UpdateConditionTest, NewStatusMovesTheTime) {
  Conditions conditions;
  UpdateCondition(ConditionOf("Suspended", "True", "A"), At(1), conditions);
  EXPECT_TRUE(UpdateCondition(ConditionOf("Suspended", "False", "B"), At(9),
                              conditions));
  EXPECT_EQ(conditions.at(0).last_transition_time().seconds(), 9);
  EXPECT_EQ(conditions.size(), 1);
}

TEST(UpdateConditionTest, StartupConditionsExcludeEachOther) {
  Conditions conditions;
  UpdateCondition(ConditionOf("StartupPolicyCompleted", "True", "A"), At(1),
                  conditions);
  UpdateCondition(ConditionOf("StartupPolicyInProgress", "True", "B"), At(2),
                  conditions);
  EXPECT_FALSE(IsConditionTrue(conditions, kStartupCompleted));
  EXPECT_TRUE(IsConditionTrue(conditions, kStartupInProgress));
}

TEST(IsFinishedTest, ByConditionOrTerminalState) {
  EXPECT_FALSE(IsFinished(JobSetStatus()));
  EXPECT_TRUE(IsFinished(Parse<JobSetStatus>("terminal_state: 'Failed'")));
  EXPECT_TRUE(IsFinished(
      Parse<JobSetStatus>("conditions { type: 'Completed' status: 'True' }")));
  EXPECT_FALSE(IsFinished(
      Parse<JobSetStatus>("conditions { type: 'Failed' status: 'False' }")));
}

}  // namespace
}  // namespace mulligan::jobset
