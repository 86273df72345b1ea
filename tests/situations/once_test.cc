// One failure, one charge: the same failure told in the shapes it takes over
// time, and several that are none of each other's (docs/adr/0023). Recorded
// streams of real controllers are told in tests/stories.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Parse;

// Of pods of Job "train".
constexpr char kOwner[] =
    "owner_references { kind: 'Job' name: 'train' uid: 'J' controller: true } ";
constexpr char kMarked[] =
    "conditions { type: 'DisruptionTarget' status: 'True' "
    "reason: 'EvictionByEvictionAPI' last_transition_time { seconds: ";

std::string Pod(const std::string& uid, const std::string& metadata,
                const std::string& phase, const std::string& status) {
  return absl::StrCat("pods { metadata { name: '", uid, "' uid: '", uid, "' ",
                      metadata, "} spec { node_name: 'n' restart_policy: ",
                      "'Never' containers { name: 'main' } } status { phase: '",
                      phase, "' ", status, " } } ");
}

std::string Ended(int begin, int end, int code, const char* reason,
                  const char* message = "") {
  return absl::StrCat(
      "container_statuses { name: 'main' state { terminated { exit_code: ",
      code, " reason: '", reason, "' message: '", message,
      "' started_at { seconds: ", begin, " } finished_at { seconds: ", end,
      " } } } }");
}

std::string Created(int at) {
  return absl::StrCat(kOwner, "creation_timestamp { seconds: ", at, " } ");
}

std::string Drained(const std::string& uid, int begin, int end) {
  return Pod(
      uid, Created(begin), "Failed",
      absl::StrCat(kMarked, end, " } } ", Ended(begin, end, 143, "Error")));
}

std::string Job(int failed, const std::string& more = "") {
  return absl::StrCat("jobs { metadata { name: 'train' uid: 'J' } spec { ",
                      "parallelism: 1 completions: 1 ", more,
                      " } status { failed: ", failed, " } } ");
}

class DecideOnceTest : public ::testing::Test {
 protected:
  v1::DecideResponse Tell(const std::string& report, int now) {
    v1::DecideRequest request;
    *request.mutable_report() = Parse<v1::FailureReport>(report);
    request.mutable_report()->mutable_observed_at()->set_seconds(now);
    if (ledger_.ByteSizeLong() > 0) *request.mutable_ledger() = ledger_;
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk())
        << report;
    ledger_ = response.ledger();
    return response;
  }

  std::map<std::string, int> Charged() const {
    std::map<std::string, int> charged;
    for (const auto& [name, use] : ledger_.budgets()) {
      if (use.used() > 0) charged[name] = use.used();
    }
    return charged;
  }

  Issues issues_;
  const std::unique_ptr<const PolicySet> policies_ =
      LoadPolicies({EmbeddedPolicy()}, issues_);
  v1::BudgetLedger ledger_;
};

TEST_F(DecideOnceTest, FiveDrainsToldByPodAndThenByTheJobsCounter) {
  for (int i = 0; i < 5; ++i) {
    const int begin = 100'000 + 1000 * i;
    Tell(Drained(absl::StrCat("p", i), begin, begin + 500), begin + 502);
    const auto counted = Tell(Job(i + 1), begin + 505);
    EXPECT_EQ(counted.decision().action(), v1::Decision::IGNORE);
  }
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 5)));
}

TEST_F(DecideOnceTest, AnEvictionIsMarkedDeletedAndEnded) {
  const std::string running =
      "container_statuses { name: 'main' state { running { started_at { "
      "seconds: 100000 } } } }";
  const std::string mark = absl::StrCat(kMarked, 100'500, " } } ");
  const std::string deleted = Created(100'000) +
                              "deletion_timestamp { seconds: 100530 } "
                              "deletion_grace_period_seconds: 30 ";
  const auto marked =
      Tell(Pod("p", Created(100'000), "Running", mark + running), 100'500);
  EXPECT_EQ(marked.decision().retry_after().seconds(), 30)
      << "its grace period is still to come";
  const auto stopping =
      Tell(Pod("p", deleted, "Running", mark + running), 100'501);
  EXPECT_GE(stopping.decision().retry_after().seconds(), 29);
  Tell(
      Pod("p", deleted, "Failed", mark + Ended(100'000, 100'520, 143, "Error")),
      100'521);
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 1)));
  // Its successor began while it was stopping.
  Tell(Pod("q", Created(100'501), "Failed",
           Ended(100'502, 101'000, 137, "OOMKilled")),
       101'001);
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 1), Pair("memory", 1)));
}

TEST_F(DecideOnceTest, APodIsToldBeforeItsJobSet) {
  const std::string pod =
      Pod("p",
          Created(100'000) +
              "labels { key: 'jobset.sigs.k8s.io/jobset-uid' value: 'S' } "
              "labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' }",
          "Failed", Ended(100'000, 100'500, 137, "OOMKilled"));
  const std::string job_set =
      "job_set { metadata { name: 'js' uid: 'S' } status { restarts: ";
  Tell(pod, 100'501);
  EXPECT_EQ(ledger_.workload_uid(), "S") << "each restart makes new Jobs";
  Tell(pod + job_set + "0 } }", 100'503);
  EXPECT_EQ(ledger_.workload_kind(), "JobSet");
  const auto restarted = Tell(pod + job_set + "1 } }", 100'505);
  EXPECT_EQ(restarted.decision().action(), v1::Decision::IGNORE);
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

TEST_F(DecideOnceTest, ALedgerOfAnotherWorkloadOfTheKindIsRefused) {
  ledger_ = Parse<v1::BudgetLedger>(
      "workload_uid: 'K' workload_kind: 'Job' attempts_seen: 1");
  v1::DecideRequest request;
  *request.mutable_report() =
      Parse<v1::FailureReport>(Drained("p", 100'000, 100'500));
  *request.mutable_ledger() = ledger_;
  v1::DecideResponse response;
  EXPECT_EQ(Decide(request, *policies_, {}, response).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(DecideOnceTest, DrainsAreNotTheProgramsRestarts) {
  for (int i = 0; i < 6; ++i) {
    const int begin = 100'000 + 1000 * i;
    Tell(Drained(absl::StrCat("p", i), begin, begin + 500), begin + 502);
  }
  const auto own = Tell(Pod("own", Created(107'000), "Failed",
                            Ended(107'000, 107'900, 1, "Error")) +
                            Job(7),
                        107'901);
  EXPECT_EQ(own.decision().action(), v1::Decision::RETRY);
  EXPECT_THAT(Charged(),
              ElementsAre(Pair("application", 1), Pair("disruption", 6)));
}

TEST_F(DecideOnceTest, IndexesFailOnTheirOwn) {
  const auto index = [](int number, const std::string& end) {
    return Pod(absl::StrCat("i", number),
               absl::StrCat(
                   Created(100'000), "annotations { key: 'batch.kubernetes.io/",
                   "job-index-failure-count' value: '0' } labels { key: ",
                   "'batch.kubernetes.io/job-completion-index' value: '",
                   number, "' }"),
               "Failed", end);
  };
  const std::string wrong =
      index(12, Ended(100'000, 100'500, 1, "Error", "ValueError: no number"));
  const std::string big = index(13, Ended(100'000, 100'530, 137, "OOMKilled"));
  const std::string job = Job(2,
                              "completion_mode: 'Indexed' "
                              "backoff_limit_per_index: 2");
  const auto both = Tell(big + wrong + job, 100'540);
  EXPECT_EQ(both.diagnosis().culprit().pod(), "i13");
  EXPECT_THAT(both.diagnosis().cascades(), IsEmpty());
  ASSERT_EQ(both.separate_size(), 1);
  EXPECT_EQ(both.separate(0).diagnosis().culprit().pod(), "i12");
  EXPECT_THAT(both.separate(0).decision().resources(), IsEmpty());
  EXPECT_FALSE(both.separate(0).duplicate());
  EXPECT_EQ(ledger_.attempts_seen(), 2);

  const auto alone = Tell(wrong + job, 100'550);
  EXPECT_TRUE(alone.accounting().duplicate());
  EXPECT_EQ(alone.decision().action(), both.separate(0).decision().action());
  EXPECT_THAT(alone.decision().resources(), IsEmpty());
  const auto again = Tell(wrong + big + job, 100'560);
  EXPECT_EQ(ledger_.attempts_seen(), 2);
  ASSERT_EQ(again.separate_size(), 1);
  EXPECT_TRUE(again.separate(0).duplicate());
}

TEST_F(DecideOnceTest, AGangSharesItsFate) {
  const auto member = [](const char* uid, const std::string& end) {
    std::string pod = Pod(uid, Created(100'000), "Failed", end);
    return pod.insert(pod.find("containers"), "subdomain: 'train' ");
  };
  const auto answer =
      Tell(member("a", Ended(100'000, 100'500, 137, "OOMKilled")) +
               member("b", Ended(100'000, 100'503, 1, "Error",
                                 "ValueError: got nothing from rank 0")),
           100'510);
  EXPECT_EQ(answer.separate_size(), 0);
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

TEST_F(DecideOnceTest, WhatNeverFitsIsToldOnce) {
  const std::string report =
      "kueue_workload { metadata { uid: 'W' } status { conditions { "
      "type: 'QuotaReserved' status: 'False' reason: 'Pending' "
      "last_transition_time { seconds: 100000 } message: 'insufficient quota "
      "for cpu in flavor f, request > maximum capacity (64 > 32)' } } } "
      "jobs { metadata { name: 'train' uid: 'J' } spec { suspend: true } }";
  for (const int now : {100'060, 100'120, 100'180}) {
    EXPECT_EQ(Tell(report, now).decision().action(),
              v1::Decision::WAIT_FOR_SPEC_UPDATE);
  }
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

TEST_F(DecideOnceTest, WhatItsSuccessorHasOutlivedIsNotAtHand) {
  const std::string successor = Pod("q", Created(101'000), "Failed",
                                    Ended(101'000, 101'500, 137, "OOMKilled"));
  Tell(successor + Job(2), 101'501);
  const auto both =
      Tell(Drained("p", 100'000, 100'500) + successor + Job(2), 101'503);
  EXPECT_EQ(both.diagnosis().culprit().pod(), "q");
  EXPECT_TRUE(both.accounting().duplicate());
  EXPECT_EQ(both.separate_size(), 0);
}

// What only a counter tells is taken for what the others were.
TEST_F(DecideOnceTest, SeedsFollowWhatIsTold) {
  Tell(Drained("p2", 102'000, 102'500) + Drained("p3", 103'000, 103'500) +
           Job(4),
       103'501);
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 4)));
}

// A gang of which all end within two seconds of true time, 40 s after they
// were created.
std::string Member(int number, int begin, int end, int code,
                   const char* reason) {
  std::string pod = Pod(absl::StrCat("w", number), Created(100'000), "Failed",
                        absl::StrCat("start_time { seconds: ", begin, " } ",
                                     Ended(begin, end, code, reason)));
  return pod.insert(pod.find("containers"), "subdomain: 'train' ");
}

TEST_F(DecideOnceTest, TheRootsNodeIsBehind) {
  std::string others;
  for (int i = 1; i < 4; ++i) {
    others += Member(i, 100'001, 100'042, 1, "Error");
  }
  const std::string root = Member(0, 99'911, 99'950, 137, "OOMKilled");
  const auto told = Tell(root + others, 100'045);
  EXPECT_EQ(told.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(told.diagnosis().culprit().pod(), "w0");
  EXPECT_TRUE(Tell(others, 100'050).accounting().duplicate());
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

TEST_F(DecideOnceTest, ClocksAreSetWhileAGangRuns) {
  std::string gang;
  for (int i = 0; i < 32; ++i) {
    gang += Member(i, 100'001, 99'950 + i, 1, "Error");
  }
  const auto told = Tell(gang, 100'045);
  EXPECT_EQ(told.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

TEST_F(DecideOnceTest, TheNodeOfTheAttemptBeforeIsAhead) {
  const std::string of_job = "labels { key: 'job-name' value: 'train' } ";
  const std::string first = Pod("p", Created(100'000) + of_job, "Failed",
                                Ended(100'090, 100'590, 137, "OOMKilled"));
  Tell(first + Job(1), 100'501);
  const auto second = Tell(first + Job(2) +
                               Pod("q", Created(100'510) + of_job, "Failed",
                                   Ended(100'511, 100'560, 1, "Error")),
                           100'561);
  EXPECT_EQ(second.diagnosis().culprit().pod(), "q");
  EXPECT_THAT(Charged(),
              ElementsAre(Pair("application", 1), Pair("memory", 1)));
}

TEST_F(DecideOnceTest, OomsFirstToldTogetherAreToldThatTheyMayGrow) {
  std::string pods;
  for (int i = 0; i < 3; ++i) {
    const int begin = 100'000 + 1000 * i;
    pods += Pod(absl::StrCat("p", i), Created(begin), "Failed",
                Ended(begin, begin + 500, 137, "OOMKilled"));
  }
  const auto answer = Tell(pods + Job(3), 102'501);
  EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(answer.decision().resources_size(), 1);
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 3)));
}

// Nobody was asked while somebody else was at it: nothing tells whose they
// were.
TEST_F(DecideOnceTest, WhatNobodyToldDoesNotEndTheWork) {
  const auto first = Tell(Pod("p", Created(100'000), "Failed",
                              Ended(100'000, 100'500, 1, "Error")) +
                              Job(5),
                          100'501);
  EXPECT_EQ(first.decision().action(), v1::Decision::RETRY);
  const auto second = Tell(Pod("q", Created(100'510), "Failed",
                               Ended(100'510, 100'900, 1, "Error")) +
                               Job(6),
                           100'901);
  EXPECT_EQ(second.decision().action(), v1::Decision::FAIL);
}

TEST_F(DecideOnceTest, AWorkerIsMadeAnewWhileItsHeadRuns) {
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
    const std::string runs =
        "container_statuses { name: 'main' state { running { started_at { "
        "seconds: 100000 } } } }";
    const std::string head = Pod("h", labels(kind.leader), "Running", runs);
    EXPECT_EQ(Tell(worker + head, 100'501).decision().action(),
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
  EXPECT_EQ(Tell(ended("In", 42), 100'501).decision().action(),
            v1::Decision::IGNORE);
  EXPECT_EQ(Tell(ended("NotIn", 1), 100'501).decision().action(),
            v1::Decision::IGNORE);
  EXPECT_THAT(Charged(), IsEmpty());
  EXPECT_EQ(Tell(ended("In", 1), 100'501).decision().action(),
            v1::Decision::RETRY);
}

TEST_F(DecideOnceTest, IndexesThatFailedLongBeforeTheirJob) {
  const std::string pod =
      Pod("i1",
          absl::StrCat(Created(100'000),
                       "annotations { key: 'batch.kubernetes.io/"
                       "job-index-failure-count' value: '0' } labels { key: "
                       "'batch.kubernetes.io/job-completion-index' value: "
                       "'1' } labels { key: 'job-name' value: 'train' } "),
          "Failed", Ended(100'000, 100'500, 137, "OOMKilled"));
  Tell(pod + Job(1, "completion_mode: 'Indexed' backoff_limit_per_index: 0"),
       100'501);
  const auto later = Tell(
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
      Tell(Pod("p", deleted, "Running",
               "container_statuses { name: 'main' restart_count: 1 state { "
               "running { started_at { seconds: 100500 } } } " +
                   last) +
               gave_up,
           100'512);
  EXPECT_EQ(running.decision().action(), v1::Decision::RETRY);
  EXPECT_GE(running.decision().retry_after().seconds(), 28);
  Tell(Pod("p", deleted, "Failed",
           "container_statuses { name: 'main' restart_count: 1 state { "
           "terminated { exit_code: 143 reason: 'Error' started_at { seconds: "
           "100500 } finished_at { seconds: 100520 } } } " +
               last) +
           gave_up,
       100'521);
  EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
}

}  // namespace
}  // namespace mulligan
