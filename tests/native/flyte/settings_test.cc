#include "policy/native/flyte/settings.h"

#include <algorithm>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/native/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct RuleCase {
  std::string name;
  std::string version;
  bool Rules::*rule;
  bool holds;
};

void PrintTo(const RuleCase& test, std::ostream* out) { *out << test.name; }

class RulesTest : public testing::TestWithParam<RuleCase> {};

TEST_P(RulesTest, FollowTheRelease) {
  const RuleCase& test = GetParam();
  const auto setup = SettingsFor(Version(test.version));
  EXPECT_EQ(setup.settings.rules.*test.rule, test.holds);
  EXPECT_THAT(setup.warnings, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Releases, RulesTest,
    testing::Values(
        RuleCase{"UnexplainedNotYet", "1.15.0", &Rules::unexplained_is_system,
                 false},
        RuleCase{"Unexplained", "v1.15.1", &Rules::unexplained_is_system, true},
        RuleCase{"NodeReasonsNotYet", "1.15.4", &Rules::node_reasons_are_system,
                 false},
        RuleCase{"NodeReasons", "1.16.0", &Rules::node_reasons_are_system,
                 true},
        RuleCase{"UnknownPodsNotYet", "1.16.1", &Rules::judges_unknown_pods,
                 false},
        RuleCase{"UnknownPods", "1.16.2", &Rules::judges_unknown_pods, true},
        RuleCase{"UnknownPodsInFlyte2", "v2", &Rules::judges_unknown_pods,
                 false},
        RuleCase{"SidecarsNotYet", "1.15.3", &Rules::awaits_init_containers,
                 false},
        RuleCase{"Sidecars", "1.16.0", &Rules::awaits_init_containers, true},
        RuleCase{"OverdueWhileSuspended", "1.15.1",
                 &Rules::suspended_is_not_overdue, false},
        RuleCase{"NotOverdueWhileSuspended", "1.15.2",
                 &Rules::suspended_is_not_overdue, true},
        RuleCase{"SuspensionNotYet", "1.16.5", &Rules::suspended_is_queued,
                 false},
        RuleCase{"Suspension", "1.16", &Rules::suspended_is_queued, true},
        RuleCase{"SuspensionGotLost", "v2", &Rules::suspended_is_queued, false},
        RuleCase{"MpiAsTheOthers", "1.16.7", &Rules::mpi_has_own_messages,
                 false},
        RuleCase{"RayNotYet", "1.16.5", &Rules::ray_failure_is_system, false},
        RuleCase{"Ray", "v1", &Rules::ray_failure_is_system, true},
        RuleCase{"RayTurnedBack", "2.0.43", &Rules::ray_failure_is_system,
                 false},
        RuleCase{"RefusalNotYet", "1.16.6", &Rules::refusal_is_permanent,
                 false},
        RuleCase{"Refusal", "1.16.7", &Rules::refusal_is_permanent, true},
        RuleCase{"SoleExitNotYet", "2.0.43", &Rules::sole_exit_is_user, false}),
    [](const auto& test) { return test.param.name; });

TEST(SettingsTest, DefaultIsTheNewestFlyte1) {
  const auto setup = SettingsFor(v1::NativeSemantics());
  EXPECT_EQ(setup.semantics, "flyte v1 1.16");
  EXPECT_FALSE(setup.settings.rules.v2);
  EXPECT_EQ(SettingsFor(Version("v2")).semantics, "flyte v2 2.0.43");
}

TEST(SettingsTest, AcceptsANewerReleaseWithAWarning) {
  const auto setup = SettingsFor(Version("2.1.0"));
  EXPECT_TRUE(setup.settings.rules.sole_exit_is_user);
  EXPECT_THAT(setup.warnings, ElementsAre(HasSubstr("newer than what")));
}

TEST(SettingsTest, NamesAnInvalidRelease) {
  for (const char* const version :
       {"latest", "", "3.0.0", "1.2.3.4", "1.-1", "2.x"}) {
    const auto setup = SettingsFor(Version(version));
    EXPECT_THAT(setup.warnings, ElementsAre(HasSubstr("is no release")))
        << version;
    EXPECT_FALSE(setup.settings.rules.v2) << version;
  }
}

// Maps of messages are unordered.
TEST(SettingsTest, WarningsComeInTheOrderOfNames) {
  v1::NativeSemantics semantics;
  for (const char* const name : {"f", "b", "d", "h", "a", "g", "c", "e"}) {
    (*semantics.mutable_settings())[absl::StrCat("flyte.", name)] = "1";
    (*semantics.mutable_feature_gates())[absl::StrCat("flyte.", name)] = true;
  }
  const auto setup = SettingsFor(semantics);
  ASSERT_EQ(setup.warnings.size(), 16);
  EXPECT_TRUE(std::is_sorted(setup.warnings.begin(), setup.warnings.end()));
}

TEST(SettingsTest, ReadsSettingsByFlytesNames) {
  v1::NativeSemantics semantics;
  auto& settings = *semantics.mutable_settings();
  settings["flyte.image-pull-backoff-grace-period"] = "5m";
  settings["flyte.max-node-retries-system-failures"] = "30";
  settings["flyte.interruptible-failure-threshold"] = "-2";
  settings["flyte.ignore-retry-cause"] = "true";
  settings["kueue.waitForPodsReady.timeout"] = "5m";
  (*semantics.mutable_feature_gates())["flyte.pull-7899"] = true;
  (*semantics.mutable_feature_gates())["RestartJob"] = true;
  const auto setup = SettingsFor(semantics);
  EXPECT_THAT(setup.warnings, IsEmpty());
  EXPECT_EQ(setup.settings.image_pull_backoff_grace_period, absl::Minutes(5));
  EXPECT_EQ(setup.settings.max_node_retries_system_failures, 30);
  EXPECT_EQ(setup.settings.interruptible_failure_threshold, -2);
  EXPECT_TRUE(setup.settings.ignore_retry_cause);
  EXPECT_TRUE(setup.settings.rules.sole_exit_is_user);
}

TEST(SettingsTest, NamesAndIgnoresInvalidSettings) {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{
           {"flyte.pod-pending-timeout", "soon"},
           {"flyte.pod-pending-timeout", "-1m"},
           {"flyte.retries", "-1"},
           {"flyte.retries", "99999999999999999999"},
           {"flyte.default-max-attempts", "1.5"},
           {"flyte.ignore-retry-cause", "perhaps"},
           {"flyte.unheard-of", "1"}}) {
    v1::NativeSemantics semantics;
    (*semantics.mutable_settings())[name] = value;
    const auto setup = SettingsFor(semantics);
    EXPECT_THAT(setup.warnings, ElementsAre(HasSubstr(name))) << value;
    EXPECT_EQ(setup.settings.retries, 0);
    EXPECT_EQ(setup.settings.pod_pending_timeout, absl::ZeroDuration());
  }
  v1::NativeSemantics semantics;
  (*semantics.mutable_feature_gates())["flyte.unheard-of"] = true;
  EXPECT_THAT(SettingsFor(semantics).warnings,
              ElementsAre(HasSubstr("flyte.unheard-of")));
}

}  // namespace
}  // namespace mulligan::flyte
