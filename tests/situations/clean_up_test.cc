// Objects that an operator deletes after a final failure, or for a restart, are
// no new evidence: the answer stays the same.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/request/kinds.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kFailed = 100'100;

// Objects of a kind, running and finally failed. META stands for more metadata
// of the workload's object, AT for the time of the failure.
struct KindRow {
  std::string kind;
  std::string runs;
  std::string failed;
};

constexpr char kCondition[] =
    "conditions { type: 'TYPE' status: 'True' reason: 'REASON' "
    "last_transition_time { seconds: AT } } ";

std::string Condition(const std::string& type, const std::string& reason) {
  return absl::StrReplaceAll(kCondition, {{"TYPE", type}, {"REASON", reason}});
}

std::string Object(const std::string& field, const std::string& kind,
                   const std::string& status) {
  return absl::StrCat(field, " { ", kind,
                      " metadata { name: 'train' uid: 'J' META } status { ",
                      status, " } } ");
}

std::vector<KindRow> KindRows() {
  const std::string set_failed =
      Object("job_set", "",
             "terminal_state: 'Failed' " + Condition("Failed", "FailedJobs"));
  std::vector<KindRow> rows = {
      {"Job", Object("jobs", "", "active: 1"),
       Object("jobs", "",
              "failed: 1 " +
                  Condition("FailureTarget", "BackoffLimitExceeded") +
                  Condition("Failed", "BackoffLimitExceeded"))},
      {"Job", Object("jobs", "", "active: 1"),
       Object(
           "jobs", "",
           "failed: 1 " + Condition("FailureTarget", "BackoffLimitExceeded"))},
      {"JobSet", Object("job_set", "", "restarts: 0"), set_failed},
      {"TrainJob",
       Object("train_job", "", Condition("Created", "JobsCreationSucceeded")),
       Object("train_job", "", Condition("Failed", "FailedJobs"))},
      {"RayJob",
       Object("ray_job", "",
              "job_deployment_status: 'Running' job_status: 'RUNNING'"),
       Object("ray_job", "",
              "job_deployment_status: 'Failed' job_status: 'FAILED' reason: "
              "'AppFailed' failed: 1 end_time { seconds: AT }")},
      {"SparkApplication",
       Object("spark_application", "",
              "application_state { state: 'RUNNING' }"),
       Object("spark_application", "",
              "application_state { state: 'FAILED' error_message: 'driver "
              "container failed with ExitCode: 1, Reason: Error' } "
              "termination_time { seconds: AT }")}};
  for (const Kind& kind : Kinds()) {
    if (kind.field != "kubeflowJob") continue;
    const std::string name(kind.name);
    rows.push_back({name,
                    Object("kubeflow_job", "kind: '" + name + "'",
                           Condition("Running", name + "Running")),
                    Object("kubeflow_job", "kind: '" + name + "'",
                           Condition("Failed", name + "Failed"))});
  }
  return rows;
}

std::string Filled(const std::string& object, const std::string& meta = "",
                   int at = kFailed) {
  return absl::StrReplaceAll(object,
                             {{"META", meta}, {"AT", absl::StrCat(at)}});
}

std::string Deleted(int requested, int grace = 30) {
  return absl::StrCat("deletion_timestamp { seconds: ", requested + grace,
                      " } deletion_grace_period_seconds: ", grace, " ");
}

// States of the pods while they are cleaned up.
struct PodRow {
  const char* name;
  std::string phase;
  std::string status;
};

std::vector<PodRow> CleanedUp(int requested) {
  const std::string running = RunningFrom(100'000);
  return {
      {"still runs", "Running", running},
      {"asked to stop", "Failed", Ended(100'000, requested + 2, 143, "Error")},
      {"killed", "Failed", Ended(100'000, requested + 30, 137, "Error")},
      {"answers with an error", "Failed",
       Ended(100'000, requested + 2, 1, "Error", "KeyboardInterrupt")},
      {"ends well", "Succeeded", Ended(100'000, requested + 2, 0, "Completed")},
      {"starts", "Pending",
       "container_statuses { name: 'main' state { waiting { reason: "
       "'ContainerCreating' } } }"},
  };
}

std::string Deleted(const PodRow& row, int requested) {
  return Pod("w1",
             "creation_timestamp { seconds: 99999 } " + Deleted(requested),
             row.phase, row.status);
}

std::string AnswerOf(const v1::DecideResponse& answer) {
  return absl::StrCat(
      v1::Diagnosis::Situation_Name(answer.diagnosis().situation()), " ",
      v1::Cause_Name(answer.diagnosis().cause()), " ",
      v1::Decision::Action_Name(answer.decision().action()), " ",
      v1::Decision::Scope_Name(answer.decision().scope()));
}

class CleanUpTest : public DecideOnceTest {
 protected:
  v1::DecideResponse First(const std::string& report, int now) {
    ledger_.Clear();
    return DecideAt(report, now);
  }
};

TEST_F(CleanUpTest, CoversEveryKindThatCanFail) {
  // A cluster and a queue do not fail; nothing cleans up a pod.
  std::set<std::string> missing;
  for (const Kind& kind : Kinds()) {
    if (kind.is_workload && kind.is_known && !kind.field.empty()) {
      missing.emplace(kind.name);
    }
  }
  for (const char* other : {"Pod", "RayCluster", "Workload"}) {
    EXPECT_EQ(missing.erase(other), 1U) << other;
  }
  for (const KindRow& row : KindRows()) missing.erase(row.kind);
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(CleanUpTest, AnswersStayWhilePodsAreDeletedAndGone) {
  for (const KindRow& kind : KindRows()) {
    const std::string object = Filled(kind.failed);
    const std::string gone = AnswerOf(First(object, kFailed + 60));
    EXPECT_THAT(gone, ::testing::StartsWith("BROKEN APP_ERROR RETRY"))
        << kind.kind;
    for (const int requested : {kFailed - 2, kFailed, kFailed + 300}) {
      for (const PodRow& pod : CleanedUp(requested)) {
        const std::string torn_down = object + Deleted(pod, requested);
        EXPECT_EQ(AnswerOf(First(torn_down, requested + 31)), gone)
            << kind.kind << ", its pod " << pod.name << " at " << requested;
        // Reported again, it is the same failure.
        EXPECT_EQ(AnswerOf(DecideAt(object, requested + 60)), gone)
            << kind.kind;
        EXPECT_THAT(Charged(), SizeIs(1)) << kind.kind << " " << pod.name;
        EXPECT_EQ(ledger_.attempts_seen(), 1) << kind.kind << " " << pod.name;
      }
    }
  }
}

TEST_F(CleanUpTest, AnswersStayWhenTheObjectIsDeleted) {
  for (const KindRow& kind : KindRows()) {
    const std::string before =
        AnswerOf(First(Filled(kind.failed), kFailed + 1));
    for (const int requested : {kFailed, kFailed + 3600}) {
      const std::string object = Filled(kind.failed, Deleted(requested, 0));
      EXPECT_EQ(AnswerOf(First(object, requested + 1)), before) << kind.kind;
      const std::string with_pod =
          object + Deleted(CleanedUp(requested)[1], requested);
      EXPECT_EQ(AnswerOf(First(with_pod, requested + 31)), before) << kind.kind;
    }
  }
}

// Near misses: a user deleted running work.
TEST_F(CleanUpTest, WorkDeletedBeforeItFailedIsCancelled) {
  for (const KindRow& kind : KindRows()) {
    const std::vector<std::string> reports = {
        // The pod of running work.
        Filled(kind.runs) + Deleted(CleanedUp(100'050)[1], 100'050),
        // The pod, which made the work fail later.
        Filled(kind.failed) + Deleted(CleanedUp(100'050)[1], 100'050),
        // The same, within the clock skew.
        Filled(kind.failed) + Deleted(CleanedUp(kFailed - 5)[1], kFailed - 5),
        // The work itself, with its pod.
        Filled(kind.runs, Deleted(100'050, 0)) +
            Deleted(CleanedUp(100'050)[1], 100'050),
        // It failed as it was being deleted.
        Filled(kind.failed, Deleted(kFailed - 1, 0))};
    for (const std::string& report : reports) {
      const auto answer = First(report, kFailed + 60);
      EXPECT_EQ(answer.diagnosis().cause(), v1::CANCELLED) << report;
      EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE) << report;
      EXPECT_THAT(Charged(), IsEmpty()) << report;
    }
  }
}

// A condition shows the disruption, whatever cleans up.
TEST_F(CleanUpTest, AMarkedPodKeepsItsCause) {
  for (const KindRow& kind : KindRows()) {
    const std::string pod =
        Pod("w1", Deleted(kFailed - 20), "Failed",
            absl::StrCat(kMarked, kFailed - 20, " } } ",
                         Ended(100'000, kFailed - 10, 143, "Error")));
    const auto answer = First(Filled(kind.failed) + pod, kFailed + 60);
    EXPECT_EQ(answer.diagnosis().cause(), v1::DRAINED) << kind.kind;
  }
}

// The operator restarts it, or its queue has requeued it.
TEST_F(CleanUpTest, RestartedWorkIsIgnored) {
  const std::string pod = Deleted(CleanedUp(kFailed)[1], kFailed);
  const auto retried = First(
      "ray_job { metadata { name: 'train' uid: 'J' } status { "
      "job_deployment_status: 'Retrying' job_status: 'FAILED' reason: "
      "'AppFailed' failed: 1 } } " +
          pod,
      kFailed + 60);
  EXPECT_EQ(AnswerOf(retried).find("ALIVE APP_ERROR IGNORE"), 0U)
      << AnswerOf(retried);
  const std::string queued = absl::StrCat(
      "kueue_workload { metadata { name: 'job-train' uid: 'Q' } ",
      "status { conditions { type: 'Evicted' status: 'True' ",
      "reason: 'PodsReadyTimeout' last_transition_time { seconds:", " ",
      kFailed, " } } requeue_state { requeue_at { seconds: ", kFailed + 120,
      " } } } } ", "jobs { metadata { name: 'train' uid: 'J' } spec { suspend:",
      " true } status {} } ");
  for (const PodRow& row : CleanedUp(kFailed)) {
    const auto evicted = First(queued + Deleted(row, kFailed), kFailed + 60);
    EXPECT_EQ(AnswerOf(evicted).find("ALIVE START_TIMEOUT WAIT"), 0U)
        << row.name << ": " << AnswerOf(evicted);
  }
}

}  // namespace
}  // namespace mulligan::situations
