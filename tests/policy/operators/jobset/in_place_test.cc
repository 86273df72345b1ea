#include "policy/operators/jobset/in_place.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::jobset {
namespace {

using ::testing::ElementsAre;

Pod PodAt(const std::string& attempt) {
  Pod pod;
  (*pod.mutable_metadata()
        ->mutable_annotations())[std::string(kInPlaceRestartAttemptKey)] =
      attempt;
  return pod;
}

class InPlaceTest : public testing::Test {
 protected:
  absl::Status Run() {
    Pods pods;
    for (const Pod& pod : pods_) pods.push_back(&pod);
    return ReconcileInPlace(spec_, pods, change_);
  }

  JobSetSpec spec_ = Parse<JobSetSpec>(R"(
      failure_policy { max_restarts: 2 restart_strategy: "InPlaceRestart" }
      replicated_jobs {
        replicas: 2
        template { spec { parallelism: 1 completions: 1 } }
      })");
  std::vector<Pod> pods_;
  JobSetStatus status_;
  StatusChange change_{status_, At(1), true, false, {}};
};

TEST_F(InPlaceTest, RestartCountOfAnyContainerAboveTheMaximumFails) {
  pods_ = {
      Parse<Pod>("status { init_container_statuses { restart_count: 3 } }")};
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(status_.terminal_state(), "Failed");
  EXPECT_EQ(status_.conditions(0).message(),
            "jobset failed due to reaching max number of restarts");
}

TEST_F(InPlaceTest, AttemptAtTheMaximumMayRun) {
  pods_ = {PodAt("2"), PodAt("2")};
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(status_.terminal_state(), "");
  EXPECT_EQ(status_.current_in_place_restart_attempt(), 2);
  pods_ = {PodAt("3"), PodAt("2")};
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(status_.terminal_state(), "Failed");
}

TEST_F(InPlaceTest, UncountedRestartsAreTakenOff) {
  status_.set_restarts(3);
  status_.set_restarts_count_towards_max(1);
  EXPECT_FALSE(ExceedsMaxRestarts(spec_, status_, {4}));
  EXPECT_TRUE(ExceedsMaxRestarts(spec_, status_, {5}));
}

TEST_F(InPlaceTest, BarrierStaysShutWhilePodsAreMissing) {
  pods_ = {PodAt("1")};
  ASSERT_TRUE(Run().ok());
  EXPECT_FALSE(status_.has_current_in_place_restart_attempt());
  EXPECT_EQ(status_.previous_in_place_restart_attempt(), 0);
}

TEST_F(InPlaceTest, PreviousAttemptNeverGoesBack) {
  status_.set_previous_in_place_restart_attempt(1);
  EXPECT_FALSE(UpdatePreviousAttempt({1, 0}, status_));
  EXPECT_FALSE(UpdatePreviousAttempt({2, 1}, status_));
  EXPECT_TRUE(UpdatePreviousAttempt({3, 1}, status_));
  EXPECT_EQ(status_.previous_in_place_restart_attempt(), 2);
}

TEST_F(InPlaceTest, GroupWithoutEqualCompletionsIsAnError) {
  spec_.mutable_replicated_jobs(0)
      ->mutable_template_()
      ->mutable_spec()
      ->clear_completions();
  EXPECT_FALSE(Run().ok());
}

TEST(InPlaceAttemptsTest, SkipsFailedPodsAndPodsWithoutAttempt) {
  Pod failed = PodAt("7");
  failed.mutable_status()->set_phase("Failed");
  const Pod fine = PodAt("4");
  const Pod silent;
  EXPECT_THAT(*InPlaceAttempts({&failed, &fine, &silent}), ElementsAre(4));
}

TEST(InPlaceAttemptsTest, RefusesWhatIsNoAttempt) {
  for (const char* const text : {"", "x", "-1", "1 ", "99999999999"}) {
    const Pod pod = PodAt(text);
    EXPECT_FALSE(InPlaceAttempts({&pod}).ok()) << text;
  }
}

}  // namespace
}  // namespace mulligan::jobset
