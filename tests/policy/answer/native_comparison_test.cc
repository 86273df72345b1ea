#include <string>

#include "gtest/gtest.h"
#include "policy/answer/native_decision.h"
#include "policy/compare.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

struct NativeComparisonRow {
  const char* name;
  const char* native;
  const char* ours;
  Divergence divergence;
  const char* text;
};

class CompareTest : public ::testing::TestWithParam<NativeComparisonRow> {};

TEST_P(CompareTest, NamesTheFirstDifference) {
  auto native = Parse<v1::NativeVerdict>(GetParam().native);
  native.set_operator_("Job");
  const auto ours = Parse<v1::Decision>(GetParam().ours);
  EXPECT_EQ(Compare(native, ours), GetParam().divergence);
  EXPECT_EQ(DifferenceText(native, ours), GetParam().text);
}

constexpr char kPlainRetry[] = "action: RETRY scope: POD queue: IN_PLACE ";

const NativeComparisonRow kNativeComparisonRows[] = {
    {"Same", "action: RETRY scope: POD queue: IN_PLACE delay { seconds: 10 }",
     "action: RETRY scope: POD queue: IN_PLACE retry_after { seconds: 10 }",
     Divergence::kNone, ""},
    {"DelaysWithinASecond",
     "action: RETRY scope: POD queue: IN_PLACE delay { seconds: 1 }",
     kPlainRetry, Divergence::kNone, ""},
    {"DelaysWithinATenth",
     "action: RETRY scope: POD queue: IN_PLACE delay { seconds: 600 }",
     "action: RETRY scope: POD queue: IN_PLACE retry_after { seconds: 545 }",
     Divergence::kNone, ""},
    {"OtherDelay", kPlainRetry,
     "action: RETRY scope: POD queue: IN_PLACE retry_after { seconds: 20 }",
     Divergence::kDelay,
     "Job: retry the pod at once; Mulligan: retry the pod in 20s"},
    {"OtherQueue", kPlainRetry, "action: RETRY scope: POD queue: REQUEUE",
     Divergence::kQueue,
     "Job: retry the pod at once; Mulligan: retry the pod at once through the "
     "queue"},
    {"OtherScope", "action: FAIL scope: INDEX", "action: FAIL scope: JOB",
     Divergence::kScope, "Job: fail the index; Mulligan: fail the Job"},
    {"FailuresHaveNoQueue", "action: FAIL scope: JOB queue: IN_PLACE",
     "action: FAIL scope: JOB", Divergence::kNone, ""},
    {"OnlyWeRetry", "action: FAIL scope: JOB", kPlainRetry,
     Divergence::kOnlyMulliganRetries,
     "Job: fail the Job; Mulligan: retry the pod at once"},
    {"OnlyTheyRetry", kPlainRetry, "action: FAIL scope: JOB",
     Divergence::kOnlyNativeRetries,
     "Job: retry the pod at once; Mulligan: fail the Job"},
    {"OtherActions", "action: FAIL scope: JOB",
     "action: WAIT retry_after { seconds: 60 }", Divergence::kAction,
     "Job: fail the Job; Mulligan: wait, and ask again in 1m"},
    {"NothingToDoHasNoScope", "action: IGNORE scope: JOB",
     "action: IGNORE scope: POD", Divergence::kNone, ""},
};

INSTANTIATE_TEST_SUITE_P(All, CompareTest,
                         ::testing::ValuesIn(kNativeComparisonRows),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(DecisionOfTest, TheLastAttemptExhaustsTheBudget) {
  auto native = Parse<v1::NativeVerdict>(
      "action: RETRY charged_to: 'backoffLimit' used: 5 limit: 6");
  EXPECT_FALSE(DecisionOf(native).last_attempt());
  native.set_used(6);
  EXPECT_TRUE(DecisionOf(native).last_attempt());
}

}  // namespace
}  // namespace mulligan
