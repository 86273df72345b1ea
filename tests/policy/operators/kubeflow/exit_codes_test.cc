#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "policy/operators/kubeflow/reconcile.h"
#include "tests/policy/operators/kubeflow/test_objects.h"

namespace mulligan::kubeflow {
namespace {

struct CodeCase {
  std::int32_t code;
  bool now;
  bool in_2018;
};

class TrainingJobExitCodeTest : public testing::TestWithParam<CodeCase> {};

TEST_P(TrainingJobExitCodeTest, IsRetriedByTheTable) {
  EXPECT_EQ(IsRetryableExitCode(GetParam().code, ExitCodeTable::kAtLeast128),
            GetParam().now);
  EXPECT_EQ(IsRetryableExitCode(GetParam().code, ExitCodeTable::kTf2018),
            GetParam().in_2018);
}

const CodeCase kCodeCases[] = {
    {std::numeric_limits<std::int32_t>::min(), false, false},
    {-1, false, false},
    {0, false, false},
    {1, false, false},
    {2, false, false},
    {3, false, false},
    {126, false, false},
    {127, false, false},
    // The two truths part here.
    {128, true, false},
    {130, true, true},
    {134, true, false},
    {137, true, true},
    {138, true, true},
    {139, true, false},
    {143, true, true},
    {255, true, false},
    {0xbeef, true, false},
    {std::numeric_limits<std::int32_t>::max(), true, false},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainingJobExitCodeTest,
                         testing::ValuesIn(kCodeCases));

TEST(ExitCodeOfTest, ReadsTheNamedContainerOnly) {
  Pod pod = PodAt("Worker", 0, "Failed", 137);
  EXPECT_EQ(ExitCodeOf(pod, "tensorflow"), 137);
  EXPECT_EQ(ExitCodeOf(pod, "pytorch"), 0xbeef);
}

TEST(ExitCodeOfTest, HasAPlaceholderForAPodWithoutStatus) {
  EXPECT_EQ(ExitCodeOf(PodAt("Worker", 0, "Failed"), "tensorflow"), 0xbeef);
}

}  // namespace
}  // namespace mulligan::kubeflow
