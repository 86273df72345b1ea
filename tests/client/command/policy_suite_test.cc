// `mulligan policy test`: the format of suites, and their results.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "mulligan/v1/policy_test.pb.h"
#include "tests/client/command/run_command.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPolicy[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: nightly}
spec:
  budgets: {bugs: {limit: 1}, memory: {limit: 1}}
  rules:
    - name: grow
      when: {causes: [CONTAINER_OOM]}
      then: {action: RETRY, budget: memory, resources: {memoryFactor: 2}}
  default: {action: RETRY, budget: bugs, backoff: {initial: 1m, jitter: 0}}
)";

// One case with two steps; tests change parts of it.
constexpr char kSuite[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicyTest
metadata: {name: nightly}
spec:
  policies: [nightly.yaml]
  fixtures:
    broken:
      objects:
        - apiVersion: v1
          kind: Pod
          metadata:
            {name: a-1, namespace: n, uid: u-1,
             ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a,
                                uid: u-a, controller: true}]}
          status:
            phase: Failed
            containerStatuses:
              - name: main
                state:
                  terminated: {exitCode: 1, startedAt: 2026-11-03T08:00:00Z,
                               finishedAt: 2026-11-03T09:00:00Z}
  cases:
    - name: one retry
      steps:
        - fixture: broken
          expect: {action: RETRY, budget: bugs,
                   delay: {atLeast: 1m, atMost: 1m}}
        - fixture: broken
          after: 2h
          expect: {action: FAIL, exhausted: bugs}
)";

// Runs kSuite with replacements, next to kPolicy.
CommandResult RunSuite(
    const std::vector<std::pair<std::string, std::string>>& words,
    std::vector<std::string> flags = {}) {
  WriteTestFile("nightly.yaml", kPolicy);
  const std::string suite =
      WriteTestFile("nightly_test.yaml", absl::StrReplaceAll(kSuite, words));
  flags.insert(flags.begin(), {"policy", "test", suite});
  return RunMulligan(flags);
}

TEST(PolicySuiteTest, CasesMayHaveLimits) {
  const std::string policy = absl::StrReplaceAll(
      kPolicy, {{"bugs: {limit: 1}", "bugs: {limit: 1, override: {max: 5}}"}});
  const std::string suite = absl::StrReplaceAll(
      kSuite,
      {{"- name: one retry", "- name: own limit\n      limits: {bugs: 3}"},
       {"{action: FAIL, exhausted: bugs}",
        "{action: RETRY, used: {bugs: 2}, limits: {bugs: 3}}"}});
  const auto run = [&](const std::string& text) {
    WriteTestFile("nightly.yaml", policy);
    return RunMulligan(
        {"policy", "test", WriteTestFile("nightly_test.yaml", text)});
  };
  EXPECT_EQ(run(suite).code, 0) << run(suite).out << run(suite).err;
  EXPECT_THAT(run(absl::StrReplaceAll(
                      suite, {{"limits: {bugs: 3}}", "limits: {bugs: 4}}"}}))
                  .out,
              HasSubstr("limits.bugs"));
  EXPECT_THAT(run(absl::StrReplaceAll(
                      suite, {{"limits: {bugs: 3}\n", "limits: {bug: 3}\n"}}))
                  .err,
              HasSubstr("has the budget \"bug\""));
}

TEST(PolicySuiteTest, ChecksRetriedBy) {
  const std::string job =
      "      objects:\n        - {apiVersion: batch/v1, kind: Job, metadata: "
      "{name: "
      "a, namespace: n, uid: u-a}, spec: {backoffLimit: 4}, status: {failed: "
      "1}}\n";
  const auto run = [&](const std::string& who) {
    return RunSuite(
        {{"      objects:\n", job},
         {"{action: RETRY, budget: bugs,\n                   delay: {atLeast: "
          "1m, atMost: 1m}}",
          absl::StrCat("{action: IGNORE, used: {bugs: 1}, retriedBy: ", who,
                       "}")},
         {"{action: FAIL, exhausted: bugs}", "{situation: ALIVE}"}});
  };
  EXPECT_EQ(run("OPERATOR").code, 0)
      << run("OPERATOR").out << run("OPERATOR").err;
  EXPECT_THAT(run("KUBELET").out, HasSubstr("retriedBy"));
}

TEST(PolicySuiteTest, PassesAndPrintsCoverage) {
  const CommandResult result = RunSuite({});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("  ok    one retry\n"),
                    HasSubstr("1 suite, 1 case: 1 passed, 0 failed\n"),
                    HasSubstr("1 of 2 rules decided (50 %)\n"),
                    HasSubstr("  never: nightly/grow ("),
                    HasSubstr("nightly.yaml:7)\n")));
}

TEST(PolicySuiteTest, PrintsExpectedAndFound) {
  const CommandResult result =
      RunSuite({{"action: FAIL", "action: RETRY, lastAttempt: true"},
                {"atMost: 1m", "atMost: 90s"},
                {"atLeast: 1m", "atLeast: 61s"}});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(
      result.out,
      AllOf(
          HasSubstr("  FAIL  one retry\n"),
          HasSubstr("line 27, step 1: delay is 1m, expected at least 1m1s, at "
                    "most 1m30s\n"),
          HasSubstr("line 30, step 2: action is FAIL, expected RETRY\n"),
          HasSubstr("step 2: lastAttempt is false, expected true\n"),
          HasSubstr("0 passed, 1 failed\n")));
}

TEST(PolicySuiteTest, SameAttemptIsADuplicateAndTimesIsNot) {
  const CommandResult again = RunSuite(
      {{"after: 2h\n          expect: {action: FAIL, exhausted: bugs}",
        "after: 10s\n          sameAttempt: true\n          expect: {action: "
        "RETRY, duplicate: true, charged: false, used: {bugs: 1}}"}});
  EXPECT_EQ(again.code, 0) << again.out;
  const CommandResult repeated =
      RunSuite({{"after: 2h\n", "after: 2h\n          times: 3\n"}});
  EXPECT_EQ(repeated.code, 0) << repeated.out;
  const CommandResult one_too_many =
      RunSuite({{"expect: {action: RETRY",
                 "times: 2\n          after: 2h\n"
                 "          expect: {action: RETRY"}});
  EXPECT_EQ(one_too_many.code, 1);
  EXPECT_THAT(
      one_too_many.out,
      HasSubstr("step 1, repetition 2: action is FAIL, expected RETRY"));
}

TEST(PolicySuiteTest, PrintsTheRemainingDelay) {
  const CommandResult result = RunSuite(
      {{"after: 2h\n          expect: {action: FAIL, exhausted: bugs}",
        "after: 10s\n          sameAttempt: true\n          expect: {delay: "
        "{atLeast: 1m}}"}});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out,
              HasSubstr("step 2: delay is 50s (remaining: 10s had passed "
                        "since the end),\n        expected at least 1m"));
}

TEST(PolicySuiteTest, RestartsPodsWithoutOwner) {
  const CommandResult result = RunSuite(
      {{",\n             ownerReferences: [{apiVersion: batch/v1, kind: Job, "
        "name: a,\n                                uid: u-a, controller: "
        "true}]",
        ""}});
  EXPECT_EQ(result.code, 0) << result.out;
}

TEST(PolicySuiteTest, RejectsOverlappingAttempts) {
  const CommandResult result = RunSuite({{"after: 2h", "after: 30m"}});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("step 2: after is too short: attempts"));
}

TEST(PolicySuiteTest, ErrorsMayBeExpected) {
  const CommandResult expected =
      RunSuite({{"{action: FAIL, exhausted: bugs}", "{error: NOT_FOUND}"},
                {"{action: RETRY, budget: bugs,\n                   delay: "
                 "{atLeast: 1m, atMost: 1m}}",
                 "{error: NOT_FOUND}"},
                {"name: one retry", "name: one retry\n      policy: gone"}});
  EXPECT_EQ(expected.code, 0) << expected.out;
}

struct BadSuite {
  const char* name;
  std::string from;
  std::string to;
  std::string problem;
};

class BadSuiteTest : public ::testing::TestWithParam<BadSuite> {};

// Nothing is ignored silently.
TEST_P(BadSuiteTest, IsRejectedWithItsPosition) {
  const CommandResult result = RunSuite({{GetParam().from, GetParam().to}});
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr(GetParam().problem));
  EXPECT_THAT(result.err, HasSubstr("nightly_test.yaml:"));
  EXPECT_THAT(result.out, Not(HasSubstr("  ok  ")));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSuiteTest,
    ::testing::Values(
        BadSuite{"MisspeltKey", "exhausted: bugs", "exhaustd: bugs",
                 "unknown key \"exhaustd\", did you mean \"exhausted\"?"},
        BadSuite{"NoExpectation", "expect: {action: FAIL, exhausted: bugs}",
                 "expect: {}", ":30:11: error: expects nothing"},
        BadSuite{"ExpectMissing",
                 "          expect: {action: FAIL, exhausted: bugs}\n", "",
                 "expect is missing"},
        BadSuite{"UnknownFixture", "fixture: broken\n          after",
                 "fixture: brokn\n          after",
                 "unknown fixture \"brokn\", did you mean \"broken\"?"},
        BadSuite{"UnusedFixture", "  fixtures:\n",
                 "  fixtures:\n    spare: {files: [spare.json]}\n",
                 "is used by no step"},
        BadSuite{"EmptyFixture", "  fixtures:\n",
                 "  fixtures:\n    spare: {}\n", "shows nothing"},
        BadSuite{"UnknownPolicy", "name: one retry",
                 "name: one retry\n      policy: nightl",
                 "no policy under test has the policy \"nightl\", did you mean "
                 "\"nightly\"?"},
        BadSuite{"UnknownRule", "{action: FAIL, ", "{action: FAIL, rule: gro, ",
                 "no policy under test has the rule \"gro\", did you mean "
                 "\"grow\"?"},
        BadSuite{"UnknownBudget", "budget: bugs", "budget: bug",
                 "no policy under test has the budget \"bug\""},
        BadSuite{"UnknownCause", "{action: FAIL, ",
                 "{action: FAIL, cause: OOMKilled, ",
                 "did you mean CONTAINER_OOM?"},
        BadSuite{"NoTime", "          after: 2h\n", "", "after is missing"},
        BadSuite{"BadTime", "after: 2h", "at: noon", "\"noon\" is not a time"},
        BadSuite{"NoSteps", "name: one retry\n      steps:",
                 "name: one retry\n    - name: two\n      steps:",
                 "steps is missing"},
        BadSuite{"SameName", "  cases:\n",
                 "  cases:\n    - name: one retry\n      steps: [{fixture: "
                 "broken, expect: {action: RETRY}}]\n",
                 "is the name of another case"},
        BadSuite{"ErrorAndMore", "{action: FAIL, exhausted: bugs}",
                 "{action: FAIL, error: NOT_FOUND}", "goes with no other key"},
        BadSuite{"UnknownError", "{action: FAIL, exhausted: bugs}",
                 "{error: FOO}",
                 ":30:27: error: \"FOO\" is not one of INVALID_ARGUMENT, "
                 "NOT_FOUND"},
        BadSuite{"ErrorOk", "{action: FAIL, exhausted: bugs}", "{error: OK}",
                 "\"OK\" is not one of"},
        BadSuite{"EmptyDelay", "{atLeast: 1m, atMost: 1m}", "{}",
                 "expects nothing, expected atLeast or atMost"},
        BadSuite{"EmptyText", "exhausted: bugs", "exhausted: ''",
                 ":30:45: error: an empty string says nothing"},
        BadSuite{"EmptyTextInAList", "exhausted: bugs", "warnings: ['']",
                 ":30:45: error: an empty string says nothing"},
        BadSuite{"EmptyMap", "exhausted: bugs", "resources: {}",
                 ":30:34: error: \"resources\" is empty"},
        BadSuite{"EmptyList", "exhausted: bugs", "avoidNodes: []",
                 ":30:34: error: \"avoidNodes\" is empty"},
        BadSuite{"MissingFile", "      objects:\n",
                 "      files: [gone.json]\n      objects:\n",
                 "gone.json: No such file or directory"},
        BadSuite{"FixtureOfUnknownKind", "kind: Pod", "kind: Service",
                 ":7:5: error: object"},
        BadSuite{"StepOfUnknownKind", "          after: 2h\n",
                 "          after: 2h\n          objects: [{apiVersion: v1, "
                 "kind: Service, metadata: {name: a}}]\n",
                 ":28:11: error: object"},
        BadSuite{"SameAttemptInFirstStep",
                 "- fixture: broken\n          expect",
                 "- fixture: broken\n          sameAttempt: true\n          "
                 "expect",
                 "there is no step before"},
        BadSuite{"DuplicateKeyInAnObject", "phase: Failed",
                 "phase: Failed\n            phase: Succeeded",
                 "duplicate key \"phase\""},
        BadSuite{"OtherKind", "kind: RetryPolicyTest", "kind: RetryPolicy",
                 "\"RetryPolicy\", expected RetryPolicyTest"}),
    [](const auto& bad) { return bad.param.name; });

TEST(PolicySuiteTest, InvalidPoliciesExitWithThree) {
  WriteTestFile("nightly.yaml", "kind: RetryPolicy\n");
  const CommandResult result = RunMulligan(
      {"policy", "test", WriteTestFile("nightly_test.yaml", kSuite)});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("nightly.yaml:1:1: error: "));
}

TEST(PolicySuiteTest, FolderCoverageIncludesUntestedPolicies) {
  RunSuite({});
  WriteTestFile("idle.yaml",
                absl::StrReplaceAll(
                    kPolicy, {{"name: nightly", "name: idle"},
                              {"spec:\n", "spec:\n  onlyByName: true\n"}}));
  const CommandResult result =
      RunMulligan({"policy", "test", TestFolder().string()});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("never: idle/default ("),
                                HasSubstr("1 of 4 rules decided (25 %)")));
}

TEST(PolicySuiteTest, RejectsFolderWithoutSuites) {
  WriteTestFile("nightly.yaml", kPolicy);
  const CommandResult result =
      RunMulligan({"policy", "test", TestFolder().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("holds no test suite, expected files "
                                    "*_test.yaml"));
}

TEST(PolicySuiteTest, RejectsPolicyInPlaceOfASuite) {
  const CommandResult result =
      RunMulligan({"policy", "test", WriteTestFile("nightly.yaml", kPolicy)});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("nightly.yaml:2:7: error: kind is "
                              "\"RetryPolicy\", expected RetryPolicyTest; "
                              "policies are read by `mulligan policy check`"),
                    Not(HasSubstr("unknown key"))));
}

TEST(PolicySuiteTest, LowCoverageFails) {
  EXPECT_EQ(RunSuite({}, {"--coverage-min", "50"}).code, 0);
  const CommandResult result = RunSuite({}, {"--coverage-min", "51"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("expected at least 51 %"));
}

TEST(PolicySuiteTest, JsonIsAReport) {
  const CommandResult result =
      RunSuite({{"action: FAIL", "action: WAIT"}}, {"-o", "json"});
  EXPECT_EQ(result.code, 1);
  v1::PolicyTestReport report;
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(result.out, &report).ok());
  EXPECT_FALSE(report.passed());
  ASSERT_EQ(report.suites_size(), 1);
  ASSERT_EQ(report.suites(0).cases_size(), 1);
  ASSERT_EQ(report.suites(0).cases(0).failures_size(), 1);
  const v1::PolicyTestFailure& failure = report.suites(0).cases(0).failures(0);
  EXPECT_EQ(failure.key(), "action");
  EXPECT_EQ(failure.expected(), "WAIT");
  EXPECT_EQ(failure.found(), "FAIL");
  EXPECT_EQ(failure.step(), 2);
  ASSERT_EQ(report.coverage_size(), 1);
  EXPECT_EQ(report.coverage(0).decided(), 1);
}

TEST(PolicySuiteTest, JunitHasFailures) {
  const std::string junit = TestFolder() / "junit.xml";
  EXPECT_EQ(RunSuite({{"action: FAIL", "action: WAIT"},
                      {"name: one retry", "name: one <retry>"}},
                     {"--junit", junit})
                .code,
            1);
  EXPECT_THAT(
      ReadTestFile(junit),
      AllOf(HasSubstr("<testsuite name=\"nightly\""),
            HasSubstr("tests=\"1\" failures=\"1\" errors=\"0\""),
            HasSubstr("name=\"one &lt;retry&gt;\""),
            HasSubstr("<failure message=\"step 2: action is FAIL, expected "
                      "WAIT\">")));
  EXPECT_EQ(
      RunSuite({{"exhausted: bugs", "exhaustd: bugs"}}, {"--junit", junit})
          .code,
      2);
  EXPECT_THAT(ReadTestFile(junit),
              AllOf(HasSubstr("errors=\"1\""), HasSubstr("<error message=")));
}

// The suites of the shipped policies; every rule that can decide does.
TEST(PolicySuiteTest, ShippedPoliciesPass) {
  const CommandResult examples =
      RunMulligan({"policy", "test", "--coverage-min", "85",
                   SourcePath("deploy/policies").string()});
  EXPECT_EQ(examples.code, 0) << examples.out << examples.err;
  const CommandResult built_in =
      RunMulligan({"policy", "test", "--coverage-min", "85",
                   SourcePath("policy/default_policy_test.yaml").string()});
  EXPECT_EQ(built_in.code, 0) << built_in.out << built_in.err;
}

}  // namespace
}  // namespace mulligan::testing
