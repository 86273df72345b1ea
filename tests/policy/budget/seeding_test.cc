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

struct SeedingRow {
  const char* name;
  const char* report;
  int failures;
  // Attempts in the report before the current one.
  int earlier = 0;
};

class CountTest : public ::testing::TestWithParam<SeedingRow> {};

TEST_P(CountTest, LeavesOutTheCurrentFailure) {
  const auto report = Parse<v1::FailureReport>(GetParam().report);
  const NativeCount count =
      CountNativeFailures(Owners(report), GetParam().earlier);
  EXPECT_EQ(count.failures, GetParam().failures);
}

const SeedingRow kSeedingRows[] = {
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
     1, 1},
    {"FailedJobWithASucceededPod",
     "jobs { status { failed: 3 conditions { type: 'Failed' status: 'True' } } "
     "} pods { status { phase: 'Succeeded' } }",
     2},
    {"GangOfEight", "jobs { spec { parallelism: 8 } status { failed: 8 } }", 0},
    {"SecondGangOfEightByOneMember",
     "jobs { spec { parallelism: 8 } status { failed: 16 } } pods { status { "
     "phase: 'Failed' } }",
     1},
    {"SecondGangWithTheFirstInTheReport",
     "jobs { spec { parallelism: 2 } status { failed: 4 } } pods { status { "
     "phase: 'Failed' } }",
     0, 1},
    {"SecondRayClusterWithTheFirstInTheReport",
     "ray_job { status { failed: 2 job_deployment_status: 'Failed' } }", 0, 1},
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

INSTANTIATE_TEST_SUITE_P(Seeding, CountTest, ::testing::ValuesIn(kSeedingRows),
                         [](const auto& row) { return row.param.name; });

std::string Seed(int failures, const CompiledPolicy& policy,
                 v1::BudgetLedger& ledger) {
  NativeCount count;
  count.failures = failures;
  count.source = "RayJob.status.failed=" + std::to_string(failures);
  return SeedLedger(count, failures, SeedBudget(policy), policy.budgets,
                    ledger);
}

constexpr char kApplication[] =
    "budgets { key: 'application' value { limit: 3 } } budgets { key: 'x' "
    "value { limit: 1 } } default { action: RETRY budget: 'x' }";
constexpr char kOnlyDefault[] =
    "budgets { key: 'x' value { limit: 1 } } default { action: RETRY budget: "
    "'x' }";

TEST(SeedTest, ChargesTheApplicationBudget) {
  v1::BudgetLedger ledger;
  const std::string warning =
      Seed(2, Compiled(kApplication)->compiled(), ledger);
  EXPECT_THAT(ledger, EqualsProto("attempts_seen: 2 seeded_from: "
                                  "'RayJob.status.failed=2' budgets { key: "
                                  "'application' value { used: 2 } }"));
  EXPECT_THAT(warning, HasSubstr("2 earlier failures that no ledger has"));
}

TEST(SeedTest, AddsToALedgerWhatItLacks) {
  auto ledger = Parse<v1::BudgetLedger>(
      "attempts_seen: 1 budgets { key: 'application' value { used: 1 } }");
  const std::string warning =
      Seed(1, Compiled(kApplication)->compiled(), ledger);
  EXPECT_EQ(ledger.attempts_seen(), 2);
  EXPECT_EQ(ledger.budgets().at("application").used(), 2);
  EXPECT_THAT(warning, HasSubstr("1 earlier failure that the ledger lacks"));
}

TEST(SeedTest, NeverTakesTheLastOfABudget) {
  v1::BudgetLedger ledger;
  Seed(7, Compiled(kApplication)->compiled(), ledger);
  EXPECT_EQ(ledger.attempts_seen(), 7);
  EXPECT_EQ(ledger.budgets().at("application").used(), 2);
}

TEST(SeedTest, KeepsUseBeyondALoweredLimit) {
  auto ledger = Parse<v1::BudgetLedger>(
      "attempts_seen: 5 budgets { key: 'application' value { used: 5 } }");
  Seed(1, Compiled(kApplication)->compiled(), ledger);
  EXPECT_EQ(ledger.budgets().at("application").used(), 5);
}

TEST(SeedTest, CountsOneFailureInTheSingular) {
  v1::BudgetLedger ledger;
  EXPECT_THAT(
      Seed(1, Compiled(kOnlyDefault)->compiled(), ledger),
      HasSubstr("RayJob.status.failed=1 counts 1 earlier failure that no "
                "ledger has: charged to budget \"x\", regardless of its "
                "cause"));
}

TEST(SeedTest, FallsBackToTheBudgetOfTheDefault) {
  EXPECT_EQ(SeedBudget(Compiled(kOnlyDefault)->compiled()), 0);
}

TEST(SeedTest, WithoutABudgetCountsAttemptsOnly) {
  v1::BudgetLedger ledger;
  const std::string warning =
      Seed(2, Compiled("default { action: FAIL }")->compiled(), ledger);
  EXPECT_EQ(ledger.attempts_seen(), 2);
  EXPECT_TRUE(ledger.budgets().empty());
  EXPECT_THAT(warning, HasSubstr("no budget is charged"));
}

TEST(SeedTest, AbsurdCountersStayWithinTheLedgersBounds) {
  v1::BudgetLedger ledger;
  const auto report =
      Parse<v1::FailureReport>("ray_job { status { failed: 2147483647 } }");
  const NativeCount count = CountNativeFailures(Owners(report), 0);
  EXPECT_EQ(count.failures, kMaxLedgerCount);
  const auto rules = Compiled(kOnlyDefault);
  SeedLedger(count, count.failures, SeedBudget(rules->compiled()),
             rules->compiled().budgets, ledger);
  EXPECT_EQ(ledger.attempts_seen(), kMaxLedgerCount);
  EXPECT_EQ(ledger.budgets().at("x").used(), 0);
}

}  // namespace
}  // namespace mulligan
