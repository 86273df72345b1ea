#include "policy/native/rayjob/validation.h"

#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/native/rayjob/test_objects.h"

namespace mulligan::rayjob {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCluster =
    "ray_cluster_spec { head_group_spec { template { spec { containers { } } "
    "} } } ";

struct SpecCase {
  std::string name;
  std::string spec;
  // Parts of the first refusal; no detail: not refused.
  std::string field;
  std::string detail;
};

void PrintTo(const SpecCase& test, std::ostream* out) { *out << test.name; }

// Refusals that tests/oracle does not record.
class RayJobSpecTest : public testing::TestWithParam<SpecCase> {};

TEST_P(RayJobSpecTest, IsRefusedWithKubeRaysMessages) {
  const SpecCase& test = GetParam();
  const FieldErrors errors =
      ValidateRayJobSpec(Parse<RayJobSpec>(test.spec), {});
  if (test.detail.empty()) {
    EXPECT_TRUE(errors.empty()) << errors.front().detail;
    return;
  }
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors.front().field, HasSubstr(test.field));
  EXPECT_THAT(errors.front().detail, HasSubstr(test.detail));
}

std::string On(const std::string& rest) { return kCluster + rest; }

INSTANTIATE_TEST_SUITE_P(
    Specs, RayJobSpecTest,
    testing::Values(SpecCase{"Good", On("backoff_limit: 3"), "", ""},
                    SpecCase{"NoCluster", "", "spec.rayClusterSpec", "one of"},
                    SpecCase{"SelectorWithoutName",
                             "cluster_selector { key: 'a' value: 'b' }",
                             "spec.clusterSelector", "should not be empty"},
                    SpecCase{
                        "SelectorAlone",
                        "cluster_selector { key: 'ray.io/cluster' value: 'b' }",
                        "", ""}),
    [](const auto& test) { return test.param.name; });

std::string Rules(const std::string& rules) {
  return On("deletion_strategy { " + rules + " }");
}
const std::string kOnFailed = "condition { job_status: 'FAILED' ";

INSTANTIATE_TEST_SUITE_P(
    Strategies, RayJobSpecTest,
    testing::Values(
        SpecCase{"BranchWithoutPolicy",
                 Rules("on_success { policy: 'DeleteNone' } on_failure { }"),
                 "", "OnFailure cannot be unset"},
        SpecCase{"RulesAndBranches",
                 Rules("deletion_rules { policy: 'DeleteSelf' " + kOnFailed +
                       "} } on_success { policy: 'DeleteSelf' }"),
                 "", "simultaneously"},
        SpecCase{"RuleWithoutState",
                 Rules("deletion_rules { policy: 'DeleteSelf' }"), "",
                 "exactly one of"},
        SpecCase{"RuleWithBothStates",
                 Rules("deletion_rules { policy: 'DeleteSelf' " + kOnFailed +
                       "job_deployment_status: 'Failed' } }"),
                 "", "at the same time"},
        SpecCase{"SeveralAreReportedAsOne",
                 Rules("deletion_rules { policy: 'DeleteSelf' " + kOnFailed +
                       "ttl_seconds: -1 } } deletion_rules { policy: "
                       "'DeleteCluster' " +
                       kOnFailed + "ttl_seconds: -2 } }"),
                 "",
                 "deletionRules[0]: TTLSeconds must be non-negative\n"
                 "deletionRules[1]: TTLSeconds must be non-negative"}),
    [](const auto& test) { return test.param.name; });

TEST(RayJobValidationTest, ReportsAllRefusals) {
  EXPECT_GE(ValidateRayJobSpec(
                Parse<RayJobSpec>("suspend: true backoff_limit: -1"), {})
                .size(),
            3U);
}

TEST(RayJobValidationTest, GateAndReleaseDecideWhatIsChecked) {
  Settings settings;
  settings.deletion_policy = false;
  settings.pre_running_deadline = false;
  const FieldErrors errors = ValidateRayJobSpec(
      Parse<RayJobSpec>(On("deletion_strategy { } "
                           "pre_running_deadline_seconds: -1")),
      settings);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0].detail, HasSubstr("feature gate must be enabled"));
}

TEST(RayJobValidationTest, Names) {
  RayJob job = RayJobIn(kNew);
  const auto refusals = [&](const std::string& name) {
    job.mutable_metadata()->set_name(name);
    return ValidateRayJob(job, {}).size();
  };
  EXPECT_EQ(refusals(std::string(47, 'j')), 0U);
  EXPECT_EQ(refusals(std::string(48, 'j')), 1U);
  for (const char* const name : {"1abc", "Abc", "a-", "a.b", ""}) {
    EXPECT_EQ(refusals(name), 1U) << name;
  }
}

TEST(RayJobValidationTest, WaitingIsForInteractiveMode) {
  EXPECT_EQ(ValidateRayJob(RayJobIn(kWaiting), {}).size(), 1U);
  EXPECT_THAT(ValidateRayJob(
                  RayJobIn(kWaiting, "submission_mode: 'InteractiveMode'"), {}),
              IsEmpty());
}

TEST(RayJobValidationTest, WarnsOfNewerModes) {
  EXPECT_THAT(RayJobSpecWarnings(Parse<RayJobSpec>("submission_mode: 'Mail'")),
              ElementsAre(HasSubstr("'Mail'")));
  EXPECT_THAT(RayJobSpecWarnings({}), IsEmpty());
}

}  // namespace
}  // namespace mulligan::rayjob
