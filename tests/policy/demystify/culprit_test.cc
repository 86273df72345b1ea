// The container that an answer names.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using ::testing::HasSubstr;

// The end of main, which waits for its proxy, determines the end of the pod.
TEST(Culprit, IsTheContainerThatTheEvidenceIsAbout) {
  const auto diagnosis = Diagnose(Failed(
      "metadata { name: 'p-0' }",
      Container(
          "name: 'main'",
          ExitState(1, "Error",
                    "ConnectionError: [Errno 111] Connection refused", 103)),
      Container("name: 'proxy'", ExitState(137, "OOMKilled", 100))));
  EXPECT_EQ(diagnosis.cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(diagnosis.evidence(0).path(),
            "pods[0].status.containerStatuses[1].state.terminated.reason");
  EXPECT_EQ(diagnosis.culprit().container(), "proxy");
  EXPECT_EQ(diagnosis.exit_code(), 137);
  EXPECT_THAT(diagnosis.summary(), HasSubstr("container proxy"));
  // When the attempt ended.
  EXPECT_EQ(diagnosis.finished_at().seconds(), 103);
}

// A waiting container has not ended.
TEST(Culprit, ThatWaitsHasNoExitCode) {
  const auto diagnosis = Diagnose(Pending(
      "metadata { name: 'p-0' }", Container("name: 'main'", ExitState(1)),
      Container("name: 'proxy'", WaitState("InvalidImageName"))));
  EXPECT_EQ(diagnosis.cause(), v1::IMAGE_INVALID);
  EXPECT_EQ(diagnosis.culprit().container(), "proxy");
  EXPECT_FALSE(diagnosis.has_exit_code());
}

// The end that decides is the one before the last, so its exit code counts.
TEST(Culprit, HasTheExitCodeOfTheEndThatTheEvidenceIsAbout) {
  const auto diagnosis = Diagnose(
      Failed("metadata { name: 'p-0' } spec { init_containers { name: 'mount' "
             "restart_policy: 'Always' } containers { name: 'main' } }",
             InitContainer("name: 'mount'", ExitState(143, "", 105),
                           LastExit(137, "OOMKilled", 100)),
             Container("name: 'main'", ExitState(1, "", 103))));
  EXPECT_EQ(diagnosis.culprit().container(), "mount");
  EXPECT_EQ(diagnosis.exit_code(), 137);
}

}  // namespace
}  // namespace mulligan::demystify
