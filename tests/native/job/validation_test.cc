#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/job/objects.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kTemplate[] =
    "template { spec { restart_policy: 'Never' containers { name: 'main' } "
    "init_containers { name: 'init' } } } ";

std::vector<std::string> Refusals(const std::string& spec) {
  std::vector<std::string> texts;
  for (const FieldError& error :
       ValidateJobSpec(Parse<JobSpec>(kTemplate + spec)).errors) {
    texts.push_back(FormatFieldError(error));
  }
  return texts;
}

struct ValidationCase {
  std::string name;
  std::string spec;
  std::vector<std::string> refusals;
};

void PrintTo(const ValidationCase& test, std::ostream* out) {
  *out << test.name;
}

class JobSpecRefusalsTest : public ::testing::TestWithParam<ValidationCase> {};

TEST_P(JobSpecRefusalsTest, RefusesWithTheApiServersMessages) {
  EXPECT_THAT(Refusals(GetParam().spec), ElementsAreArray(GetParam().refusals));
}

std::string Repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string Policy(const std::string& rules) {
  return "pod_failure_policy { " + rules + " } ";
}

constexpr char kIndexed[] = "completion_mode: 'Indexed' completions: 9 ";
constexpr char kManyIndexes[] =
    "completion_mode: 'Indexed' completions: 100001 backoff_limit_per_index: "
    "1 ";
constexpr char kRule[] =
    "rules { action: 'Ignore' on_pod_conditions { type: 'X' status: 'True' } "
    "} ";

INSTANTIATE_TEST_SUITE_P(
    Limits, JobSpecRefusalsTest,
    ::testing::Values(
        ValidationCase{"Zeroes",
                       "backoff_limit: 0 parallelism: 0 completions: 0 "
                       "active_deadline_seconds: 0 ttl_seconds_after_finished: "
                       "0",
                       {}},
        ValidationCase{
            "Negatives",
            "parallelism: -1 completions: -1 ttl_seconds_after_finished: -1",
            {"spec.parallelism: Invalid value: -1: must be greater than or "
             "equal to 0",
             "spec.completions: Invalid value: -1: must be greater than or "
             "equal to 0",
             "spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater "
             "than or equal to 0"}},
        ValidationCase{"IndexLimitsNeedIndexes",
                       "backoff_limit_per_index: 1 max_failed_indexes: 2",
                       {"spec.backoffLimitPerIndex: Invalid value: 1: requires "
                        "indexed completion mode",
                        "spec.maxFailedIndexes: Invalid value: 2: requires "
                        "indexed completion mode"}},
        ValidationCase{"CompletionsAreNeeded",
                       "completion_mode: 'Indexed'",
                       {"spec.completions: Required value: when completion "
                        "mode is Indexed"}},
        ValidationCase{"UnknownMode",
                       "completion_mode: 'Random'",
                       {"spec.completionMode: Unsupported value: \"Random\": "
                        "supported values: \"NonIndexed\", \"Indexed\""}},
        ValidationCase{
            "MoreFailuresThanIndexes",
            std::string(kIndexed) +
                "backoff_limit_per_index: 1 max_failed_indexes: 10",
            {"spec.maxFailedIndexes: Invalid value: 10: must be less than or "
             "equal to completions"}},
        ValidationCase{
            "WideJobs",
            std::string(kIndexed) + "parallelism: 100001",
            {"spec.parallelism: Invalid value: 100001: must be less than or "
             "equal to 100000 when completion mode is Indexed"}},
        ValidationCase{"ManyIndexes",
                       std::string(kManyIndexes) +
                           "max_failed_indexes: 10000 parallelism: 10000",
                       {}},
        ValidationCase{
            "TooManyFailedIndexes",
            std::string(kManyIndexes) + "max_failed_indexes: 100001",
            {"spec.maxFailedIndexes: Invalid value: 100001: must be less than "
             "or equal to 100000",
             "spec.maxFailedIndexes: Invalid value: 100001: must be less than "
             "or equal to 10000 when completions are above 100000 and used "
             "with backoff limit per index"}},
        ValidationCase{
            "AlwaysRestarting",
            "template { spec { restart_policy: 'Always' } }",
            {"spec.template.spec.restartPolicy: Required value: valid values: "
             "\"OnFailure\", \"Never\""}},
        ValidationCase{
            "PolicyWithOnFailure",
            Policy(kRule) + "template { spec { restart_policy: 'OnFailure' } }",
            {"spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": "
             "only \"Never\" is supported when podFailurePolicy is "
             "specified"}},
        ValidationCase{"SuccessPolicyNeedsIndexes",
                       "success_policy { rules { succeeded_count: 1 } }",
                       {"spec.successPolicy: Invalid value: "
                        "{\"Rules\":[{\"SucceededIndexes\":null,"
                        "\"SucceededCount\":1}]}: requires indexed "
                        "completion mode"}}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    PodFailurePolicies, JobSpecRefusalsTest,
    ::testing::Values(
        ValidationCase{"EmptyList", Policy(""), {}},
        ValidationCase{"TwentyRules", Policy(Repeat(kRule, 20)), {}},
        ValidationCase{"TwentyOneRules",
                       Policy(Repeat(kRule, 21)),
                       {"spec.podFailurePolicy.rules: Too many: 21: must have "
                        "at most 20 items"}},
        ValidationCase{"InitContainersAreKnownToo",
                       Policy("rules { action: 'Count' on_exit_codes { "
                              "container_name: 'init' operator: 'In' values: "
                              "-5 values: 300 } }"),
                       {}},
        ValidationCase{
            "NoValues",
            Policy("rules { action: 'Count' on_exit_codes { operator: 'In' } "
                   "}"),
            {"spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid "
             "value: []: at least one value is required"}},
        ValidationCase{
            "ZeroWithIn",
            Policy("rules { action: 'Count' on_exit_codes { operator: 'In' "
                   "values: 0 } }"),
            {"spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid "
             "value: 0: must not be 0 for the In operator"}},
        ValidationCase{"ZeroWithNotIn",
                       Policy("rules { action: 'Count' on_exit_codes { "
                              "operator: 'NotIn' values: 0 } }"),
                       {}},
        ValidationCase{
            "FailIndexNeedsALimitPerIndex",
            Policy("rules { action: 'FailIndex' on_exit_codes { operator: "
                   "'In' values: 1 } }"),
            {"spec.podFailurePolicy.rules[0].action: Invalid value: "
             "\"FailIndex\": requires the backoffLimitPerIndex to be set"}},
        ValidationCase{
            "BothRequirements",
            Policy("rules { action: 'Count' on_exit_codes { operator: 'In' "
                   "values: 1 } on_pod_conditions { type: 'X' status: 'True' } "
                   "}"),
            {"spec.podFailurePolicy.rules[0]: Invalid value: specifying both "
             "OnExitCodes and OnPodConditions is not supported"}}),
    [](const auto& test) { return test.param.name; });

std::string Success(const std::string& rules) {
  return std::string(kIndexed) + "success_policy { " + rules + " }";
}

INSTANTIATE_TEST_SUITE_P(
    SuccessPolicies, JobSpecRefusalsTest,
    ::testing::Values(
        ValidationCase{"Good",
                       Success("rules { succeeded_indexes: '0,2-4' "
                               "succeeded_count: 4 }"),
                       {}},
        ValidationCase{"NoRules",
                       Success(""),
                       {"spec.successPolicy.rules: Required value: at least "
                        "one rules must be specified when the successPolicy is "
                        "specified"}},
        ValidationCase{"EmptyRule",
                       Success("rules {}"),
                       {"spec.successPolicy.rules[0]: Required value: at least "
                        "one of succeededCount or succeededIndexes must be "
                        "specified"}},
        ValidationCase{
            "IndexBeyond",
            Success("rules { succeeded_indexes: '9' }"),
            {"spec.successPolicy.rules[0].succeededIndexes: Invalid value: "
             "\"9\": error parsing succeededIndexes: too large index: \"9\""}},
        ValidationCase{
            "FallingIndexes",
            Success("rules { succeeded_indexes: '3-2' }"),
            {"spec.successPolicy.rules[0].succeededIndexes: Invalid value: "
             "\"3-2\": error parsing succeededIndexes: non-increasing order, "
             "previous: 3, current: 2"}},
        ValidationCase{
            "CountAboveIndexes",
            Success("rules { succeeded_indexes: '1,2' succeeded_count: 3 }"),
            {"spec.successPolicy.rules[0].succeededCount: Invalid value: 3: "
             "must be less than or equal to 2 (the number of indexes in the "
             "specified succeededIndexes field)"}}),
    [](const auto& test) { return test.param.name; });

TEST(ValidateJobSpecTest, APastedSpecNeedsNoTemplate) {
  EXPECT_THAT(ValidateJobSpec(Parse<JobSpec>(Policy(
                                  "rules { action: 'Count' on_exit_codes { "
                                  "container_name: 'any' operator: 'In' "
                                  "values: 1 } }")))
                  .errors,
              IsEmpty());
}

TEST(ValidateJobSpecTest, UnknownActionsAndOperatorsAreWarnings) {
  const auto issues = ValidateJobSpec(
      Parse<JobSpec>(kTemplate + Policy("rules { action: 'Requeue' "
                                        "on_exit_codes { operator: 'Range' "
                                        "values: 2 values: 1 } }")));
  EXPECT_THAT(issues.warnings,
              ElementsAre(HasSubstr("rules[0].action"),
                          HasSubstr("rules[0].onExitCodes.operator")));
  ASSERT_EQ(issues.errors.size(), 1);
  EXPECT_EQ(issues.errors[0].detail, "must be ordered");
}

}  // namespace
}  // namespace mulligan::job
