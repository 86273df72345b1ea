#include "policy/operators/job/gates.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GateSetup ForRelease(const char* release) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kubernetes"] = release;
  return GatesFor(semantics);
}

TEST(GatesForTest, TheDefaultIsTheLatestRelease) {
  const GateSetup setup = GatesFor(v1::NativeSemantics());
  EXPECT_EQ(setup.semantics, "kubernetes 1.34");
  EXPECT_TRUE(setup.gates.managed_by);
  EXPECT_TRUE(DelaysTerminalCondition(setup.gates));
  EXPECT_THAT(setup.warnings, IsEmpty());
}

TEST(GatesForTest, AReleaseSetsTheDefaultsOfItsTime) {
  const GateSetup setup = ForRelease("v1.30.2");
  EXPECT_EQ(setup.semantics, "kubernetes 1.30");
  EXPECT_TRUE(setup.gates.pod_replacement_policy);
  EXPECT_FALSE(setup.gates.success_policy);
  EXPECT_FALSE(DelaysTerminalCondition(setup.gates));
  EXPECT_FALSE(ForRelease("1.28").gates.backoff_limit_per_index);
  EXPECT_FALSE(ForRelease("1.25").gates.pod_failure_policy);
}

TEST(GatesForTest, AGateOverrulesTheRelease) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kubernetes"] = "1.31";
  (*semantics.mutable_feature_gates())["JobManagedBy"] = true;
  (*semantics.mutable_feature_gates())["JobSuccessPolicy"] = false;
  (*semantics.mutable_feature_gates())["RestartJob"] = true;
  const GateSetup setup = GatesFor(semantics);
  EXPECT_TRUE(setup.gates.managed_by);
  EXPECT_FALSE(setup.gates.success_policy);
  EXPECT_THAT(setup.warnings, IsEmpty());
}

TEST(GatesForTest, AnUnreadableReleaseIsReported) {
  for (const char* release : {"latest", "2.0", "1.", "1.x", "1.30x"}) {
    EXPECT_THAT(ForRelease(release).warnings,
                ElementsAre(HasSubstr("versions.kubernetes")))
        << release;
  }
}

TEST(DelaysTerminalConditionTest, NeedsOneOfTwoGates) {
  Gates gates;
  gates.managed_by = false;
  EXPECT_TRUE(DelaysTerminalCondition(gates));
  gates.pod_replacement_policy = false;
  EXPECT_FALSE(DelaysTerminalCondition(gates));
}

}  // namespace
}  // namespace mulligan::job
