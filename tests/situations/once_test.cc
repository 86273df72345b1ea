// A failure is charged exactly once: one failure reported in the shapes it
// takes over time, and distinct failures that must not be merged
// (docs/adr/0023). tests/stories reports recorded streams of real controllers.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::Parse;

TEST_F(DecideOnceTest, FiveDrainsReportedByPodAndThenByTheJobsCounter) {
  for (int i = 0; i < 5; ++i) {
    const int begin = 100'000 + 1000 * i;
    DecideAt(Drained(absl::StrCat("p", i), begin, begin + 500), begin + 502);
    const auto counted = DecideAt(Job(i + 1), begin + 505);
    EXPECT_EQ(counted.decision().action(), v1::Decision::IGNORE);
  }
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 5)));
}

TEST_F(DecideOnceTest, AnEvictionIsChargedOnceFromMarkToEnd) {
  const std::string running = RunningFrom(100'000);
  const std::string mark = absl::StrCat(kMarked, 100'500, " } } ");
  const std::string deleted = Created(100'000) +
                              "deletion_timestamp { seconds: 100530 } "
                              "deletion_grace_period_seconds: 30 ";
  const auto marked =
      DecideAt(Pod("p", Created(100'000), "Running", mark + running), 100'500);
  EXPECT_EQ(marked.decision().retry_after().seconds(), 30)
      << "its grace period is still to come";
  const auto stopping =
      DecideAt(Pod("p", deleted, "Running", mark + running), 100'501);
  EXPECT_GE(stopping.decision().retry_after().seconds(), 29);
  DecideAt(
      Pod("p", deleted, "Failed", mark + Ended(100'000, 100'520, 143, "Error")),
      100'521);
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 1)));
  // Its successor started while it was stopping.
  DecideAt(Pod("q", Created(100'501), "Failed",
               Ended(100'502, 101'000, 137, "OOMKilled")),
           101'001);
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 1), Pair("memory", 1)));
}

TEST_F(DecideOnceTest, APodIsReportedBeforeItsJobSet) {
  const std::string pod =
      Pod("p",
          Created(100'000) +
              "labels { key: 'jobset.sigs.k8s.io/jobset-uid' value: 'S' } "
              "labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' }",
          "Failed", Ended(100'000, 100'500, 137, "OOMKilled"));
  const std::string job_set =
      "job_set { metadata { name: 'js' uid: 'S' } status { restarts: ";
  DecideAt(pod, 100'501);
  EXPECT_EQ(ledger_.workload_uid(), "S") << "each restart makes new Jobs";
  DecideAt(pod + job_set + "0 } }", 100'503);
  EXPECT_EQ(ledger_.workload_kind(), "JobSet");
  const auto restarted = DecideAt(pod + job_set + "1 } }", 100'505);
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
    DecideAt(Drained(absl::StrCat("p", i), begin, begin + 500), begin + 502);
  }
  const auto own = DecideAt(Pod("own", Created(107'000), "Failed",
                                Ended(107'000, 107'900, 1, "Error")) +
                                Job(7),
                            107'901);
  EXPECT_EQ(own.decision().action(), v1::Decision::RETRY);
  EXPECT_THAT(Charged(),
              ElementsAre(Pair("application", 1), Pair("disruption", 6)));
}

TEST_F(DecideOnceTest, IndexesFailOnTheirOwn) {
  replaces_operator_ = true;
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
  const auto both = DecideAt(big + wrong + job, 100'540);
  EXPECT_EQ(both.diagnosis().culprit().pod(), "i13");
  EXPECT_THAT(both.diagnosis().cascades(), IsEmpty());
  ASSERT_EQ(both.separate_size(), 1);
  EXPECT_EQ(both.separate(0).diagnosis().culprit().pod(), "i12");
  EXPECT_THAT(both.separate(0).decision().resources(), IsEmpty());
  EXPECT_FALSE(both.separate(0).duplicate());
  EXPECT_EQ(ledger_.attempts_seen(), 2);

  const auto alone = DecideAt(wrong + job, 100'550);
  EXPECT_TRUE(alone.accounting().duplicate());
  EXPECT_EQ(alone.decision().action(), both.separate(0).decision().action());
  EXPECT_THAT(alone.decision().resources(), IsEmpty());
  const auto again = DecideAt(wrong + big + job, 100'560);
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
      DecideAt(member("a", Ended(100'000, 100'500, 137, "OOMKilled")) +
                   member("b", Ended(100'000, 100'503, 1, "Error",
                                     "ValueError: got nothing from rank 0")),
               100'510);
  EXPECT_EQ(answer.separate_size(), 0);
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

// Reported one by one, without their Job, after it was left to the Job.
TEST_F(DecideOnceTest, MembersOfAGangHaveOneFailure) {
  const auto member = [](const char* uid, const std::string& status) {
    return Pod(uid,
               Created(1000) +
                   "labels { key: 'batch.kubernetes.io/job-completion-"
                   "index' value: '" +
                   uid + "' } ",
               status.find("terminated") == status.npos ? "Running" : "Failed",
               status);
  };
  const std::string root = member("2", Ended(1000, 1100, 137, "OOMKilled"));
  const std::string job =
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 2 "
      "completions: 2 completion_mode: 'Indexed' backoff_limit: 6 } status { "
      "active: 2 } } ";
  DecideAt(job + root + member("3", RunningFrom(1000)), 1101);
  const std::string echo = member(
      "3", Ended(1000, 1102, 1, "Error",
                 "NCCL error: remote process exited or there was a network "
                 "error"));
  for (const std::string& report : {echo, root, echo, root}) {
    DecideAt(report, 1105);
    EXPECT_THAT(Charged(), (std::map<std::string, int>{{"memory", 1}}));
    EXPECT_EQ(ledger_.attempts_seen(), 1);
  }
}

TEST_F(DecideOnceTest, WorkThatNeverFitsIsRecordedOnce) {
  const std::string report =
      "kueue_workload { metadata { uid: 'W' } status { conditions { "
      "type: 'QuotaReserved' status: 'False' reason: 'Pending' "
      "last_transition_time { seconds: 100000 } message: 'insufficient quota "
      "for cpu in flavor f, request > maximum capacity (64 > 32)' } } } "
      "jobs { metadata { name: 'train' uid: 'J' } spec { suspend: true } }";
  for (const int now : {100'060, 100'120, 100'180}) {
    EXPECT_EQ(DecideAt(report, now).decision().action(),
              v1::Decision::WAIT_FOR_SPEC_UPDATE);
  }
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

TEST_F(DecideOnceTest, AFailureBeforeItsSuccessorsIsNotCurrent) {
  const std::string successor = Pod("q", Created(101'000), "Failed",
                                    Ended(101'000, 101'500, 137, "OOMKilled"));
  DecideAt(successor + Job(2), 101'501);
  const auto both =
      DecideAt(Drained("p", 100'000, 100'500) + successor + Job(2), 101'503);
  EXPECT_EQ(both.diagnosis().culprit().pod(), "q");
  EXPECT_TRUE(both.accounting().duplicate());
  EXPECT_EQ(both.separate_size(), 0);
}

// Failures that only a counter reports never take the last unit of a budget.
TEST_F(DecideOnceTest, CountedFailuresAmongOthersAreUnexplained) {
  DecideAt(Pod("p2", Created(102'000), "Failed",
               Ended(102'000, 102'500, 139, "Error")) +
               Drained("p3", 103'000, 103'500) + Job(5),
           103'501);
  EXPECT_EQ(Charged(),
            (std::map<std::string, int>{
                {"application", 1}, {"disruption", 1}, {"unexplained", 1}}));
}

// If all failures before were disruptions, the counted ones are taken for more.
TEST_F(DecideOnceTest, CountedFailuresAmongDisruptionsAreDisruptions) {
  DecideAt(Drained("p2", 102'000, 102'500) + Drained("p3", 103'000, 103'500) +
               Job(4),
           103'501);
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"disruption", 4}}));
  DecideAt(Pod("p6", Created(104'000), "Failed",
               Ended(104'000, 104'500, 139, "Error")) +
               Job(6),
           104'501);
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1},
                                                   {"disruption", 5}}));
}

// Independent pods that end with their node are charged once for that.
TEST_F(DecideOnceTest, ANodeThatGoesIsChargedOnce) {
  const struct {
    const char* name;
    const char* reason;
    const char* other_node;
    int other_end;
    int charged;
  } rows[] = {
      {"a lost node", "DeletionByPodGC", "n", 100'503, 1},
      {"a drained node", "EvictionByEvictionAPI", "n", 100'503, 1},
      {"a tainted node", "DeletionByTaintManager", "n", 100'503, 1},
      {"two nodes", "DeletionByPodGC", "m", 100'503, 2},
      {"much later", "DeletionByPodGC", "n", 100'700, 2},
      {"preemption of single pods", "PreemptionByScheduler", "n", 100'503, 2},
  };
  for (const bool together : {true, false}) {
    for (const auto& row : rows) {
      ledger_.Clear();
      const auto pod = [&](const char* uid, const char* node, int end) {
        return absl::StrReplaceAll(
            Pod(uid, Created(100'000), "Failed",
                absl::StrReplaceAll(DrainedEnd(100'000, end),
                                    {{"EvictionByEvictionAPI", row.reason}})),
            {{"node_name: 'n'", absl::StrCat("node_name: '", node, "'")}});
      };
      const std::string job =
          JobIn("parallelism: 4 completions: 8", "active: 2");
      const std::string first = pod("p1", "n", 100'500);
      const std::string other = pod("p2", row.other_node, row.other_end);
      if (!together) DecideAt(job + first, 100'502);
      DecideAt(job + first + other, row.other_end + 1);
      int charged = 0;
      for (const auto& [budget, used] : Charged()) charged += used;
      EXPECT_EQ(charged, row.charged) << row.name << " " << together;
      EXPECT_EQ(ledger_.attempts_seen(), 2) << row.name << " " << together;
    }
  }
}

// The next pod on the same node is another attempt.
TEST_F(DecideOnceTest, DrainsInARowAreChargedEach) {
  std::string report = JobIn("parallelism: 4 completions: 8", "active: 1");
  for (int i = 0; i < 3; ++i) {
    const int begin = 100'000 + 20 * i;
    report += Drained(absl::StrCat("p", i), begin, begin + 15);
    DecideAt(report, begin + 16);
  }
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"disruption", 3}}));
}

// Three independent pods of a lost node do not make it a bad one.
TEST_F(DecideOnceTest, PodsOfALostNodeAreOneFailureOfTheNode) {
  std::string report = JobIn("parallelism: 4 completions: 8", "active: 1");
  v1::DecideResponse answer;
  for (int lost = 1; lost <= 3; ++lost) {
    const int begin = 100'000 + 1000 * lost;
    for (int i = 0; i < 3; ++i) {
      report += absl::StrReplaceAll(
          Drained(absl::StrCat("p", lost, "-", i), begin, begin + 500 + i),
          {{"EvictionByEvictionAPI", "DeletionByPodGC"}});
    }
    answer = DecideAt(report, begin + 510);
    EXPECT_EQ(answer.diagnosis().derived_cause() == v1::BAD_NODE, lost >= 2)
        << lost << " " << answer.diagnosis().summary();
  }
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"infrastructure", 3}}));
}

// Without a ledger, the current failure explains the counted ones if it costs
// nothing more.
TEST_F(DecideOnceTest, CountedFailuresAreLikeOneThatCostsNothing) {
  const struct {
    const char* name;
    std::string pod;
    std::map<std::string, int> charged;
  } rows[] = {
      {"a drain",
       DrainedEnd(102'000, 102'500),
       {{"disruption", 1}, {"unexplained", 1}}},
      {"a missing module",
       Ended(102'000, 102'500, 1, "Error",
             "ModuleNotFoundError: No module named flash_attn"),
       {}},
      {"out of memory, once for the limit that was tried",
       Ended(102'000, 102'500, 137, "OOMKilled"),
       {{"memory", 1}}},
      {"a crash",
       Ended(102'000, 102'500, 139, "Error"),
       {{"application", 1}, {"unexplained", 1}}},
  };
  for (const auto& row : rows) {
    ledger_.Clear();
    DecideAt(Pod("p2", Created(102'000), "Failed", row.pod) + Job(3), 102'501);
    EXPECT_EQ(Charged(), row.charged) << row.name;
    EXPECT_EQ(ledger_.attempts_seen(), 3) << row.name;
  }
}

// KubeRay retries a failed job only when its submitter has ended, which tries
// three times.
TEST_F(DecideOnceTest, ARayJobThatAwaitsItsSubmitterIsChargedOnce) {
  const auto report = [](const char* state, int failed, const char* job,
                         const std::string& submitter) {
    return absl::StrCat(
        "ray_job { metadata { name: 'tune' uid: 'R' } spec { backoff_limit: 2 "
        "submission_mode: 'K8sJobMode' } status { job_status: 'FAILED' "
        "job_deployment_status: '",
        state, "' failed: ", failed,
        " ray_cluster_name: 'c' start_time { seconds: 100000 } message: 'Job "
        "entrypoint command failed with exit code 1, last available logs\\n"
        "RuntimeError: worker lost its temper' } } jobs { metadata { name: "
        "'tune' uid: 'J' owner_references { kind: 'RayJob' name: 'tune' uid: "
        "'R' controller: true } } spec { backoff_limit: 2 } status { ",
        job, " } } ", submitter);
  };
  const auto submitter = [](const char* uid, int begin, const char* phase,
                            const std::string& status) {
    return absl::StrReplaceAll(
        Pod(uid, Created(begin), phase, status),
        {{"kind: 'Job' name: 'train'", "kind: 'Job' name: 'tune'"}});
  };
  const v1::DecideResponse waits = DecideAt(
      report("Running", 0, "active: 1",
             submitter("s1", 100'001, "Running", RunningFrom(100'001))),
      100'060);
  EXPECT_EQ(waits.diagnosis().situation(), v1::Diagnosis::ALIVE)
      << waits.decision().sentence();
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1}}));
  const std::string error = "RuntimeError: worker lost its temper";
  DecideAt(
      report("Retrying", 1,
             "failed: 3 conditions { type: 'Failed' status: 'True' reason: "
             "'BackoffLimitExceeded' last_transition_time { seconds: "
             "100110 } }",
             submitter("s1", 100'001, "Failed",
                       Ended(100'001, 100'065, 1, "Error", error.c_str())) +
                 submitter("s3", 100'090, "Failed",
                           Ended(100'090, 100'108, 1, "Error", error.c_str()))),
      100'112);
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1}}));
}

// A JobSet that starts its Jobs in order leaves the later ones suspended.
TEST_F(DecideOnceTest, AJobThatWaitsForItsTurnHidesNothing) {
  const auto job = [](const char* name, bool suspended) {
    return absl::StrCat(
        "jobs { metadata { name: '", name, "' uid: '", name,
        "' owner_references { kind: 'JobSet' name: 'order' uid: 'S' "
        "controller: "
        "true } } spec { suspend: ",
        suspended ? "true" : "false", " parallelism: 1 backoff_limit: 0 } ",
        "status { ", suspended ? "" : "failed: 1 ",
        "conditions { type: ", "'Suspended' status: '",
        suspended ? "True" : "False", "' reason: 'JobSuspended' } } } ");
  };
  const std::string pod = absl::StrReplaceAll(
      Pod("d0", Created(100'000), "Failed",
          Ended(100'000, 100'100, 139, "Error")),
      {{"name: 'train' uid: 'J'", "name: 'driver' uid: 'driver'"}});
  for (const bool suspended : {false, true}) {
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat("job_set { metadata { name: 'order' uid: 'S' } spec { ",
                     suspended ? "suspend: true " : "",
                     "} status { conditions { type: 'Suspended' status: 'True' "
                     "reason: 'SuspendedJobs' } } } ",
                     job("driver", suspended), job("workers", true),
                     suspended ? "" : pod),
        100'102);
    EXPECT_EQ(answer.diagnosis().cause(),
              suspended ? v1::SUSPENDED : v1::CRASH_SIGNAL);
  }
}

// Kueue evicts work that is not ready every few minutes.
TEST_F(DecideOnceTest, EachEvictionByAQueueIsCharged) {
  const auto evicted = [](const char* reason, int at) {
    return absl::StrCat(
        "jobs { metadata { name: 'train' uid: 'J' } spec { suspend: true } } ",
        "kueue_workload { metadata { name: 'job-train' uid: 'Q' } status { ",
        Is("Evicted", at, reason),
        "conditions { type: 'QuotaReserved' status: 'False' reason: 'Pending' "
        "last_transition_time { seconds: ",
        at, " } } } } ");
  };
  const struct {
    const char* name;
    std::vector<const char*> reasons;
    std::map<std::string, int> charged;
  } rows[] = {
      {"not ready", {"PodsReadyTimeout", "PodsReadyTimeout"}, {{"start", 2}}},
      {"nodes", {"NodeFailures", "NodeFailures"}, {{"infrastructure", 2}}},
      {"mixed",
       {"PodsReadyTimeout", "Preempted", "PodsReadyTimeout", "NodeFailures"},
       {{"start", 2}, {"disruption", 1}, {"infrastructure", 1}}},
  };
  for (const auto& row : rows) {
    for (const int gap : {130, 360, 590}) {
      ledger_.Clear();
      int at = 100'000;
      for (const char* reason : row.reasons) {
        for (const int after : {2, 60})
          DecideAt(evicted(reason, at), at + after);
        at += gap;
      }
      EXPECT_EQ(Charged(), row.charged) << row.name << " " << gap;
    }
  }
}

// A training operator deletes the pod that it restarts (ExitCode).
TEST_F(DecideOnceTest, AnOperatorsOwnDeletionEndsNothing) {
  for (const bool ended : {false, true}) {
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat(
            "kubeflow_job { kind: 'PyTorchJob' metadata { name: 'train' uid: "
            "'T' } status { conditions { type: '",
            ended ? "Succeeded" : "Running",
            "' status: 'True' } } } pods { metadata { name: 'w0' uid: 'w0' "
            "deletion_timestamp { seconds: 100100 } owner_references { kind: "
            "'PyTorchJob' name: 'train' uid: 'T' controller: true } } spec { "
            "node_name: 'n' restart_policy: 'Never' containers { name: "
            "'pytorch' } } status { phase: 'Failed' ",
            Ended(100'000, 100'100, 137, "Error"), " } } "),
        100'101);
    EXPECT_EQ(answer.diagnosis().situation(),
              ended ? v1::Diagnosis::FINISHED : v1::Diagnosis::ALIVE);
  }
}

// An event of its operator's object from before the current run.
TEST_F(DecideOnceTest, AnEventOfAnEarlierRunIsOver) {
  const struct {
    const char* name;
    int failed;
    int last;
    v1::Cause cause;
    const char* cluster = "";
  } rows[] = {
      {"before the second run", 1, 100'000, v1::NOT_FAILED},
      {"in the second run", 1, 100'060, v1::CREATE_CONFLICT},
      {"in the first run", 0, 100'000, v1::CREATE_CONFLICT},
      {"in the first run, and its cluster is there", 0, 100'000, v1::NOT_FAILED,
       "ray_cluster { metadata { name: 'tune-x' uid: 'C' "
       "owner_references { kind: 'RayJob' name: 'tune' uid: 'R' "
       "controller: true } } } "}};
  for (const auto& row : rows) {
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat(
            "ray_job { metadata { name: 'tune' uid: 'R' } spec { "
            "backoff_limit: 2 } status { job_deployment_status: "
            "'Initializing' failed: ",
            row.failed,
            " start_time { seconds: 100030 } } } events { type: 'Warning' "
            "reason: 'FailedToCreateRayCluster' message: 'Failed to create "
            "RayCluster ml/tune-x: rayclusters.ray.io \"tune-x\" already "
            "exists' involved_object { kind: 'RayJob' name: 'tune' uid: 'R' } "
            "first_timestamp { seconds: 100000 } last_timestamp { seconds: ",
            row.last, " } } ", row.cluster),
        100'070);
    EXPECT_EQ(answer.diagnosis().cause(), row.cause) << row.name;
  }
}

// A connection error of an independent pod is no sign of its peers.
TEST_F(DecideOnceTest, AConnectionErrorAmongIndependentPodsIsAFailureOfItsOwn) {
  const std::string refused =
      Ended(100'000, 100'100, 1, "Error",
            "ConnectionRefusedError: [Errno 111] Connection refused");
  const struct {
    const char* name;
    std::string status;
    const char* budget;
  } rows[] = {
      {"a drain", DrainedEnd(100'000, 100'104), "disruption"},
      {"out of memory", Ended(100'000, 100'104, 137, "OOMKilled"), "memory"},
      {"a drain, later", DrainedEnd(100'000, 101'000), "disruption"},
  };
  for (const auto& row : rows) {
    for (const bool first : {true, false}) {
      ledger_.Clear();
      const std::string other =
          Pod("p2", Created(100'000), "Failed", row.status);
      const std::string pods[] = {
          Pod("p1", Created(100'000), "Failed", refused), other};
      const std::string job =
          JobIn("parallelism: 4 completions: 8", "active: 2");
      if (first) DecideAt(job + pods[0], 100'101);
      DecideAt(job + pods[0] + pods[1], 101'001);
      EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1},
                                                       {row.budget, 1}}))
          << row.name << " " << first;
    }
  }
}

// Two that ended alike explain those between them.
TEST_F(DecideOnceTest, CountedFailuresBetweenEqualOnesAreLikeThem) {
  const struct {
    const char* name;
    int second;  // exit code
    std::map<std::string, int> charged;
  } rows[] = {{"equal crashes", 139, {{"application", 3}}},
              {"different ones", 1, {{"application", 2}, {"unexplained", 1}}}};
  for (const auto& row : rows) {
    ledger_.Clear();
    DecideAt(Pod("p1", Created(101'000), "Failed",
                 Ended(101'000, 101'500, 139, "Error")) +
                 Job(1),
             101'501);
    DecideAt(Pod("p3", Created(103'000), "Failed",
                 Ended(103'000, 103'500, row.second, "Error")) +
                 Job(3),
             103'501);
    EXPECT_EQ(Charged(), row.charged) << row.name;
  }
}

// KubeRay reports a drained head pod as a lost node.
TEST_F(DecideOnceTest, ALostNodeKnownOnlyFromAMessageIsLikeThoseBefore) {
  const auto job = [](int failed, const char* status, int ended) {
    return absl::StrCat(
        "ray_job { metadata { name: 'tune' uid: 'R' } spec { backoff_limit: 2 ",
        "} status { job_deployment_status: '", status, "' failed: ", failed,
        " job_status: 'FAILED' reason: 'AppFailed' ray_cluster_name: 'c' "
        "message: 'Job supervisor actor died because its node died.' "
        "end_time { seconds: ",
        ended, " } } } ");
  };
  const std::string head = absl::StrCat(
      "pods { metadata { name: 'head' uid: 'H' creation_timestamp { seconds: "
      "100000 } labels { key: 'ray.io/cluster' value: 'c' } } spec { "
      "node_name: "
      "'n' restart_policy: 'Never' containers { "
      "name: 'ray-head' } } status { phase: 'Failed' ",
      DrainedEnd(100'000, 100'500), " } } ");
  for (const bool drained : {true, false}) {
    ledger_.Clear();
    if (drained) DecideAt(job(1, "Retrying", 100'500) + head, 100'501);
    DecideAt(job(drained ? 2 : 1, "Failed", 100'999), 101'000);
    EXPECT_EQ(Charged(),
              drained ? (std::map<std::string, int>{{"disruption", 2}})
                      : (std::map<std::string, int>{{"infrastructure", 1}}));
  }
}

// The Spark operator keeps the time of the first failure (2.3).
TEST_F(DecideOnceTest, SparkRunsWithTheTimeOfTheFirstFailureAreChargedEach) {
  v1::DecideResponse answer;
  for (int run = 1; run <= 4; ++run) {
    const int submitted = 100'000 + 60 * run;
    answer = DecideAt(
        absl::StrCat(
            "spark_application { metadata { name: 'etl' uid: 'S' } spec { "
            "restart_policy { type: 'OnFailure' on_failure_retries: 3 } } "
            "status { submission_id: 'i' execution_attempts: ",
            run, " last_submission_attempt_time { seconds: ", submitted,
            " } termination_time { seconds: 100080 } application_state { "
            "state: "
            "'",
            run < 4 ? "FAILING" : "FAILED",
            "' error_message: 'driver container failed with ExitCode: 1, "
            "Reason: Error' } } } "),
        submitted + 21);
  }
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 3}}));
  EXPECT_EQ(ledger_.attempts_seen(), 4);
  EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL);
}

// A failure known only from an operator's summary is not the program's.
TEST_F(DecideOnceTest, AFailureKnownOnlyFromASummaryIsUnexplained) {
  DecideAt(
      "jobs { metadata { name: 'train' uid: 'J' } spec { backoff_limit: 0 } "
      "status { failed: 1 conditions { type: 'Failed' status: 'True' reason: "
      "'BackoffLimitExceeded' message: 'Job has reached the specified backoff "
      "limit' last_transition_time { seconds: 100000 } } } } ",
      100'001);
  EXPECT_EQ(Charged(), (std::map<std::string, int>{{"unexplained", 1}}));
}

// In a loop that is no longer charged, a round known only from a counter is not
// charged either.
TEST_F(DecideOnceTest, ACountedRoundOfALoopBelongsToTheLoop) {
  const auto missing = [](const char* uid, int begin) {
    return Pod(uid, Created(begin), "Failed",
               Ended(begin, begin + 20, 1, "Error",
                     "ModuleNotFoundError: No module named flash_attn"));
  };
  DecideAt(missing("p", 101'000) + Job(1), 101'021);
  DecideAt(missing("r", 103'000) + Job(3), 103'021);
  EXPECT_EQ(Charged(), (std::map<std::string, int>{}));
  EXPECT_EQ(ledger_.attempts_seen(), 3);
}

}  // namespace
}  // namespace mulligan::situations
