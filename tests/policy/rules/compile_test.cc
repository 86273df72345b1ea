#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/rules/compiled_policy.h"
#include "policy/rules/ruleset.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PolicyOf;
using ::testing::StartsWith;
using testing::Texts;

constexpr char kDefault[] = "default { action: FAIL } ";
constexpr char kBudget[] =
    "budgets { key: 'a' value { limit: 3 } } "
    "default { action: RETRY budget: 'a' } ";

Issues CompileIssues(const v1::RetryPolicy& policy) {
  Issues issues;
  PatternAllowance allowance;
  const auto rules = Ruleset::Compile(policy, SourceMap(""), issues, allowance);
  EXPECT_EQ(rules == nullptr, HasErrors(issues));
  return issues;
}

struct BadSpec {
  const char* name;
  std::string spec;
  const char* path;
  const char* expected;
};

class RefusesTest : public ::testing::TestWithParam<BadSpec> {};

TEST_P(RefusesTest, WithPathAndExpectedForm) {
  EXPECT_THAT(Texts(CompileIssues(PolicyOf(GetParam().spec))),
              Contains(AllOf(
                  StartsWith(std::string("error: ") + GetParam().path + ": "),
                  HasSubstr(GetParam().expected))));
}

std::string Rule(const std::string& when,
                 const std::string& then = "action: FAIL") {
  return std::string(kBudget) + "rules { name: 'r' when { " + when +
         " } then { " + then + " } }";
}

std::string Then(const std::string& then) {
  return Rule("causes: APP_ERROR", then);
}

std::string BudgetA(const std::string& budget) {
  return "budgets { key: 'a' value { " + budget +
         " } } default { action: RETRY budget: 'a' }";
}

// Mistakes that no file of tests/policies/bad makes.
const BadSpec kBadSpecs[] = {
    {"NativeWithDefault",
     "native { use_own_spec: true } default { action: FAIL }", "spec.default",
     "the workload's own operator decides"},
    {"NativeWithRules",
     Rule("causes: APP_ERROR") + " native { use_own_spec: true }", "spec.rules",
     "the workload's own operator decides"},
    {"NativeWithKillSwitch",
     "native { use_own_spec: true } kill_switch { enabled: true }",
     "spec.killSwitch", "the workload's own operator decides"},
    {"NativeComparedWithItself",
     "native { use_own_spec: true } compare_native: true", "spec.compareNative",
     "the workload's own operator decides"},
    {"UnknownNativeOperator",
     std::string(kDefault) + "native { semantics { operator: 'cron' } }",
     "spec.native.semantics.operator", "expected one of"},
    {"SelectedAndOnlyByName",
     std::string(kDefault) + "only_by_name: true selector { kinds: 'Job' }",
     "spec.onlyByName", "never selected"},
    {"DefaultWithoutAction", "default {}", "spec.default.action", "expected"},
    {"RetryWithoutBudget", "default { action: RETRY }", "spec.default",
     "no retry is free"},
    {"IgnoreWithBudget", Then("action: IGNORE budget: 'a'"),
     "spec.rules[0].then.budget", "RETRY or WAIT"},
    {"OverrideWithoutMaximum", BudgetA("limit: 1 override { min: 2 }"),
     "spec.budgets[a].override", "max is missing"},
    {"OverrideUpsideDown", BudgetA("limit: 1 override { min: 3 max: 2 }"),
     "spec.budgets[a].override.max", "expected 3 to 1000000"},
    {"NegativeOverride", BudgetA("limit: 1 override { min: -1 max: 2 }"),
     "spec.budgets[a].override.min", "expected 0 to 1000000"},
    {"UnknownLimitFrom", BudgetA("limit: 1 limit_from: 7"),
     "spec.budgets[a].limitFrom", "expected NATIVE"},
    {"ZeroWindow", BudgetA("limit: 1 window {}"), "spec.budgets[a].window",
     "greater than 0"},
    {"NegativeWindow", BudgetA("limit: 1 window { seconds: -5 }"),
     "spec.budgets[a].window", "greater than 0"},
    {"EndlessWindow", BudgetA("limit: 1 window { seconds: 315360001 }"),
     "spec.budgets[a].window", "10 years"},
    {"RefundWithoutCondition",
     BudgetA("limit: 1 refund_on_progress { ceiling: 1 }"),
     "spec.budgets[a].refundOnProgress", "minGrowth, minHealthy or both"},
    {"RefundForNaN",
     BudgetA("limit: 1 refund_on_progress { ceiling: 1 min_growth: nan }"),
     "spec.budgets[a].refundOnProgress.minGrowth", "more than 0"},
    {"EscalationWithoutABudget",
     BudgetA("limit: 1 on_exhausted { action: RETRY }"),
     "spec.budgets[a].onExhausted", "needs the budget"},
    {"RuleNamedDefault",
     std::string(kDefault) + "rules { name: 'default' when { causes: HANG } "
                             "then { action: FAIL } }",
     "spec.rules[0].name", "stands for"},
    {"UnspecifiedCause", Rule("causes: CAUSE_UNSPECIFIED"),
     "spec.rules[0].when.causes[0]", "no cause"},
    {"UnspecifiedDerived", Rule("derived_causes: DERIVED_CAUSE_UNSPECIFIED"),
     "spec.rules[0].when.derivedCauses[0]", "no derived cause"},
    {"ZeroWithIn", Rule("exit_codes { operator: 'In' values: 0 }"),
     "spec.rules[0].when.exitCodes.values", "0 is a success"},
    {"NoExitCodes", Rule("exit_codes { operator: 'In' }"),
     "spec.rules[0].when.exitCodes.values", "at least one"},
    {"PatternBomb", Rule("message_pattern: '((a{30}){30}){30}'"),
     "spec.rules[0].when.messagePattern", ""},
    {"ConditionWithoutType", Rule("conditions { reason: 'x' }"),
     "spec.rules[0].when.conditions[0]", "type is missing"},
    {"ConditionStatus", Rule("conditions { type: 'X' status: 'Yes' }"),
     "spec.rules[0].when.conditions[0].status", "True, False or Unknown"},
    {"AttemptZero", Rule("attempts { from: 0 }"),
     "spec.rules[0].when.attempts.from", "at least 1"},
    {"RanWithoutEnds", Rule("ran {}"), "spec.rules[0].when.ran",
     "needs from, to or both"},
    {"RanForNothing", Rule("ran { to {} }"), "spec.rules[0].when.ran.to",
     "greater than 0"},
    {"FewerThanNoAccelerators", Rule("accelerators { from: -1 }"),
     "spec.rules[0].when.accelerators.from", "at least 0"},
    {"HoursThatAreNone", Rule("hours_at_stake { to: nan }"),
     "spec.rules[0].when.hoursAtStake.to", "at least 0"},
    {"EmptyReason", Rule("reasons: ''"), "spec.rules[0].when.reasons[0]",
     "empty"},
    {"BackoffWithoutInitial", Then("action: RETRY budget: 'a' backoff {}"),
     "spec.rules[0].then.backoff", "initial is missing"},
    {"LinearWithFactor",
     Then("action: RETRY budget: 'a' backoff { initial { seconds: 1 } factor: "
          "2 kind: LINEAR }"),
     "spec.rules[0].then.backoff.factor", "EXPONENTIAL only"},
    {"FailWithPlacement", Then("action: FAIL placement { on_demand_after: 1 }"),
     "spec.rules[0].then.placement", "not with FAIL"},
    {"GraceRetryWithoutBudget",
     Then("action: WAIT after_grace { grace { seconds: 1 } action: RETRY }"),
     "spec.rules[0].then.afterGrace", "no retry is free"},
    {"ResourcesWithoutFactor", Then("action: RETRY budget: 'a' resources {}"),
     "spec.rules[0].then.resources", "memoryFactor"},
    {"NegativeThreshold",
     std::string(kDefault) + "derivation { same_fingerprint: -1 }",
     "spec.derivation.sameFingerprint", "0 to 64"},
    {"ThresholdBeyondHistory",
     std::string(kDefault) + "derivation { poison_nodes: 65 }",
     "spec.derivation.poisonNodes", "0 to 64"},
    {"TooManyIncidentWorkloads",
     std::string(kDefault) + "derivation { incident_workloads: 1000001 }",
     "spec.derivation.incidentWorkloads", "0 to 1000000"},
    {"NoIncidentRetries",
     std::string(kDefault) + "derivation { incident_retries: 0 }",
     "spec.derivation.incidentRetries", "1 to 1000000"},
    {"NoIncidentShare",
     std::string(kDefault) + "derivation { incident_share: 0 }",
     "spec.derivation.incidentShare", "0"},
    {"NoFailureIsTheSame", std::string(kDefault) + "brake { same_failure: 0 }",
     "spec.brake.sameFailure", "1 to 64"},
    {"OutlivedBeforeItRan", std::string(kDefault) + "brake { outlived: 0.5 }",
     "spec.brake.outlived", "1"},
    {"EmptyKindInSelector", std::string(kDefault) + "selector { kinds: '' }",
     "spec.selector.kinds[0]", "empty"},
};

INSTANTIATE_TEST_SUITE_P(Compile, RefusesTest, ::testing::ValuesIn(kBadSpecs),
                         [](const auto& row) { return row.param.name; });

TEST(CompileTest, ChecksTheHeader) {
  v1::RetryPolicy policy = PolicyOf(kDefault);
  policy.set_api_version("v2");
  policy.set_kind("Policy");
  policy.mutable_metadata()->set_name("No Name");
  EXPECT_THAT(Texts(CompileIssues(policy)),
              ElementsAre(StartsWith("error: apiVersion: "),
                          StartsWith("error: kind: "),
                          StartsWith("error: metadata.name: ")));
}

TEST(CompileTest, ReportsAllProblemsAtOnceInLineOrder) {
  SourceMap positions("p.yaml");
  positions.Add("spec", {3, 1});
  positions.Add("spec.rules[0].when", {20, 5});
  positions.Add("spec.maxAttempts", {7, 3});
  Issues issues;
  const auto policy =
      PolicyOf("max_attempts: -1 rules { name: 'r' then { action: FAIL } }");
  PatternAllowance allowance;
  EXPECT_EQ(Ruleset::Compile(policy, positions, issues, allowance), nullptr);
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(FormatIssue(issue));
  EXPECT_THAT(lines, ElementsAre(StartsWith("p.yaml:3:1: error: default is"),
                                 StartsWith("p.yaml:7:3: error: -1"),
                                 StartsWith("p.yaml:20:5: error: when is")));
}

TEST(CompileTest, AcceptsAPolicyThatOnlyFails) {
  EXPECT_THAT(Texts(CompileIssues(PolicyOf(kDefault))), IsEmpty());
}

TEST(CompileTest, ResolvesDefaults) {
  const auto rules = testing::Compiled(
      "budgets { key: 'b' value { limit: 2 refund_on_progress { ceiling: 4 "
      "min_growth: 1 } } } budgets { key: 'a' value { limit: 3 } } "
      "default { action: RETRY budget: 'b' backoff { initial { seconds: 900 } "
      "} placement { avoid_failed_node {} } resources { memory_factor: 2 } }");
  const CompiledPolicy& policy = rules->compiled();
  EXPECT_EQ(policy.max_attempts, 2 + 4 + 3 + 1);
  EXPECT_EQ(policy.budgets[0].name, "a");
  EXPECT_EQ(policy.fallback.budget, 1);
  EXPECT_EQ(policy.fallback.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(policy.fallback.backoff->max, absl::Minutes(15));
  EXPECT_EQ(policy.fallback.backoff->factor, 2);
  EXPECT_EQ(policy.fallback.backoff->jitter, 0.1);
  EXPECT_EQ(policy.fallback.placement->expires_after, absl::Hours(1));
  EXPECT_EQ(policy.fallback.resources->max_factor, 8);
}

TEST(CompileTest, KeepsPositionsOfRules) {
  SourceMap positions("p.yaml");
  positions.Add("spec.rules[0]", {12, 7});
  positions.Add("spec.default", {30, 3});
  Issues issues;
  PatternAllowance allowance;
  const auto rules = Ruleset::Compile(PolicyOf(Rule("causes: HANG")), positions,
                                      issues, allowance);
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(rules->compiled().rules[0].reference.line(), 12);
  EXPECT_EQ(rules->compiled().rules[0].reference.file(), "p.yaml");
  EXPECT_EQ(rules->compiled().fallback_reference.line(), 30);
}

}  // namespace
}  // namespace mulligan
