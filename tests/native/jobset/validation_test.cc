#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/jobset/objects.h"
#include "tests/native/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Details(const FieldErrors& errors) {
  std::vector<std::string> details;
  for (const FieldError& error : errors) {
    details.push_back(error.field + ": " + error.detail);
  }
  return details;
}

struct RefusalCase {
  std::string name;
  std::string spec;
  // Field and beginning of the message.
  std::string refusal;
};

ObjectIssues Check(const JobSetSpec& spec, const Gates& gates) {
  PatternAllowance allowance;
  return ValidateJobSetSpec(spec, gates, allowance);
}

class RefusalTest : public testing::TestWithParam<RefusalCase> {};

TEST_P(RefusalTest, NamesFieldAndLimit) {
  Gates gates;
  gates.restart_job = true;
  gates.in_place_restart = true;
  const auto issues = Check(Parse<JobSetSpec>(GetParam().spec), gates);
  EXPECT_THAT(Details(issues.errors),
              ElementsAre(HasSubstr(GetParam().refusal)));
}

const RefusalCase kRefusals[] = {
    {"Reason",
     "failure_policy { rules { on_job_failure_reasons: ['BackoffLimitExceeded',"
     " 'PodFailurePolicy_mine'] } }",
     "spec.failurePolicy.rules[0].onJobFailureReasons[1]: invalid job failure "
     "reason 'PodFailurePolicy_mine'"},
    {"Target", "failure_policy { rules { target_replicated_jobs: 'x' } }",
     "spec.failurePolicy.rules[0].targetReplicatedJobs[0]: invalid "
     "replicatedJob name 'x'"},
    {"EmptyName", "failure_policy { rules { name: '' } }",
     "spec.failurePolicy.rules[0].name: invalid failure policy rule name of "
     "length 0"},
    {"Hyphen", "failure_policy { rules { name: 'a-b' } }",
     "invalid failure policy rule name 'a-b'"},
    {"SameName",
     "failure_policy { rules { name: 'a' } rules { name: 'b' } "
     "rules { name: 'a' } }",
     "rule names are not unique, rules with indices [0 2] all have the same "
     "name 'a'"},
};

INSTANTIATE_TEST_SUITE_P(Table, RefusalTest, testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

TEST(ValidateJobSetSpecTest, NameOfOneCharacterAndOf128Pass) {
  FailurePolicy policy;
  PatternAllowance allowance;
  policy.add_rules()->set_name("a");
  policy.add_rules()->set_name(std::string(128, 'b'));
  EXPECT_THAT(FailurePolicyIssues(policy, Gates(), allowance).errors,
              IsEmpty());
}

TEST(ValidateJobSetSpecTest, GateOffHidesOtherRefusalsOfTheRules) {
  const auto spec = Parse<JobSetSpec>(
      "failure_policy { rules { action: 'RestartJob' name: 'a-b' "
      "target_replicated_jobs: 'x' } }");
  EXPECT_THAT(Details(Check(spec, Gates()).errors),
              ElementsAre(HasSubstr("are not allowed when RestartJob feature "
                                    "gate is disabled")));
}

TEST(ValidateJobSetSpecTest, WarnsOfNewerOrIneffectiveSettings) {
  const auto spec = Parse<JobSetSpec>(R"(
      failure_policy {
        max_restarts: -1
        restart_strategy: "Later"
        rules { action: "Ignore" on_job_failure_message_patterns: "(" }
      })");
  const auto issues = Check(spec, Gates());
  EXPECT_THAT(issues.errors, IsEmpty());
  EXPECT_THAT(
      issues.warnings,
      ElementsAre(
          HasSubstr("'Later'"), HasSubstr("-1 acts like 0"),
          HasSubstr("onJobFailureMessagePatterns[0]: '(' is not an RE2"),
          HasSubstr("'Ignore'")));
}

}  // namespace
}  // namespace mulligan::jobset
