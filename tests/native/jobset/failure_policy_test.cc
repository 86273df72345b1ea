#include "policy/native/jobset/failure_policy.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/native/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

bool RuleApplies(const FailurePolicyRule& rule, const Job& job,
                 const Gates& gates) {
  FailurePolicy policy;
  *policy.add_rules() = rule;
  PatternAllowance allowance;
  return FindRule(policy, {&job}, gates, allowance).rule != nullptr;
}

struct RuleCase {
  std::string name;
  std::string rule;
  std::string reason;
  std::string message;
  bool applies;
};

class RuleAppliesTest : public testing::TestWithParam<RuleCase> {};

TEST_P(RuleAppliesTest, Decides) {
  const RuleCase& c = GetParam();
  const Job job = FailedJob("w", 0, 10, c.reason, c.message);
  EXPECT_EQ(RuleApplies(Parse<FailurePolicyRule>(c.rule), job, Gates()),
            c.applies);
}

const RuleCase kRuleCases[] = {
    {"PatternMayBeAnchored", "on_job_failure_message_patterns: '^code'", "X",
     "exit code", false},
    {"BrokenPatternIsNotFound", "on_job_failure_message_patterns: 'code (4'",
     "X", "code (4", false},
    {"BrokenPatternDoesNotStopOthers",
     "on_job_failure_message_patterns: ['(', 'code']", "X", "code", true},
    {"GroupsAreNamedAsInGo", "on_job_failure_message_patterns: '(?<code>code)'",
     "X", "code", true},
    {"ByteEscapeIsInvalid", "on_job_failure_message_patterns: '\\\\C'", "X",
     "code", false},
    {"ByteEscapeIsLiteralWhenQuoted",
     "on_job_failure_message_patterns: '\\\\Q\\\\C\\\\E'", "X", "\\C", true},
    {"LettersOfAnyAlphabetAreManyInstructions",
     "on_job_failure_message_patterns: '\\\\pL{3}'", "X", "code", true},
};

INSTANTIATE_TEST_SUITE_P(Table, RuleAppliesTest, testing::ValuesIn(kRuleCases),
                         [](const auto& test) { return test.param.name; });

TEST(RuleAppliesTest, JobWithoutGroupMeetsNoRule) {
  EXPECT_FALSE(RuleApplies(FailurePolicyRule(), FailedJob("", 0, 1), Gates()));
}

TEST(RuleAppliesTest, PatternsAreUnknownBeforeRelease010) {
  Gates gates;
  gates.message_patterns = false;
  const auto rule = Parse<FailurePolicyRule>(
      "on_job_failure_message_patterns: 'never there'");
  EXPECT_TRUE(RuleApplies(rule, FailedJob("w", 0, 1), gates));
}

TEST(FailedConditionTest, FailureTargetIsNotAFailure) {
  EXPECT_EQ(FailedCondition(JobWith("FailureTarget", "w", 0)), nullptr);
  EXPECT_EQ(FailedCondition(JobAt("w", 1)), nullptr);
}

TEST(FirstFailedJobTest, OldestFailureComesFirstAndTiesKeepTheirOrder) {
  const std::vector<Job> jobs = {FailedJob("w", 0, 30), FailedJob("w", 1, 20),
                                 FailedJob("w", 2, 20)};
  EXPECT_EQ(FirstFailedJob(PointersTo(jobs)), &jobs[1]);
}

TEST(FirstFailedJobTest, ComparesWholeSeconds) {
  std::vector<Job> jobs = {FailedJob("w", 0, 20), FailedJob("w", 1, 20)};
  jobs[0]
      .mutable_status()
      ->mutable_conditions(0)
      ->mutable_last_transition_time()
      ->set_nanos(5);
  EXPECT_EQ(FirstFailedJob(PointersTo(jobs)), &jobs[0]);
}

TEST(FindRuleTest, PatternsBeyondTheAllowanceDoNotMatch) {
  FailurePolicy policy;
  FailurePolicyRule& rule = *policy.add_rules();
  for (int i = 0; i < 5; ++i) {
    rule.add_on_job_failure_message_patterns("(?:ab){900}");
  }
  policy.add_rules()->add_on_job_failure_message_patterns("x");
  const std::vector<Job> jobs = {
      FailedJob("w", 0, 1, "X", std::string(64 << 10, 'x'))};
  PatternAllowance allowance;
  EXPECT_EQ(FindRule(policy, PointersTo(jobs), Gates(), allowance).rule,
            nullptr);
  EXPECT_TRUE(allowance.used_up());
}

TEST(FindRuleTest, NothingMatchesWithoutRules) {
  PatternAllowance allowance;
  const std::vector<Job> jobs = {FailedJob("w", 0, 1)};
  EXPECT_EQ(
      FindRule(FailurePolicy(), PointersTo(jobs), Gates(), allowance).rule,
      nullptr);
}

// Ends the call at its third check.
class ShortWatch : public Watch {
 public:
  absl::Status Check() override {
    ++looks;
    return looks < 3 ? absl::OkStatus()
                     : absl::ResourceExhaustedError("too expensive");
  }
  absl::Duration Spent() override { return absl::ZeroDuration(); }
  int looks = 0;
};

TEST(FindRuleTest, ChecksTheWatchBetweenRules) {
  FailurePolicy policy;
  for (int i = 0; i < 9; ++i) {
    policy.add_rules()->add_on_job_failure_reasons("Other");
  }
  policy.add_rules();
  const Job job = FailedJob("w", 0, 10, "X", "");
  ShortWatch watch;
  PatternAllowance allowance(kMaxPatternSteps, &watch);
  EXPECT_EQ(FindRule(policy, {&job}, Gates(), allowance).rule, nullptr);
  EXPECT_EQ(watch.looks, 3);
  EXPECT_FALSE(allowance.CheckNow().ok());
}

}  // namespace
}  // namespace mulligan::jobset
