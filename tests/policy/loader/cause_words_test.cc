#include "gtest/gtest.h"
#include "mulligan/v1/cause.pb.h"
#include "policy/loader/suggest.h"

namespace mulligan {
namespace {

TEST(CauseWordsTest, ReasonsOfKubernetesAreCausesInAnyCase) {
  EXPECT_EQ(CauseOfReason("OOMKilled"), "CONTAINER_OOM");
  EXPECT_EQ(CauseOfReason("oomkilled"), "CONTAINER_OOM");
  EXPECT_EQ(CauseOfReason("ImagePullBackOff"), "IMAGE_INVALID");
  EXPECT_EQ(CauseOfReason("Evicted"), "NODE_PRESSURE_EVICTED");
  EXPECT_EQ(CauseOfReason("nosuch"), "");
}

TEST(CauseWordsTest, EverySuggestionExists) {
  for (const char* reason : {"OOM",
                             "OOMKilling",
                             "SystemOOM",
                             "Drain",
                             "Preempted",
                             "NodeShutdown",
                             "NodeLost",
                             "Spot",
                             "UnexpectedAdmissionError",
                             "Forbidden",
                             "AlreadyExists",
                             "FailedScheduling",
                             "ErrImagePull",
                             "RegistryUnavailable",
                             "CreateContainerConfigError",
                             "FailedMount",
                             "DeadlineExceeded",
                             "Unhealthy",
                             "Error",
                             "Completed",
                             "SIGTERM",
                             "SIGKILL",
                             "SIGSEGV",
                             "XID",
                             "NCCL",
                             "DeletionByTaintManager"}) {
    v1::Cause cause;
    EXPECT_TRUE(v1::Cause_Parse(std::string(CauseOfReason(reason)), &cause))
        << reason;
  }
}

}  // namespace
}  // namespace mulligan
