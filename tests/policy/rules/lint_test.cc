#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/rules/ruleset.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PolicyOf;
using testing::Texts;

std::vector<std::string> Warnings(const std::string& spec) {
  Issues issues;
  PatternAllowance allowance;
  EXPECT_NE(Ruleset::Compile(PolicyOf(spec), SourceMap(""), issues, allowance),
            nullptr);
  return Texts(issues);
}

struct Pair {
  const char* name;
  const char* earlier;
  const char* later;
  bool unreachable;
};

class ReachabilityTest : public ::testing::TestWithParam<Pair> {};

TEST_P(ReachabilityTest, IsJudgedByInclusion) {
  const std::string spec =
      std::string("default { action: FAIL } rules { name: 'one' when { ") +
      GetParam().earlier +
      " } then { action: FAIL } } rules { name: 'two' when { " +
      GetParam().later + " } then { action: FAIL } }";
  const auto found = Contains(HasSubstr("rule \"two\" is never reached"));
  if (GetParam().unreachable) {
    EXPECT_THAT(Warnings(spec), found);
  } else {
    EXPECT_THAT(Warnings(spec), Not(found));
  }
}

const Pair kPairs[] = {
    {"SameCause", "causes: HANG", "causes: HANG", true},
    {"OtherCause", "causes: HANG", "causes: APP_ERROR", false},
    {"WiderCauses", "causes: [HANG, APP_ERROR]", "causes: APP_ERROR", true},
    {"NarrowerCauses", "causes: HANG", "causes: [HANG, APP_ERROR]", false},
    {"DomainAndCause", "fault_domains: DISRUPTION",
     "causes: SPOT_RECLAIMED fault_domains: DISRUPTION", true},
    {"ACauseSaysNoDomain", "fault_domains: DISRUPTION",
     "causes: SPOT_RECLAIMED", false},
    {"WiderOutlooks", "outlooks: [RECOVERS, MAY_RECOVER]", "outlooks: RECOVERS",
     true},
    {"NarrowedByKind", "causes: HANG kinds: 'Job'", "causes: HANG", false},
    {"NarrowerByKind", "causes: HANG", "causes: HANG kinds: 'Job'", true},
    {"CodesIncluded", "exit_codes { operator: 'In' values: [1, 2] }",
     "exit_codes { operator: 'In' values: 2 }", true},
    {"CodesOfOtherContainer",
     "exit_codes { operator: 'In' values: [1, 2] container_name: 'x' }",
     "exit_codes { operator: 'In' values: 2 }", false},
    {"NotInCoversIn", "exit_codes { operator: 'NotIn' values: 1 }",
     "exit_codes { operator: 'In' values: 2 }", true},
    {"NotInExcludesIn", "exit_codes { operator: 'NotIn' values: 2 }",
     "exit_codes { operator: 'In' values: 2 }", false},
    {"AttemptsInside", "attempts { from: 2 }", "attempts { from: 3 to: 4 }",
     true},
    {"AttemptsOutside", "attempts { from: 2 to: 3 }", "attempts { from: 3 }",
     false},
    {"SamePattern", "message_pattern: 'x'", "message_pattern: 'x'", true},
    {"OtherPattern", "message_pattern: 'x'", "message_pattern: 'xy'", false},
    {"SameStatus", "status_pattern: 'x'", "status_pattern: 'x'", true},
    {"StatusIsNoMessage", "message_pattern: 'x'", "status_pattern: 'x'", false},
    {"ConditionAnyReason", "conditions { type: 'T' }",
     "conditions { type: 'T' reason: 'r' }", true},
    {"ConditionOneReason", "conditions { type: 'T' reason: 'r' }",
     "conditions { type: 'T' }", false},
    {"FewerLabels", "match_labels { key: 'a' value: '1' }",
     "match_labels { key: 'a' value: '1' } match_labels { key: 'b' value: '2' "
     "}",
     true},
    {"LowerConfidence", "min_confidence: LOW causes: HANG",
     "min_confidence: HIGH causes: HANG", true},
    {"Interruptible", "interruptible: true", "interruptible: false", false},
    {"RepeatedByOperator", "repeated_by_operator: true",
     "repeated_by_operator: false", false},
    {"Derived", "causes: HANG derived_causes: CRASH_LOOP", "causes: HANG",
     false},
};

INSTANTIATE_TEST_SUITE_P(Lint, ReachabilityTest, ::testing::ValuesIn(kPairs),
                         [](const auto& row) { return row.param.name; });

TEST(LintTest, EarlierRulesTogetherCoverALaterOne) {
  EXPECT_THAT(
      Warnings("default { action: FAIL } "
               "rules { name: 'a' when { causes: HANG } then { action: FAIL } }"
               "rules { name: 'b' when { causes: APP_ERROR } then { action: "
               "FAIL } } rules { name: 'c' when { causes: [HANG, APP_ERROR] } "
               "then { action: FAIL } }"),
      Contains(HasSubstr(
          "rule \"c\" is never reached: earlier rules match all its causes: "
          "\"a\", \"b\"")));
}

struct Pattern {
  const char* name;
  const char* pattern;
  const char* warning;  // empty: none
};

class PatternTest : public ::testing::TestWithParam<Pattern> {};

TEST_P(PatternTest, IsJudged) {
  const auto warnings =
      Warnings(std::string("default { action: FAIL } rules { name: 'a' when { "
                           "message_pattern: '") +
               GetParam().pattern + "' } then { action: FAIL } }");
  if (*GetParam().warning == '\0') {
    EXPECT_THAT(warnings, IsEmpty());
  } else {
    EXPECT_THAT(warnings, Contains(HasSubstr(GetParam().warning)));
  }
}

const Pattern kPatterns[] = {
    {"OpenNumber", "exit code 1", "longer numbers"},
    {"ClosedNumber", "exit code 1\\\\b", ""},
    {"AnchoredNumber", "exit code 1$", ""},
    {"Everything", ".*", "every message"},
    {"Text", "NCCL error", ""},
};

INSTANTIATE_TEST_SUITE_P(Lint, PatternTest, ::testing::ValuesIn(kPatterns),
                         [](const auto& row) { return row.param.name; });

TEST(LintTest, WarnsOfUnusedOrUnboundedBudgets) {
  const auto warnings = Warnings(
      "budgets { key: 'a' value { limit: 20000 } } "
      "budgets { key: 'b' value { limit: 1 window { seconds: 60 } } } "
      "default { action: RETRY budget: 'a' }");
  EXPECT_THAT(warnings, Contains(HasSubstr("no rule charges budget \"b\"")));
  EXPECT_THAT(warnings, Contains(HasSubstr("no bound in practice")));
  EXPECT_THAT(warnings, Contains(HasSubstr("in spite of the window")));
}

TEST(LintTest, EscalationCountsAsUse) {
  EXPECT_THAT(
      Warnings("budgets { key: 'a' value { limit: 1 on_exhausted { action: "
               "RETRY budget: 'b' } } } budgets { key: 'b' value { limit: 1 } "
               "} default { action: RETRY budget: 'a' }"),
      IsEmpty());
}

struct KindRow {
  const char* name;
  const char* kind;
  const char* meant;  // empty: no warning
};

class KindTest : public ::testing::TestWithParam<KindRow> {};

TEST_P(KindTest, ThatIsNearlyKnownGetsASuggestion) {
  const std::string kind = GetParam().kind;
  const auto warnings = Warnings(
      "selector { kinds: '" + kind +
      "' } default { action: FAIL } rules { name: 'a' when { kinds: ['Job', '" +
      kind + "'] } then { action: FAIL } }");
  if (*GetParam().meant == '\0') {
    EXPECT_THAT(warnings, IsEmpty());
    return;
  }
  const std::string said = "kind \"" + kind + "\" is not known, did you mean " +
                           GetParam().meant + "?";
  EXPECT_THAT(warnings, ::testing::UnorderedElementsAre(
                            "warning: spec.selector.kinds[0]: " + said,
                            "warning: spec.rules[0].when.kinds[1]: " + said));
}

const KindRow kKinds[] = {
    {"Known", "RayJob", ""},
    {"Plural", "RayJobs", "RayJob"},
    {"Case", "jobset", "JobSet"},
    {"CaseOfPlural", "jobs", "Job"},
    {"OneMore", "Jobb", "Job"},
    {"OneLess", "PyTorchJb", "PyTorchJob"},
    {"OneChanged", "RayClustar", "RayCluster"},
    {"Swapped", "TrianJob", "TrainJob"},
    {"OtherStart", "XJob", ""},
    {"TwoSlips", "RayJbos", ""},
    {"Foreign", "Workflow", ""},
    {"ForeignJob", "AppWrapper", ""},
};

INSTANTIATE_TEST_SUITE_P(Lint, KindTest, ::testing::ValuesIn(kKinds),
                         [](const auto& row) { return row.param.name; });

TEST(LintTest, WarnsOfWaitingWithoutEnd) {
  EXPECT_THAT(Warnings("default { action: WAIT }"),
              Contains(HasSubstr("waits without end")));
}

TEST(LintTest, WarnsOfRulesAboutWorkThatHasNotFailed) {
  EXPECT_THAT(
      Warnings("rules { name: 'a' when { causes: SUSPENDED causes: SUCCEEDED } "
               "then { action: WAIT } } default { action: FAIL }"),
      ElementsAre(HasSubstr("rule \"a\" is never reached: its causes are no "
                            "failures, which no rule decides about")));
  EXPECT_THAT(
      Warnings("rules { name: 'a' when { causes: SUCCEEDED causes: APP_ERROR } "
               "then { action: FAIL } } default { action: FAIL }"),
      IsEmpty());
}

TEST(LintTest, WarnsOfCausesThatEarlierRulesDecide) {
  const struct {
    const char* earlier;
    const char* later;
    const char* warning;
  } rows[] = {
      {"causes: HANG", "causes: [HANG, APP_ERROR]",
       "rule \"two\" never decides about [HANG]: earlier rules do: \"one\""},
      {"causes: HANG attempts { from: 2 }", "causes: [HANG, APP_ERROR]", ""},
      {"causes: HANG", "fault_domains: APPLICATION", ""},
      {"fault_domains: INFRASTRUCTURE", "causes: [NODE_LOST, APP_ERROR]",
       "rule \"two\" seldom decides about [NODE_LOST]: an earlier rule matches "
       "the usual fault domain: \"one\""},
      {"fault_domains: INFRASTRUCTURE interruptible: true", "causes: NODE_LOST",
       ""},
      {"fault_domains: INFRASTRUCTURE",
       "causes: NODE_LOST fault_domains: APPLICATION", ""},
  };
  for (const auto& row : rows) {
    const std::vector<std::string> warnings = Warnings(
        std::string("default { action: FAIL } rules { name: 'one' when { ") +
        row.earlier + " } then { action: FAIL } } rules { name: 'two' when { " +
        row.later + " } then { action: FAIL } }");
    if (*row.warning == '\0') {
      EXPECT_THAT(warnings, IsEmpty()) << row.earlier << " / " << row.later;
    } else {
      EXPECT_THAT(warnings, ElementsAre(HasSubstr(row.warning)));
    }
  }
}

TEST(LintTest, WarnsOfRetriesThatNoBudgetGrants) {
  const std::string policy =
      "budgets { key: 'none' value { limit: 0 } } budgets { key: 'some' value "
      "{ limit: 1 } } rules { name: 'a' when { causes: HANG } then { action: "
      "RETRY budget: 'none' } } rules { name: 'b' when { causes: APP_ERROR } "
      "then { action: RETRY budget: 'some' } } default { action: FAIL }";
  EXPECT_THAT(
      Warnings(policy),
      ElementsAre(HasSubstr("budget \"none\" has limit 0, so this RETRY "
                            "is never granted")));
}

}  // namespace
}  // namespace mulligan
