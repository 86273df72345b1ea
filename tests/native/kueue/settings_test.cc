#include "policy/native/kueue/settings.h"

#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::kueue {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::NativeSemantics SemanticsWith(const std::string& name,
                                  const std::string& value) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_settings())["kueue." + name] = value;
  return semantics;
}

TEST(KueueSettingsForTest, DefaultsAreKueues) {
  const auto setup = SettingsFor(v1::NativeSemantics());
  EXPECT_THAT(setup.warnings, IsEmpty());
  const WaitForPodsReady& settings = setup.settings.wait_for_pods_ready;
  EXPECT_EQ(settings.timeout, absl::Minutes(30));
  EXPECT_EQ(settings.recovery_timeout, absl::Minutes(30));
  EXPECT_FALSE(settings.backoff_limit_count.has_value());
}

TEST(KueueSettingsForTest, RecoveryFollowsTheTimeoutAndZeroSwitchesItOff) {
  v1::NativeSemantics semantics =
      SemanticsWith("waitForPodsReady.timeout", "5m");
  EXPECT_EQ(
      SettingsFor(semantics).settings.wait_for_pods_ready.recovery_timeout,
      absl::Minutes(5));
  (*semantics.mutable_settings())["kueue.waitForPodsReady.recoveryTimeout"] =
      "0s";
  EXPECT_FALSE(SettingsFor(semantics)
                   .settings.wait_for_pods_ready.recovery_timeout.has_value());
}

struct BadSetting {
  const char* name;
  const char* setting;
  const char* value;
  const char* says;
};

class KueueBadSettingTest : public testing::TestWithParam<BadSetting> {};

TEST_P(KueueBadSettingTest, IsNamedAndIgnored) {
  const BadSetting& test = GetParam();
  const auto setup = SettingsFor(SemanticsWith(test.setting, test.value));
  EXPECT_THAT(setup.warnings, ElementsAre(AllOf(HasSubstr(test.setting),
                                                HasSubstr(test.says))));
  EXPECT_EQ(setup.settings.wait_for_pods_ready.timeout, absl::Minutes(30));
}

INSTANTIATE_TEST_SUITE_P(
    Table, KueueBadSettingTest,
    testing::Values(
        BadSetting{"NoDuration", "waitForPodsReady.timeout", "soon",
                   "is not a duration"},
        BadSetting{"Zero", "waitForPodsReady.timeout", "0s", "Required value"},
        BadSetting{"Negative", "waitForPodsReady.timeout", "-1s",
                   "must be greater than or equal to 0"},
        BadSetting{"NoNumber",
                   "waitForPodsReady.requeuingStrategy.backoffLimitCount", "x",
                   "whole number"},
        BadSetting{"TooLarge",
                   "waitForPodsReady.requeuingStrategy.backoffLimitCount",
                   "99999999999", "whole number"},
        BadSetting{"UnknownTimestamp",
                   "waitForPodsReady.requeuingStrategy.timestamp", "Now",
                   "Unsupported value"},
        BadSetting{"NoFlag", "waitForPodsReady.blockAdmission", "yes",
                   "true or false"},
        BadSetting{"Unknown", "waitForPodsReady.patience", "1",
                   "no setting of Kueue"}),
    [](const auto& test) { return test.param.name; });

TEST(KueueGatesForTest, TheReleaseDecidesAndGatesOverride) {
  v1::NativeSemantics semantics;
  EXPECT_TRUE(SettingsFor(semantics).settings.gates.skip_pod_owned_workloads);
  EXPECT_FALSE(
      SettingsFor(semantics).settings.gates.reactivates_own_deactivations);
  (*semantics.mutable_versions())["kueue"] = "v0.18.1";
  EXPECT_FALSE(SettingsFor(semantics).settings.gates.skip_pod_owned_workloads);
  (*semantics.mutable_feature_gates())["SkipReassignmentForPodOwnedWorkloads"] =
      true;
  EXPECT_TRUE(SettingsFor(semantics).settings.gates.skip_pod_owned_workloads);
  EXPECT_EQ(SettingsFor(semantics).semantics, "kueue 0.18");
  (*semantics.mutable_versions())["kueue"] = "0.20";
  EXPECT_TRUE(
      SettingsFor(semantics).settings.gates.reactivates_own_deactivations);
}

TEST(KueueGatesForTest, NamesUnknownReleases) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kueue"] = "nightly";
  EXPECT_THAT(SettingsFor(semantics).warnings,
              ElementsAre(HasSubstr("nightly")));
}

}  // namespace
}  // namespace mulligan::kueue
