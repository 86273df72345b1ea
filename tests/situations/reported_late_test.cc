// A failure is charged exactly once when clocks are wrong, when it is reported
// late, and when something else repairs it.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A member of a gang that was created at second 100000 and ended within two
// seconds of true time, 40 s later.
std::string Member(int number, int begin, int end, int code,
                   const char* reason) {
  std::string pod = Pod(absl::StrCat("w", number), Created(100'000), "Failed",
                        absl::StrCat("start_time { seconds: ", begin, " } ",
                                     Ended(begin, end, code, reason)));
  return pod.insert(pod.find("containers"), "subdomain: 'train' ");
}

TEST_F(DecideOnceTest, TheClockOfTheRootsNodeIsBehind) {
  std::string others;
  for (int i = 1; i < 4; ++i) {
    others += Member(i, 100'001, 100'042, 1, "Error");
  }
  const std::string root = Member(0, 99'911, 99'950, 137, "OOMKilled");
  const auto response = DecideAt(root + others, 100'045);
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(response.diagnosis().culprit().pod(), "w0");
  EXPECT_TRUE(DecideAt(others, 100'050).accounting().duplicate());
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

TEST_F(DecideOnceTest, ClocksAreSetWhileAGangRuns) {
  std::string gang;
  for (int i = 0; i < 32; ++i) {
    gang += Member(i, 100'001, 99'950 + i, 1, "Error");
  }
  const auto response = DecideAt(gang, 100'045);
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

TEST_F(DecideOnceTest, TheClockOfThePreviousAttemptsNodeIsAhead) {
  const std::string of_job = "labels { key: 'job-name' value: 'train' } ";
  const std::string first = Pod("p", Created(100'000) + of_job, "Failed",
                                Ended(100'090, 100'590, 137, "OOMKilled"));
  DecideAt(first + Job(1), 100'501);
  const auto second = DecideAt(first + Job(2) +
                                   Pod("q", Created(100'510) + of_job, "Failed",
                                       Ended(100'511, 100'560, 1, "Error")),
                               100'561);
  EXPECT_EQ(second.diagnosis().culprit().pod(), "q");
  EXPECT_THAT(Charged(),
              ElementsAre(Pair("application", 1), Pair("memory", 1)));
}

TEST_F(DecideOnceTest, OomsFirstReportedTogetherMayGrow) {
  std::string pods;
  for (int i = 0; i < 3; ++i) {
    const int begin = 100'000 + 1000 * i;
    pods += Pod(absl::StrCat("p", i), Created(begin), "Failed",
                Ended(begin, begin + 500, 137, "OOMKilled"));
  }
  const auto answer = DecideAt(pods + Job(3), 102'501);
  EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(answer.decision().resources_size(), 1);
  // No retry in between gave it more memory.
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

// Failures before the first report, retried by something else, have no known
// cause.
TEST_F(DecideOnceTest, UnreportedFailuresDoNotEndTheWork) {
  const auto first = DecideAt(Pod("p", Created(100'000), "Failed",
                                  Ended(100'000, 100'500, 1, "Error")) +
                                  Job(5),
                              100'501);
  EXPECT_EQ(first.decision().action(), v1::Decision::RETRY);
  const auto second = DecideAt(Pod("q", Created(100'510), "Failed",
                                   Ended(100'510, 100'900, 1, "Error")) +
                                   Job(6),
                               100'901);
  EXPECT_EQ(second.decision().action(), v1::Decision::RETRY);
}

TEST_F(DecideOnceTest, AWorkerIsRecreatedWhileItsHeadRuns) {
  struct Case {
    const char* role;
    const char* leader;
    const char* follower;
    const char* group;
  };
  for (const Case& kind :
       {Case{"ray.io/node-type", "head", "worker", "ray.io/cluster"},
        Case{"spark-role", "driver", "executor", "spark-app-selector"}}) {
    const auto labels = [&kind](const char* role) {
      return absl::StrCat(
          "creation_timestamp { seconds: 100000 } labels { key: '", kind.role,
          "' value: '", role, "' } labels { key: '", kind.group,
          "' value: 'g' } ");
    };
    const std::string worker = Pod("w", labels(kind.follower), "Failed",
                                   Ended(100'000, 100'500, 137, "OOMKilled"));
    const std::string head =
        Pod("h", labels(kind.leader), "Running", RunningFrom(100'000));
    EXPECT_EQ(DecideAt(worker + head, 100'501).decision().action(),
              v1::Decision::IGNORE)
        << kind.role;
    EXPECT_THAT(Charged(), IsEmpty());
  }
}

TEST_F(DecideOnceTest, RulesByExitCodeRestartInPlace) {
  const auto ended = [](const char* op, int code) {
    std::string pod = Pod(absl::StrCat("p", op, code), Created(100'000),
                          "Running", Ended(100'000, 100'500, code, "Error"));
    return pod.insert(
        pod.find("name: 'main'"),
        absl::StrCat("restart_policy: 'Never' restart_policy_rules { action: "
                     "'Restart' exit_codes { operator: '",
                     op, "' values: 42 } } "));
  };
  EXPECT_EQ(DecideAt(ended("In", 42), 100'501).decision().action(),
            v1::Decision::IGNORE);
  EXPECT_EQ(DecideAt(ended("NotIn", 1), 100'501).decision().action(),
            v1::Decision::IGNORE);
  EXPECT_THAT(Charged(), ElementsAre(Pair("application", 2)));
  EXPECT_EQ(DecideAt(ended("In", 1), 100'501).decision().action(),
            v1::Decision::RETRY);
}

TEST_F(DecideOnceTest, AnIndexThatFailedLongBeforeItsJobIsChargedOnce) {
  const std::string pod =
      Pod("i1",
          absl::StrCat(Created(100'000),
                       "annotations { key: 'batch.kubernetes.io/"
                       "job-index-failure-count' value: '0' } labels { key: "
                       "'batch.kubernetes.io/job-completion-index' value: "
                       "'1' } labels { key: 'job-name' value: 'train' } "),
          "Failed", Ended(100'000, 100'500, 137, "OOMKilled"));
  DecideAt(
      pod + Job(1, "completion_mode: 'Indexed' backoff_limit_per_index: 0"),
      100'501);
  const auto later = DecideAt(
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 "
      "completion_mode: 'Indexed' backoff_limit_per_index: 0 } status { "
      "failed: 1 failed_indexes: '1' conditions { type: 'Failed' status: "
      "'True' reason: 'FailedIndexes' last_transition_time { seconds: 106000 "
      "} } } }",
      106'001);
  EXPECT_TRUE(later.accounting().duplicate());
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

TEST_F(DecideOnceTest, AJobThatGaveUpStopsItsPod) {
  const std::string deleted = Created(100'000) +
                              "deletion_timestamp { seconds: 100540 } "
                              "deletion_grace_period_seconds: 30 ";
  const std::string last =
      "last_state { terminated { exit_code: 137 reason: 'OOMKilled' started_at "
      "{ seconds: 100000 } finished_at { seconds: 100490 } } } } ";
  const std::string gave_up =
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 } "
      "status { uncounted_terminated_pods { failed: 'p' } conditions { type: "
      "'FailureTarget' status: 'True' reason: 'BackoffLimitExceeded' "
      "last_transition_time { seconds: 100510 } } } } ";
  const auto running =
      DecideAt(Pod("p", deleted, "Running",
                   "container_statuses { name: 'main' restart_count: 1 state { "
                   "running { started_at { seconds: 100500 } } } " +
                       last) +
                   gave_up,
               100'512);
  EXPECT_EQ(running.decision().action(), v1::Decision::RETRY);
  EXPECT_GE(running.decision().retry_after().seconds(), 28);
  DecideAt(
      Pod("p", deleted, "Failed",
          "container_statuses { name: 'main' restart_count: 1 state { "
          "terminated { exit_code: 143 reason: 'Error' started_at { seconds: "
          "100500 } finished_at { seconds: 100520 } } } " +
              last) +
          gave_up,
      100'521);
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

}  // namespace
}  // namespace mulligan::situations
