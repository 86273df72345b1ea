#include <array>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "policy/native/rayjob/decision.h"
#include "tests/native/rayjob/test_objects.h"

namespace mulligan::rayjob {
namespace {

constexpr std::array<std::string_view, 6> kReasons = {
    kAppFailed,           kSubmissionFailed, kPreRunningDeadlineExceeded,
    kGracePeriodExceeded, kDeadlineExceeded, kStatusCheckTimeoutExceeded};

struct GateCase {
  std::string name;
  std::string spec;
  std::string status;
  std::string state_after;
  int failed_after;
  int succeeded_after;
};

void PrintTo(const GateCase& test, std::ostream* out) { *out << test.name; }

class RayJobRetryGateTest : public testing::TestWithParam<GateCase> {};

TEST_P(RayJobRetryGateTest, CountsAndDecides) {
  const GateCase& test = GetParam();
  RayJobStatus status = Parse<RayJobStatus>(test.status);
  ApplyRetryGate(Parse<RayJobSpec>(test.spec), {}, status);
  EXPECT_EQ(status.job_deployment_status(), test.state_after);
  EXPECT_EQ(status.failed(), test.failed_after);
  EXPECT_EQ(status.succeeded(), test.succeeded_after);
}

const std::string kFailedFor = "job_deployment_status: 'Failed' reason: ";

INSTANTIATE_TEST_SUITE_P(
    Gate, RayJobRetryGateTest,
    testing::Values(
        GateCase{"NoLimitMeansNoRetry", "", kFailedFor + "'AppFailed'",
                 "Failed", 1, 0},
        GateCase{"LimitZeroMeansNoRetry", "backoff_limit: 0",
                 kFailedFor + "'AppFailed'", "Failed", 1, 0},
        GateCase{"TheLimitCountsRetries", "backoff_limit: 1",
                 kFailedFor + "'AppFailed'", "Retrying", 1, 0},
        GateCase{"AttemptsAreOneMore", "backoff_limit: 1",
                 kFailedFor + "'AppFailed' failed: 1", "Failed", 2, 0},
        GateCase{"SubmissionsAreRetried", "backoff_limit: 1",
                 kFailedFor + "'SubmissionFailed'", "Retrying", 1, 0},
        GateCase{"NeverStartedIsRetried", "backoff_limit: 1",
                 kFailedFor + "'PreRunningDeadlineExceeded'", "Retrying", 1, 0},
        GateCase{
            "GracePeriodsAreRetried", "backoff_limit: 1",
            kFailedFor + "'JobDeploymentStatusTransitionGracePeriodExceeded'",
            "Retrying", 1, 0},
        GateCase{"DeadlinesAreCountedAndFinal", "backoff_limit: 9",
                 kFailedFor + "'DeadlineExceeded'", "Failed", 1, 0},
        GateCase{"UnreachableDashboardsAreFinal", "backoff_limit: 9",
                 kFailedFor + "'JobStatusCheckTimeoutExceeded'", "Failed", 1,
                 0},
        GateCase{"SuccessIsCounted", "backoff_limit: 9",
                 "job_deployment_status: 'Complete' job_status: 'SUCCEEDED' "
                 "failed: 1",
                 "Complete", 1, 1},
        GateCase{"StoppedCountsAsNeither", "",
                 "job_deployment_status: 'Complete' job_status: 'STOPPED'",
                 "Complete", 0, 0},
        GateCase{"AReasonOnACompleteJobIsNotAFailure", "backoff_limit: 1",
                 "job_deployment_status: 'Complete' reason: "
                 "'JobDeploymentStatusTransitionGracePeriodExceeded'",
                 "Complete", 0, 0},
        GateCase{"OtherStatesPass", "backoff_limit: 1",
                 "job_deployment_status: 'Running' failed: 1", "Running", 1,
                 0}),
    [](const auto& test) { return test.param.name; });

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

// A second implementation: runs attempts until one ends for good, or as many
// have failed as the limit allows.
std::string RunAttempts(int limit, const std::vector<std::string>& reasons,
                        int& failed) {
  failed = 0;
  for (const std::string& reason : reasons) {
    ++failed;
    if (reason == kDeadlineExceeded || reason == kStatusCheckTimeoutExceeded) {
      return std::string(kFailed);
    }
    if (failed > limit) return std::string(kFailed);
  }
  return std::string(kRetrying);
}

TEST(RayJobRetryGateTest, AgreesWithCountingAttempts) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int limit = static_cast<int>(random() % 6);
    std::vector<std::string> reasons;
    RayJobSpec spec;
    spec.set_backoff_limit(limit);
    RayJobStatus status;
    for (int attempt = 0; attempt < 8; ++attempt) {
      reasons.emplace_back(kReasons.at(random() % kReasons.size()));
      status.set_job_deployment_status(std::string(kFailed));
      status.set_reason(reasons.back());
      ApplyRetryGate(spec, {}, status);
      if (status.job_deployment_status() == kFailed) break;
    }
    int failed = 0;
    EXPECT_EQ(status.job_deployment_status(),
              RunAttempts(limit, reasons, failed));
    EXPECT_EQ(status.failed(), failed);
    EXPECT_LE(failed, limit + 1);
  }
}

}  // namespace
}  // namespace mulligan::rayjob
