// The summary of work that runs, through the whole of Decide.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Parse;
using ::testing::StartsWith;

using RunningSummaryTest = DecideTest;

// Operators count differently: Spark from 1 with the first attempt, a JobSet
// from 0 with the first restart.
TEST_F(RunningSummaryTest, OnlyCountedFailuresAreReportedAsEarlierFailures) {
  const struct {
    const char* work;   // up to the counter
    const char* first;  // the counter in the first attempt
    const char* later;  // the counter after a failure
  } kKinds[] = {
      {"jobs { metadata { name: 'j' uid: 'u' } status { active: 1 ", "",
       "failed: 1"},
      {"job_set { metadata { name: 'j' uid: 'u' } status { ", "restarts: 0",
       "restarts: 2"},
      {"ray_job { metadata { name: 'j' uid: 'u' } status {"
       " job_deployment_status: 'Running' job_status: 'RUNNING' ",
       "failed: 0", "failed: 1"},
      {"spark_application { metadata { name: 'j' uid: 'u' } status {"
       " application_state { state: 'RUNNING' } submission_attempts: 1 ",
       "execution_attempts: 1", "execution_attempts: 2"},
  };
  for (const auto& kind : kKinds) {
    const auto summary = [&](const char* counter) {
      return Ask(Parse<v1::DecideRequest>(
                     absl::StrCat("report { ", kind.work, counter, " } } }")))
          .diagnosis()
          .summary();
    };
    EXPECT_THAT(summary(kind.first), StartsWith("Nothing has failed"))
        << kind.work;
    EXPECT_THAT(summary(kind.later), StartsWith("Earlier attempts failed ("))
        << kind.work;
    EXPECT_THAT(summary(kind.later), HasSubstr("the work goes on"))
        << kind.work;
  }
}

}  // namespace
}  // namespace mulligan
