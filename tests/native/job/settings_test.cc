#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/job/objects.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Setup<Gates> ForRelease(const char* release) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kubernetes"] = release;
  return GatesFor(semantics);
}

TEST(GatesForTest, TheDefaultIsTheLatestRelease) {
  const auto setup = GatesFor(v1::NativeSemantics());
  EXPECT_EQ(setup.semantics, "kubernetes 1.34");
  EXPECT_TRUE(setup.settings.managed_by);
  EXPECT_TRUE(setup.settings.interim_conditions);
  EXPECT_THAT(setup.warnings, IsEmpty());
}

TEST(GatesForTest, AReleaseSetsItsDefaults) {
  const auto setup = ForRelease("v1.30.2");
  EXPECT_EQ(setup.semantics, "kubernetes 1.30");
  EXPECT_TRUE(setup.settings.pod_replacement_policy);
  EXPECT_FALSE(setup.settings.success_policy);
  EXPECT_FALSE(setup.settings.interim_conditions);
  EXPECT_FALSE(ForRelease("1.28").settings.backoff_limit_per_index);
  EXPECT_FALSE(ForRelease("1.25").settings.pod_failure_policy);
}

TEST(GatesForTest, AGateOverrulesTheRelease) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kubernetes"] = "1.31";
  (*semantics.mutable_feature_gates())["JobManagedBy"] = true;
  (*semantics.mutable_feature_gates())["JobSuccessPolicy"] = false;
  (*semantics.mutable_feature_gates())["RestartJob"] = true;
  const auto setup = GatesFor(semantics);
  EXPECT_TRUE(setup.settings.managed_by);
  EXPECT_FALSE(setup.settings.success_policy);
  EXPECT_THAT(setup.warnings, IsEmpty());
  EXPECT_THAT(setup.gates, ElementsAre("JobSuccessPolicy", "JobManagedBy"));
}

TEST(GatesForTest, AnUnreadableReleaseIsReported) {
  for (const char* release : {"latest", "2.0", "1.", "1.x", "1.30x"}) {
    EXPECT_THAT(ForRelease(release).warnings,
                ElementsAre(HasSubstr("versions.kubernetes")))
        << release;
  }
}

TEST(GatesForTest, BehaviourOfAReleaseHasNoGate) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_feature_gates())[""] = false;
  EXPECT_TRUE(GatesFor(semantics).settings.interim_conditions);
  EXPECT_THAT(GatesFor(semantics).gates, IsEmpty());
}

TEST(SetJobDefaultsTest, FillsInAbsentFields) {
  JobSpec spec;
  SetJobDefaults(Gates(), spec);
  EXPECT_EQ(spec.completions(), 1);
  EXPECT_EQ(spec.parallelism(), 1);
  EXPECT_EQ(spec.backoff_limit(), 6);
  EXPECT_EQ(spec.pod_replacement_policy(), "TerminatingOrFailed");
  auto indexed = Parse<JobSpec>(
      "parallelism: 3 backoff_limit_per_index: 0 pod_failure_policy { rules { "
      "on_pod_conditions { type: 'X' } } }");
  SetJobDefaults(Gates(), indexed);
  EXPECT_FALSE(indexed.has_completions());
  EXPECT_EQ(indexed.backoff_limit(), 2147483647);
  EXPECT_EQ(indexed.pod_replacement_policy(), "Failed");
  EXPECT_EQ(indexed.pod_failure_policy().rules(0).on_pod_conditions(0).status(),
            "True");
  auto given = Parse<JobSpec>("backoff_limit: 0 completions: 4");
  SetJobDefaults(Gates(), given);
  EXPECT_EQ(given.backoff_limit(), 0);
  EXPECT_EQ(given.parallelism(), 1);
}

}  // namespace
}  // namespace mulligan::job
