#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/job/objects.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
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

// tests/oracle has the API server's refusals.
TEST(ValidateJobSpecTest, AcceptsEveryLimitAtItsBound) {
  for (const std::string& spec :
       {std::string("backoff_limit: 0 parallelism: 0 completions: 0 "
                    "active_deadline_seconds: 0 ttl_seconds_after_finished: 0"),
        std::string(kManyIndexes) +
            "max_failed_indexes: 10000 parallelism: 10000",
        Policy(""), Policy(Repeat(kRule, 20)),
        Policy("rules { action: 'Count' on_exit_codes { container_name: 'init' "
               "operator: 'In' values: -5 values: 300 } }"),
        Policy("rules { action: 'Count' on_exit_codes { operator: 'NotIn' "
               "values: 0 } }"),
        std::string(kIndexed) + "success_policy { rules { succeeded_indexes: "
                                "'0,2-4' succeeded_count: 4 } }"}) {
    EXPECT_THAT(Refusals(spec), IsEmpty()) << spec;
  }
}

TEST(ValidateJobSpecTest, RefusesTooManyFailedIndexesTwice) {
  EXPECT_THAT(
      Refusals(std::string(kManyIndexes) + "max_failed_indexes: 100001"),
      ElementsAre("spec.maxFailedIndexes: Invalid value: 100001: must be less "
                  "than or equal to 100000",
                  "spec.maxFailedIndexes: Invalid value: 100001: must be less "
                  "than or equal to 10000 when completions are above 100000 "
                  "and used with backoff limit per index"));
}

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
