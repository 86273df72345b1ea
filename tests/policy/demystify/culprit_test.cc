// The container that an answer names.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

using ::testing::HasSubstr;

// The end of main, which waits for its proxy, determines the end of the pod.
TEST(Culprit, IsTheContainerThatTheEvidenceIsAbout) {
  const auto diagnosis = Diagnose(R"pb(
    pods {
      metadata { name: "p-0" }
      status {
        phase: "Failed"
        container_statuses {
          name: "main"
          state {
            terminated {
              exit_code: 1
              reason: "Error"
              message: "ConnectionError: [Errno 111] Connection refused"
              finished_at { seconds: 103 }
            }
          }
        }
        container_statuses {
          name: "proxy"
          state {
            terminated {
              exit_code: 137
              reason: "OOMKilled"
              finished_at { seconds: 100 }
            }
          }
        }
      }
    })pb");
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
  const auto diagnosis = Diagnose(R"pb(
    pods {
      metadata { name: "p-0" }
      status {
        phase: "Pending"
        container_statuses {
          name: "main"
          state { terminated { exit_code: 1 reason: "Error" } }
        }
        container_statuses {
          name: "proxy"
          state { waiting { reason: "InvalidImageName" } }
        }
      }
    })pb");
  EXPECT_EQ(diagnosis.cause(), v1::IMAGE_INVALID);
  EXPECT_EQ(diagnosis.culprit().container(), "proxy");
  EXPECT_FALSE(diagnosis.has_exit_code());
}

// The end that decides is the one before the last, so its exit code counts.
TEST(Culprit, HasTheExitCodeOfTheEndThatTheEvidenceIsAbout) {
  const auto diagnosis = Diagnose(R"pb(
    pods {
      metadata { name: "p-0" }
      spec {
        init_containers { name: "mount" restart_policy: "Always" }
        containers { name: "main" }
      }
      status {
        phase: "Failed"
        init_container_statuses {
          name: "mount"
          state {
            terminated {
              exit_code: 143
              finished_at { seconds: 105 }
            }
          }
          last_state {
            terminated {
              exit_code: 137
              reason: "OOMKilled"
              finished_at { seconds: 100 }
            }
          }
        }
        container_statuses {
          name: "main"
          state {
            terminated {
              exit_code: 1
              finished_at { seconds: 103 }
            }
          }
        }
      }
    })pb");
  EXPECT_EQ(diagnosis.culprit().container(), "mount");
  EXPECT_EQ(diagnosis.exit_code(), 137);
}

}  // namespace
}  // namespace mulligan::demystify
