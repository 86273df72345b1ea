// The success of the member that decides how the work ends counts more than
// failures of its helpers, and no one waits for work that is over.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::IsEmpty;

constexpr int kDone = 100'500;

struct RoleRow {
  const char* label;
  const char* leader;
  const char* follower;
  // Earlier failures of its helpers do not matter either.
  bool goes_on_alone;
};

constexpr RoleRow kRoles[] = {
    {"spark-role", "driver", "executor", true},
    {"training.kubeflow.org/job-role", "launcher", "worker", true},
    {"training.kubeflow.org/replica-type", "launcher", "worker", true},
    {"training.kubeflow.org/replica-type", "chief", "ps", false},
    {"training.kubeflow.org/replica-type", "master", "worker", false},
};

std::string Role(const RoleRow& row, const char* role, int created) {
  return absl::StrCat("creation_timestamp { seconds: ", created,
                      " } labels { key: '", row.label, "' value: '", role,
                      "' } ");
}

// A helper that ended at second `at`, in one of kEnds ways.
std::string Helper(const RoleRow& row, int end, int at, int created = 100'000) {
  const std::string metadata = Role(row, row.follower, created);
  switch (end) {
    case 0:
      return Pod("f", metadata, "Failed", Ended(created, at, 137, "OOMKilled"));
    case 1:
      return Pod("f", metadata, "Failed",
                 Ended(created, at, 1, "Error", "Connection reset by peer"));
    case 2:
      return Pod(
          "f", metadata, "Failed",
          absl::StrCat(kMarked, at, " } } ", Ended(created, at, 143, "Error")));
    case 3:
      return Pod("f",
                 absl::StrCat(metadata, "deletion_timestamp { seconds: ",
                              at + 30, " } deletion_grace_period_seconds: 30 "),
                 "Failed", Ended(created, at, 143, "Error"));
    default:
      return Pod("f", metadata, "Failed", Ended(created, at, 143, "Error"));
  }
}
constexpr int kEnds = 5;

std::string Leader(const RoleRow& row, int code) {
  return Pod("l", Role(row, row.leader, 100'000),
             code == 0 ? "Succeeded" : "Failed",
             Ended(100'000, kDone, code, code == 0 ? "Completed" : "Error"));
}

class LeaderTest : public DecideOnceTest {
 protected:
  v1::Cause CauseOf(const std::string& report) {
    ledger_.Clear();
    return DecideAt(report, kDone + 600).diagnosis().cause();
  }
};

TEST_F(LeaderTest, ItsSuccessIsTheWorks) {
  for (const RoleRow& row : kRoles) {
    for (int end = 0; end < kEnds; ++end) {
      for (const int late : {0, 30}) {
        const std::string report =
            Leader(row, 0) + Helper(row, end, kDone + late);
        EXPECT_EQ(CauseOf(report), v1::SUCCEEDED) << report;
        EXPECT_THAT(Charged(), IsEmpty()) << report;
      }
      const std::string before = Leader(row, 0) + Helper(row, end, kDone - 60);
      EXPECT_EQ(CauseOf(before) == v1::SUCCEEDED, row.goes_on_alone) << before;
    }
  }
}

// Near misses: it failed, still runs, or another run has failed since.
TEST_F(LeaderTest, WithoutItsSuccessHelpersDecide) {
  for (const RoleRow& row : kRoles) {
    const std::string helper = Helper(row, 0, kDone + 1);
    EXPECT_NE(CauseOf(Leader(row, 1) + helper), v1::SUCCEEDED) << row.leader;
    const std::string runs = Pod("l", Role(row, row.leader, 100'000), "Running",
                                 RunningFrom(100'000));
    EXPECT_EQ(CauseOf(runs + helper), v1::CONTAINER_OOM) << row.leader;
    EXPECT_EQ(CauseOf(Leader(row, 0) + Helper(row, 0, kDone + 60, kDone + 10)),
              v1::CONTAINER_OOM)
        << row.leader;
  }
}

// Of several leaders the last one counts, in any order of the report.
TEST_F(LeaderTest, TheLastLeaderDecides) {
  for (const RoleRow& row : kRoles) {
    const std::string earlier =
        Pod("e", Role(row, row.leader, 90'000), "Succeeded",
            Ended(90'000, 95'000, 0, "Completed"));
    const std::string helper = Helper(row, 0, kDone + 1);
    EXPECT_EQ(CauseOf(earlier + Leader(row, 0) + helper), v1::SUCCEEDED);
    EXPECT_EQ(CauseOf(helper + Leader(row, 0) + earlier), v1::SUCCEEDED);
    EXPECT_NE(CauseOf(earlier + helper), v1::SUCCEEDED) << row.leader;
  }
}

TEST_F(LeaderTest, AnApplicationThatSucceedsHasSucceeded) {
  const std::string executor = Helper(kRoles[0], 2, kDone + 1);
  const auto spark = [](const char* state, const char* policy,
                        const char* error) {
    return absl::StrCat(
        "spark_application { metadata { name: 'train' uid: 'J' } spec { ",
        "restart_policy { type: '", policy, "' } } status { application_state ",
        "{ state: '", state, "' error_message: '", error,
        "' } execution_attempts: 1 } } ");
  };
  EXPECT_EQ(CauseOf(spark("SUCCEEDING", "Never", "") + executor),
            v1::SUCCEEDED);
  EXPECT_EQ(CauseOf(spark("PENDING_RERUN", "Always", "")), v1::NOT_FAILED);
  EXPECT_EQ(CauseOf(spark("PENDING_RERUN", "OnFailure", "")), v1::APP_ERROR);
  EXPECT_NE(CauseOf(spark("PENDING_RERUN", "Always",
                          "driver container failed with ExitCode: 3, Reason: "
                          "Error")),
            v1::NOT_FAILED);
}

TEST_F(LeaderTest, ARayJobWhoseProgramSucceededWaitsForItsSubmitter) {
  const std::string head =
      Pod("h", "labels { key: 'ray.io/node-type' value: 'head' } ", "Failed",
          absl::StrCat(kMarked, kDone + 1, " } } ",
                       Ended(100'000, kDone + 3, 143, "Error")));
  const auto ray = [](const char* deployment, const char* status) {
    return absl::StrCat("ray_job { metadata { name: 'train' uid: 'J' } status ",
                        "{ job_deployment_status: '", deployment,
                        "' job_status: '", status, "' } } ");
  };
  EXPECT_EQ(CauseOf(ray("Running", "SUCCEEDED") + head), v1::SUCCEEDED);
  EXPECT_EQ(CauseOf(ray("Running", "RUNNING") + head), v1::DRAINED);
}

// Waiting pods, by what they wait for.
constexpr const char* kWaits[] = {
    "state { waiting { reason: 'CreateContainerConfigError' message: 'secret "
    "\"s\" not found' } }",
    "state { waiting { reason: 'ImagePullBackOff' message: 'ErrImagePull: 429 "
    "Too Many Requests - toomanyrequests' } }",
    "state { waiting { reason: 'ImagePullBackOff' message: 'unauthorized: "
    "access denied' } }",
};

TEST_F(LeaderTest, DoesNotWaitForWorkThatIsOver) {
  for (const char* wait : kWaits) {
    const std::string pod =
        Pod("p", Created(kDone), "Pending",
            absl::StrCat("start_time { seconds: ", kDone,
                         " } container_statuses { name: 'main' ", wait, " }"));
    const auto job = [](const std::string& conditions) {
      return "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 "
             "} status { " +
             conditions + " } } ";
    };
    ledger_.Clear();
    EXPECT_EQ(DecideAt(pod + job("active: 1"), kDone + 60).decision().action(),
              v1::Decision::WAIT)
        << wait;
    for (const char* type : {"FailureTarget", "Failed"}) {
      for (const char* reason : {"BackoffLimitExceeded", "DeadlineExceeded"}) {
        ledger_.Clear();
        const auto over = DecideAt(
            pod + job(absl::StrCat("conditions { type: '", type,
                                   "' status: 'True' reason: '", reason,
                                   "' last_transition_time { seconds: ",
                                   kDone + 50, " } }")),
            kDone + 60);
        EXPECT_NE(over.decision().action(), v1::Decision::WAIT)
            << wait << " " << type << " " << reason;
        EXPECT_NE(over.decision().scope(), v1::Decision::POD)
            << wait << " " << type;
        if (std::string(reason) == "DeadlineExceeded") {
          EXPECT_EQ(over.decision().action(), v1::Decision::FAIL) << wait;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mulligan::situations
