#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "policy/native/rayjob/decision.h"
#include "tests/native/rayjob/test_objects.h"

namespace mulligan::rayjob {
namespace {

const std::string kFailedFor = "job_deployment_status: 'Failed' reason: ";

// The operator adds 32-bit integers: limit + 1 overflows to the lowest number.
TEST(RayJobRetryGateTest, TheLargestLimitNeverRetries) {
  RayJobStatus status = Parse<RayJobStatus>(kFailedFor + "'AppFailed'");
  RayJobSpec spec;
  spec.set_backoff_limit(std::numeric_limits<std::int32_t>::max());
  ApplyRetryGate(spec, {}, status);
  EXPECT_EQ(status.job_deployment_status(), kFailed);
}

TEST(RayJobRetryGateTest, ReleasesBeforeTheLimitNeverRetry) {
  Settings settings;
  settings.backoff_limit = false;
  RayJobStatus status = Parse<RayJobStatus>(kFailedFor + "'AppFailed'");
  ApplyRetryGate(Parse<RayJobSpec>("backoff_limit: 5"), settings, status);
  EXPECT_EQ(status.job_deployment_status(), kFailed);
}

}  // namespace
}  // namespace mulligan::rayjob
