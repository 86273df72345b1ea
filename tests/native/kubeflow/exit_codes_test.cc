#include <cstdint>
#include <limits>
#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "policy/native/kubeflow/reconcile.h"
#include "tests/native/kubeflow/test_objects.h"
#include "tests/testing/param_name.h"

namespace mulligan::kubeflow {
namespace {

struct CodeCase {
  std::int32_t code;
  bool retryable;

  friend std::ostream& operator<<(std::ostream& out, const CodeCase& row) {
    return out << row.code;
  }
};

class TrainingJobExitCodeTest : public testing::TestWithParam<CodeCase> {};

TEST_P(TrainingJobExitCodeTest, IsRetriedByTheTable) {
  EXPECT_EQ(IsRetryableExitCode(GetParam().code), GetParam().retryable);
}

const CodeCase kCodeCases[] = {
    {std::numeric_limits<std::int32_t>::min(), false},
    {-1, false},
    {0, false},
    {1, false},
    {2, false},
    {3, false},
    {126, false},
    {127, false},
    {128, true},
    {130, true},
    {134, true},
    {137, true},
    {138, true},
    {139, true},
    {143, true},
    {255, true},
    {0xbeef, true},
    {std::numeric_limits<std::int32_t>::max(), true},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainingJobExitCodeTest,
                         testing::ValuesIn(kCodeCases), [](const auto& row) {
                           return ParamName(row.index,
                                            std::to_string(row.param.code));
                         });

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
