// Settings, submitter, clean-up, pods and status of clusters.
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/rayjob/report.h"
#include "policy/native/rayjob/settings.h"
#include "tests/native/rayjob/test_objects.h"
#include "tests/testing/param_name.h"

namespace mulligan::rayjob {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::NativeSemantics Release(const std::string& release) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kuberay"] = release;
  return semantics;
}

TEST(KubeRaySettingsTest, ReleasesBringFeatures) {
  EXPECT_EQ(SettingsFor({}).semantics, "kuberay 1.7");
  const auto old = SettingsFor(Release("v1.5.1"));
  EXPECT_EQ(old.semantics, "kuberay 1.5");
  EXPECT_TRUE(old.settings.backoff_limit);
  EXPECT_FALSE(old.settings.deletion_policy);
  EXPECT_FALSE(old.settings.pre_running_deadline);
  EXPECT_FALSE(old.settings.status_check_timeout);
  EXPECT_FALSE(SettingsFor(Release("1.1")).settings.backoff_limit);
  EXPECT_THAT(old.warnings, IsEmpty());
}

TEST(KubeRaySettingsTest, UnknownReleasesAreTheLatestWithAWarning) {
  for (const char* const release : {"1.99", "2.0", "1.x", "", "1.-3"}) {
    const auto setup = SettingsFor(Release(release));
    EXPECT_EQ(setup.semantics, "kuberay 1.7") << release;
    EXPECT_THAT(setup.warnings, ElementsAre(HasSubstr("versions.kuberay")));
  }
}

TEST(KubeRaySettingsTest, GatesAndVariablesOverrideTheRelease) {
  v1::NativeSemantics semantics = Release("1.5");
  (*semantics.mutable_feature_gates())["RayJobDeletionPolicy"] = true;
  (*semantics.mutable_feature_gates())["RestartJob"] = true;
  (*semantics
        .mutable_settings())["kuberay.RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS"] =
      "60";
  (*semantics.mutable_settings())["kuberay.TYPO"] = "1";
  (*semantics.mutable_settings())["kueue.waitForPodsReady"] = "1";
  const auto setup = SettingsFor(semantics);
  EXPECT_TRUE(setup.settings.deletion_policy);
  EXPECT_EQ(setup.settings.status_check_timeout_seconds, 60);
  EXPECT_THAT(setup.warnings, ElementsAre(HasSubstr("kuberay.TYPO")));
}

struct SecondsCase {
  std::string text;
  std::int64_t status_check;
  std::int64_t grace_period;
};

class KubeRaySecondsTest : public testing::TestWithParam<SecondsCase> {};

TEST_P(KubeRaySecondsTest, AreReadLikeGo) {
  const SecondsCase& test = GetParam();
  v1::NativeSemantics semantics;
  auto& texts = *semantics.mutable_settings();
  texts["kuberay.RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS"] = test.text;
  texts["kuberay.RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS"] =
      test.text;
  const Settings settings = SettingsFor(semantics).settings;
  EXPECT_EQ(settings.status_check_timeout_seconds, test.status_check);
  EXPECT_EQ(settings.transition_grace_period_seconds, test.grace_period);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, KubeRaySecondsTest,
    testing::Values(SecondsCase{"120", 120, 120}, SecondsCase{"+7", 7, 7},
                    SecondsCase{"0", 300, 0}, SecondsCase{"-5", 300, -5},
                    SecondsCase{"", 300, 300}, SecondsCase{"abc", 300, 300},
                    SecondsCase{"1.5", 300, 300}, SecondsCase{" 1", 300, 300},
                    SecondsCase{"+-1", 300, 300}, SecondsCase{"1s", 300, 300},
                    SecondsCase{"99999999999999999999", 300, 300}),
    [](const auto& row) { return ParamName(row.index, row.param.text); });

// The state of a submitter that may restart.
bool HasFailed(const std::string& spec, const Pod& head) {
  Settings settings;
  settings.sidecar_submitter_restart = true;
  return StateOfSubmitterContainer(Parse<RayJobSpec>(spec), head, settings)
      .failed;
}

TEST(RayJobSubmitterTest, InnerBudget) {
  EXPECT_FALSE(HasFailed("", HeadPod(1, 1)));
  EXPECT_TRUE(HasFailed("", HeadPod(1, 2)));
  const std::string large = "submitter_config { backoff_limit: 88 }";
  EXPECT_FALSE(HasFailed(large, HeadPod(1, 87)));
  EXPECT_TRUE(HasFailed(large, HeadPod(1, 88)));
  EXPECT_TRUE(HasFailed("submitter_config { backoff_limit: 0 }", HeadPod()));
}

TEST(RayJobSubmitterTest, RestartsAreCountedUnlessItSucceeded) {
  EXPECT_TRUE(HasFailed("", HeadPod(-1, 2)));
  EXPECT_FALSE(HasFailed("", HeadPod(0, 3)));
}

TEST(RayJobSubmitterTest, AGateLetsTheContainerRestart) {
  Settings settings;
  EXPECT_TRUE(StateOfSubmitterContainer({}, HeadPod(1, 0), settings).failed);
  settings.sidecar_submitter_restart = true;
  EXPECT_FALSE(StateOfSubmitterContainer({}, HeadPod(1, 0), settings).failed);
  EXPECT_TRUE(StateOfSubmitterContainer({}, HeadPod(1, 2), settings).failed);
  EXPECT_FALSE(StateOfSubmitterContainer({}, Pod(), settings).failed);
}

Pod PodWith(const std::string& policy, const std::string& phase,
            bool ended = false) {
  Pod pod;
  pod.mutable_metadata()->set_name(phase);
  pod.mutable_spec()->set_restart_policy(policy);
  pod.mutable_spec()->add_containers()->set_name("ray");
  pod.mutable_status()->set_phase(phase);
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name("ray");
  if (ended) container.mutable_state()->mutable_terminated();
  return pod;
}

TEST(RayClusterPodsTest, EndedPodsAreDeletedOthersAreTheKubelets) {
  for (const char* const policy : {"Always", "OnFailure", "Never"}) {
    EXPECT_TRUE(ShouldDeletePod(PodWith(policy, "Failed")));
    EXPECT_TRUE(ShouldDeletePod(PodWith(policy, "Succeeded")));
    EXPECT_FALSE(ShouldDeletePod(PodWith(policy, "Running")));
    EXPECT_FALSE(ShouldDeletePod(PodWith(policy, "Pending", true)));
  }
  EXPECT_TRUE(ShouldDeletePod(PodWith("Never", "Running", true)));
  EXPECT_FALSE(ShouldDeletePod(PodWith("OnFailure", "Running", true)));
  EXPECT_FALSE(ShouldDeletePod(Pod()));
}

}  // namespace
}  // namespace mulligan::rayjob
