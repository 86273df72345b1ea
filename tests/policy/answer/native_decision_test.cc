// Decide with an operator's own verdict, as the decision and compared with it.
#include "policy/answer/native_decision.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "tests/policy/native_test_reports.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::DrainedJob;
using testing::DrainedJobSet;
using testing::EqualsProto;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::PartiallyEqualsProto;
using testing::SetOf;
using testing::StatusIs;

constexpr char kNative[] = "native { use_own_spec: true }";
constexpr char kOwn[] =
    "budgets { key: 'a' value { limit: 9 } } "
    "default { action: RETRY budget: 'a' } ";

absl::Status TryDecide(const v1::DecideRequest& request, const char* spec,
                       v1::DecideResponse& response) {
  return Decide(request, *SetOf(spec), {}, response);
}

v1::DecideResponse DecideWith(const char* spec, const v1::FailureReport& report,
                              const v1::BudgetLedger& ledger = {}) {
  v1::DecideRequest request;
  *request.mutable_report() = report;
  *request.mutable_ledger() = ledger;
  request.set_replaces_operator(true);
  v1::DecideResponse response;
  EXPECT_THAT(TryDecide(request, spec, response), IsOk());
  return response;
}

TEST(NativePolicyTest, TheOperatorsVerdictIsTheDecision) {
  const v1::DecideResponse response = DecideWith(kNative, DrainedJob(6, 1));
  EXPECT_THAT(response.decision(),
              PartiallyEqualsProto(R"pb(
                action: RETRY scope: POD queue: IN_PLACE
              )pb"));
  EXPECT_THAT(response.accounting(), EqualsProto(R"pb(
                charged_to: "backoff-limit"
                units: 1
                budgets {
                  name: "backoff-limit"
                  used: 2
                  limit: 6
                  remaining: 4
                  used_before: 1
                }
                attempts: 1
              )pb"));
  EXPECT_THAT(response.native(), PartiallyEqualsProto(R"pb(
                operator: "Job"
                verdict: "Count"
                charged_to: "backoffLimit"
                used: 2
                limit: 6
              )pb"));
  EXPECT_THAT(response.native().difference(), IsEmpty());
  EXPECT_EQ(response.explanation().decided_by(), v1::Explanation::NATIVE);
  EXPECT_EQ(response.diagnosis().cause(), v1::DRAINED);
  EXPECT_THAT(response.decision().sentence(),
              HasSubstr("charged to backoff-limit (2 of 6 used)"));
  EXPECT_THAT(response.warnings(), IsEmpty());
}

TEST(NativePolicyTest, NamesTheExhaustedLimit) {
  const v1::DecideResponse response = DecideWith(kNative, DrainedJob(2, 2));
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.decision().scope(), v1::Decision::JOB);
  EXPECT_EQ(response.accounting().units(), 0);
  EXPECT_THAT(response.accounting().exhaustion(), EqualsProto(R"pb(
                limit: BUDGET
                budget: "backoff-limit"
                used: 3
                bound: 2
                cause: DRAINED
              )pb"));
  EXPECT_EQ(response.native().reason(), "BackoffLimitExceeded");
  EXPECT_EQ(response.native().message(),
            "Job has reached the specified backoff limit");
}

TEST(NativePolicyTest, ARepeatedReportCostsNothing) {
  const v1::FailureReport report = DrainedJob(6, 1);
  const v1::DecideResponse first = DecideWith(kNative, report);
  const v1::DecideResponse again = DecideWith(kNative, report, first.ledger());
  EXPECT_THAT(again.ledger(), EqualsProto(first.ledger()));
  EXPECT_THAT(again.decision(), EqualsProto(first.decision()));
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_THAT(DecideWith(kOwn, report, first.ledger()).decision(),
              EqualsProto(first.decision()));
}

TEST(NativePolicyTest, DoesNotRecordWorkTheOperatorIgnores) {
  v1::FailureReport report = DrainedJob(6, 1);
  report.mutable_jobs(0)->mutable_spec()->set_suspend(true);
  const v1::DecideResponse response = DecideWith(kNative, report);
  EXPECT_EQ(response.decision().action(), v1::Decision::IGNORE);
  EXPECT_EQ(response.native().verdict(), "Suspended");
  EXPECT_THAT(response.ledger().history(), IsEmpty());
}

TEST(NativePolicyTest, AnAbsurdCounterDoesNotBreakTheLedger) {
  v1::FailureReport report = DrainedJobSet(3, 2000000000, 0);
  const v1::DecideResponse response = DecideWith(kNative, report);
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_THAT(DecideWith(kNative, report, response.ledger()).decision(),
              EqualsProto(response.decision()));
}

TEST(NativePolicyTest, FlytesLastRunIsOnDemand) {
  constexpr char kFlyte[] =
      "native { use_own_spec: true semantics { operator: 'flyte' } }";
  v1::FailureReport report = DrainedJob(6, 0);
  report.clear_jobs();
  report.mutable_workload()->set_interruptible(true);
  report.set_attempt(3);
  v1::BudgetLedger ledger;
  v1::BudgetUse& use =
      (*ledger.mutable_budgets())["max-node-retries-system-failures"];
  EXPECT_FALSE(DecideWith(kFlyte, report).decision().placement().on_demand());
  use.set_used(2);
  const v1::DecideResponse last = DecideWith(kFlyte, report, ledger);
  EXPECT_EQ(last.decision().action(), v1::Decision::RETRY);
  EXPECT_THAT(
      last.decision().placement(), EqualsProto(R"pb(
        on_demand: true
        on_demand_reason: "max-node-retries-system-failures: 3 of 3 used"
      )pb"));
}

TEST(NativePolicyTest, RefusesAPodWithoutAnOperator) {
  v1::DecideRequest request;
  *request.mutable_report() = DrainedJob(6, 0);
  request.mutable_report()->clear_jobs();
  v1::DecideResponse response;
  EXPECT_THAT(TryDecide(request, kNative, response),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("report: "), HasSubstr("\"test\""),
                             HasSubstr("job"))));
}

TEST(NativePolicyTest, UsesTheSemanticsOfThePolicy) {
  v1::FailureReport report = DrainedJob(6, 1);
  const v1::DecideResponse response = DecideWith(
      "native { use_own_spec: true semantics {"
      "  versions { key: 'kubernetes' value: '1.30' } } }",
      report);
  EXPECT_EQ(response.native().semantics(), "kubernetes 1.30");
}

TEST(CompareNativeTest, ReportsBothVerdictsAndTheDifference) {
  const std::string spec = std::string(kOwn) + "compare_native: true";
  const v1::DecideResponse response =
      DecideWith(spec.c_str(), DrainedJob(2, 2));
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.native().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.native().difference(),
            "Job: fail the Job; Mulligan: retry the pod at once");
}

TEST(CompareNativeTest, DoesNotChangeTheDecision) {
  const std::string spec = std::string(kOwn) + "compare_native: true";
  for (const v1::FailureReport& report :
       {DrainedJob(2, 2), DrainedJob(6, 0), DrainedJobSet(3, 1, 0)}) {
    v1::DecideResponse with = DecideWith(spec.c_str(), report);
    const v1::DecideResponse without = DecideWith(kOwn, report);
    EXPECT_FALSE(without.has_native());
    EXPECT_TRUE(with.has_native());
    EXPECT_THAT(with.decision(), EqualsProto(without.decision()));
    EXPECT_THAT(with.ledger(), EqualsProto(without.ledger()));
    EXPECT_THAT(with.accounting(), EqualsProto(without.accounting()));
  }
}

TEST(CompareNativeTest, ARequestMayAskForIt) {
  v1::DecideRequest request;
  *request.mutable_report() = DrainedJob(2, 2);
  request.set_compare_native(true);
  v1::DecideResponse response;
  EXPECT_THAT(TryDecide(request, kOwn, response), IsOk());
  EXPECT_THAT(response.native().difference(), Not(IsEmpty()));
}

TEST(CompareNativeTest, ARepeatedReportIsComparedAgain) {
  const std::string spec = std::string(kOwn) + "compare_native: true";
  const v1::DecideResponse first = DecideWith(spec.c_str(), DrainedJob(2, 2));
  const v1::DecideResponse again =
      DecideWith(spec.c_str(), DrainedJob(2, 2), first.ledger());
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_THAT(again.native(), EqualsProto(first.native()));
}

TEST(CompareNativeTest, WarnsWithoutAnOperatorsObject) {
  v1::FailureReport report = DrainedJob(6, 0);
  report.clear_jobs();
  const std::string spec = std::string(kOwn) + "compare_native: true";
  const v1::DecideResponse response = DecideWith(spec.c_str(), report);
  EXPECT_FALSE(response.has_native());
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("no native verdict")));
}

TEST(NativePolicyTest, RefusesASpecTheOperatorWouldRefuse) {
  v1::FailureReport report = DrainedJob(-1, 0);
  report.mutable_jobs(0)->mutable_spec()->set_completions(-7);
  v1::DecideRequest request;
  *request.mutable_report() = report;
  v1::DecideResponse response;
  EXPECT_THAT(
      TryDecide(request, kNative, response),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("report.jobs[0].spec.backoffLimit: Invalid "
                               "value: -1: must be greater than or equal to 0"),
                     HasSubstr("report.jobs[0].spec.completions"))));
}

TEST(NativePolicyTest, AWaitOfUnknownLengthIsOneMinute) {
  v1::FailureReport report = DrainedJobSet(3, 0, 0);
  report.mutable_job_set()
      ->mutable_spec()
      ->mutable_failure_policy()
      ->add_rules()
      ->set_action("Newer");
  const v1::DecideResponse response = DecideWith(kNative, report);
  EXPECT_EQ(response.decision().action(), v1::Decision::WAIT);
  EXPECT_EQ(response.decision().retry_after().seconds(), 60);
}

TEST(CompareNativeTest, WarnsOfASpecTheOperatorWouldRefuse) {
  v1::FailureReport report = DrainedJob(-1, 0);
  const std::string spec = std::string(kOwn) + "compare_native: true";
  EXPECT_THAT(DecideWith(spec.c_str(), report).warnings(),
              Contains(AllOf(HasSubstr("Job: report.jobs[0].spec.backoffLimit"),
                             HasSubstr("greater than or equal to 0"))));
}

TEST(NativeBudgetNameTest, IsALabel) {
  EXPECT_EQ(NativeBudgetName("backoffLimit"), "backoff-limit");
  EXPECT_EQ(NativeBudgetName("maxRestarts"), "max-restarts");
  EXPECT_EQ(NativeBudgetName("requeuingStrategy.backoffLimitCount"),
            "requeuing-strategy-backoff-limit-count");
  EXPECT_THAT(NativeBudgetName(""), IsEmpty());
}

}  // namespace
}  // namespace mulligan
