#include "policy/budget/seeding.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::Compiled;
using testing::EqualsProto;
using ::testing::HasSubstr;
using testing::Parse;

struct Row {
  const char* name;
  const char* report;
  int failures;
};

class CountTest : public ::testing::TestWithParam<Row> {};

TEST_P(CountTest, LeavesOutTheFailureAtHand) {
  const NativeCount count =
      CountNativeFailures(Parse<v1::FailureReport>(GetParam().report));
  EXPECT_EQ(count.failures, GetParam().failures);
  EXPECT_EQ(count.source.empty(), GetParam().failures == 0);
}

const Row kRows[] = {
    {"RayJobRunning",
     "ray_job { status { failed: 2 job_deployment_status: 'Running' } }", 2},
    {"RayJobFailed",
     "ray_job { status { failed: 2 job_deployment_status: 'Failed' } }", 1},
    {"RayJobRetrying",
     "ray_job { status { failed: 1 job_deployment_status: 'Retrying' } }", 0},
    {"RayJobNegative", "ray_job { status { failed: -2147483648 } }", 0},
    {"JobSet", "job_set { status { restarts: 3 } }", 3},
    {"JobSetAlreadyRestarted",
     "job_set { status { restarts: 3 } } jobs { metadata { labels { key: "
     "'jobset.sigs.k8s.io/restart-attempt' value: '2' } } }",
     2},
    {"JobSetBadLabel",
     "job_set { status { restarts: 3 } } pods { metadata { labels { key: "
     "'jobset.sigs.k8s.io/restart-attempt' value: '2x' } } }",
     3},
    {"JobAlone", "jobs { status { failed: 3 } }", 2},
    {"JobWithCountedPod",
     "jobs { status { failed: 3 } } pods { status { phase: 'Failed' } }", 2},
    {"JobWithTwoPods",
     "jobs { status { failed: 3 } } pods { status { phase: 'Failed' } } pods { "
     "status { phase: 'Failed' } }",
     1},
    {"JobWithUncountedPod",
     "jobs { status { failed: 3 uncounted_terminated_pods { failed: 'u' } } } "
     "pods { metadata { uid: 'u' } status { phase: 'Failed' } }",
     3},
    {"JobWithRunningPod",
     "jobs { status { failed: 3 } } pods { status { phase: 'Running' } }", 3},
    {"JobLags",
     "jobs { status { failed: 0 } } pods { status { phase: 'Failed' } }", 0},
    {"JobMinimum", "jobs { status { failed: -2147483648 } }", 0},
    {"SparkExecution", "spark_application { status { execution_attempts: 3 } }",
     2},
    {"SparkSubmission",
     "spark_application { status { execution_attempts: 1 submission_attempts: "
     "4 } }",
     3},
    {"SparkFresh", "spark_application { status {} }", 0},
    {"Pod", "pods {}", 0},
};

INSTANTIATE_TEST_SUITE_P(Seeding, CountTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

constexpr char kReport[] = "ray_job { status { failed: 2 } }";

TEST(SeedTest, ChargesTheApplicationBudget) {
  const auto rules = Compiled(
      "budgets { key: 'application' value { limit: 3 } } budgets { key: 'x' "
      "value { limit: 1 } } default { action: RETRY budget: 'x' }");
  v1::BudgetLedger ledger;
  const std::string warning =
      SeedLedger(Parse<v1::FailureReport>(kReport), rules->compiled(), ledger);
  EXPECT_THAT(ledger, EqualsProto("attempts_seen: 2 seeded_from: "
                                  "'RayJob.status.failed=2' budgets { key: "
                                  "'application' value { used: 2 } }"));
  EXPECT_THAT(warning, HasSubstr("2 earlier failures"));
}

TEST(SeedTest, CountsOneFailureInTheSingular) {
  const auto rules = Compiled(
      "budgets { key: 'x' value { limit: 1 } } default { action: RETRY budget: "
      "'x' }");
  v1::BudgetLedger ledger;
  EXPECT_THAT(
      SeedLedger(Parse<v1::FailureReport>("ray_job { status { failed: 1 } }"),
                 rules->compiled(), ledger),
      HasSubstr(": 1 earlier failure from RayJob.status.failed=1 is "
                "charged to budget \"x\", whatever its cause was"));
}

TEST(SeedTest, ElseTheBudgetOfTheDefault) {
  const auto rules = Compiled(
      "budgets { key: 'x' value { limit: 1 } } default { action: RETRY budget: "
      "'x' }");
  EXPECT_EQ(SeedBudget(rules->compiled()), 0);
}

TEST(SeedTest, ElseCountsAttemptsOnly) {
  const auto rules = Compiled("default { action: FAIL }");
  v1::BudgetLedger ledger;
  const std::string warning =
      SeedLedger(Parse<v1::FailureReport>(kReport), rules->compiled(), ledger);
  EXPECT_EQ(ledger.attempts_seen(), 2);
  EXPECT_TRUE(ledger.budgets().empty());
  EXPECT_THAT(warning, HasSubstr("no budget to charge"));
}

TEST(SeedTest, AbsurdCountersStayWithinTheLedgersBounds) {
  const auto rules = Compiled(
      "budgets { key: 'x' value { limit: 1 } } default { action: RETRY budget: "
      "'x' }");
  v1::BudgetLedger ledger;
  SeedLedger(
      Parse<v1::FailureReport>("ray_job { status { failed: 2147483647 } }"),
      rules->compiled(), ledger);
  EXPECT_EQ(ledger.budgets().at("x").used(), kMaxLedgerCount);
}

}  // namespace
}  // namespace mulligan
