#include "policy/native/native.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/native_test_reports.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using testing::DrainedJob;
using testing::DrainedJobSet;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<NativeOutcome> Answer(const v1::FailureReport& report,
                                    const std::string& named = "") {
  v1::NativeSemantics semantics;
  semantics.set_operator_(named);
  return AnswerNatively({report, v1::BudgetLedger::default_instance(),
                         semantics, report.observed_at()});
}

TEST(AnswerNativelyTest, TheJobControllerAnswersForAJob) {
  const auto outcome = Answer(DrainedJob(/*backoff_limit=*/6, /*failed=*/1));
  ASSERT_TRUE(outcome.has_value());
  const v1::NativeVerdict& verdict = outcome->verdict;
  EXPECT_EQ(verdict.operator_(), "Job");
  EXPECT_EQ(verdict.action(), v1::Decision::RETRY);
  EXPECT_EQ(verdict.scope(), v1::Decision::POD);
  EXPECT_EQ(verdict.charged_to(), "backoffLimit");
  EXPECT_EQ(verdict.used(), 2);
  EXPECT_EQ(verdict.limit(), 6);
}

TEST(AnswerNativelyTest, TheOutermostOperatorThatActsAnswers) {
  const auto outcome = Answer(DrainedJobSet(3, 1, /*backoff_limit=*/0));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), "JobSet");
  EXPECT_EQ(outcome->verdict.verdict(), "RestartJobSet");
  EXPECT_EQ(outcome->verdict.scope(), v1::Decision::JOB_SET);
}

TEST(AnswerNativelyTest, AnIdleOperatorLeavesTheAnswerToTheNext) {
  const auto outcome = Answer(DrainedJobSet(3, 1, /*backoff_limit=*/6));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), "Job");
  EXPECT_EQ(outcome->verdict.action(), v1::Decision::RETRY);
  EXPECT_THAT(outcome->warnings,
              Contains(HasSubstr("JobSet does nothing about this failure")));
}

TEST(AnswerNativelyTest, IfAllAreIdleTheOutermostAnswers) {
  v1::FailureReport report = DrainedJobSet(3, 1, 6);
  report.clear_pods();
  const auto outcome = Answer(report);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), "JobSet");
  EXPECT_EQ(outcome->verdict.verdict(), "None");
  EXPECT_EQ(outcome->verdict.action(), v1::Decision::IGNORE);
}

TEST(AnswerNativelyTest, TheSearchStartsAtTheStatedKind) {
  v1::FailureReport report = DrainedJobSet(3, 1, 0);
  report.mutable_workload()->set_kind("Job");
  const auto outcome = Answer(report);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), "Job");
}

TEST(AnswerNativelyTest, AnUnknownKindSkipsNoOperator) {
  v1::FailureReport report = DrainedJobSet(3, 1, 0);
  report.mutable_workload()->set_kind("Workflow");
  EXPECT_EQ(Answer(report)->verdict.operator_(), "JobSet");
}

TEST(AnswerNativelyTest, FlyteAnswersForPlainPodsIfNamed) {
  v1::FailureReport report = DrainedJob(6, 0);
  report.clear_jobs();
  report.mutable_workload()->set_kind("Pod");
  const auto outcome = Answer(report, "flyte");
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.operator_(), "Flyte");
  EXPECT_EQ(outcome->verdict.action(), v1::Decision::RETRY);
}

TEST(AnswerNativelyTest, OnlyTheNamedOperatorAnswers) {
  const v1::FailureReport report = DrainedJobSet(3, 1, 0);
  EXPECT_EQ(Answer(report, "job")->verdict.operator_(), "Job");
  EXPECT_FALSE(Answer(DrainedJob(6, 0), "jobset").has_value());
  EXPECT_FALSE(Answer(report, "nosuch").has_value());
}

TEST(AnswerNativelyTest, HasNoAnswerWithoutAnOperatorsObject) {
  v1::FailureReport report = DrainedJob(6, 0);
  report.clear_jobs();
  EXPECT_FALSE(Answer(report).has_value());
}

TEST(NativeOperatorTest, NamesAreThoseOfTheTable) {
  EXPECT_TRUE(IsNativeOperator("job"));
  EXPECT_TRUE(IsNativeOperator("flyte"));
  EXPECT_FALSE(IsNativeOperator("JobSet"));
  EXPECT_FALSE(IsNativeOperator(""));
  EXPECT_FALSE(IsNativeOperator("cron"));
  EXPECT_EQ(
      NativeOperatorNames(),
      "kueue, flyte, trainjob, rayjob, mpijob, kubeflow, spark, jobset, job");
}

}  // namespace
}  // namespace mulligan
