// Between two attempts the work is its operator's, as long as the operator's
// own limit allows a retry: the failure is ignored, named and charged once.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::HasSubstr;

using Charges = std::map<std::string, int>;

constexpr int kMade = 100'000;
constexpr int kGone = 100'500;

// A kind of work, one pod of which has failed.
struct LimitedRow {
  const char* name;
  // The object with a limit of `limit` retries.
  std::string (*object)(int limit);
  std::string (*metadata)();
};

std::string LimitedJob(int limit) {
  return JobIn(
      absl::StrCat("parallelism: 1 completions: 1 backoff_limit: ", limit), "");
}

std::string OwnedMetadata(const char* owner, const std::string& more = "") {
  return absl::StrCat("creation_timestamp { seconds: ", kMade,
                      " } finalizers: 'batch.kubernetes.io/job-tracking' ",
                      owner, more);
}

std::string PodOfJob() { return OwnedMetadata(kOwner); }

std::string IndexedJob(int limit) {
  return JobIn(absl::StrCat("completion_mode: 'Indexed' parallelism: 1 "
                            "completions: 1 backoff_limit_per_index: ",
                            limit),
               "");
}

std::string PodOfIndex() {
  return OwnedMetadata(
      kOwner,
      "labels { key: 'batch.kubernetes.io/job-completion-index' value: '0' } "
      "annotations { key: 'batch.kubernetes.io/job-index-failure-count' value: "
      "'0' } ");
}

std::string LimitedJobSet(int limit) {
  return absl::StrCat(
      "job_set { metadata { name: 'train' uid: 'T' } spec { failure_policy { "
      "max_restarts: ",
      limit,
      " } } status { } } jobs { metadata { name: 'train-w-0' uid: 'W' labels { "
      "key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' } "
      "owner_references { kind: 'JobSet' name: 'train' uid: 'T' controller: "
      "true } } spec { parallelism: 1 completions: 1 backoff_limit: 0 } status "
      "{ } } ");
}

// A JobSet that restarts nothing, and a Job of it that replaces its pods.
std::string JobSetOfLimitedJob(int limit) {
  return absl::StrReplaceAll(
      LimitedJobSet(0),
      {{"backoff_limit: 0", absl::StrCat("backoff_limit: ", limit)}});
}

std::string PodOfJobSet() {
  return OwnedMetadata(
      "owner_references { kind: 'Job' name: 'train-w-0' uid: 'W' controller: "
      "true } ",
      "labels { key: 'jobset.sigs.k8s.io/jobset-name' value: 'train' } labels "
      "{ key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' } ");
}

std::string LimitedSparkApplication(int limit) {
  return absl::StrCat(
      "spark_application { metadata { name: 'train' uid: 'S' } spec { "
      "restart_policy { type: 'OnFailure' on_failure_retry_interval: 10 "
      "on_failure_retries: ",
      limit,
      " } } status { application_state { state: 'RUNNING' } driver_info { "
      "pod_name: 'p' } execution_attempts: 1 submission_attempts: 1 "
      "last_submission_attempt_time { seconds: ",
      kMade, " } } } ");
}

std::string PodOfSparkApplication() {
  return absl::StrCat("creation_timestamp { seconds: ", kMade,
                      " } labels { key: 'spark-role' value: 'driver' } "
                      "labels { key: 'sparkoperator.k8s.io/app-name' value: "
                      "'train' } ");
}

std::string LimitedRayJob(int limit) {
  return absl::StrCat(
      "ray_job { metadata { name: 'train' uid: 'R' } spec { submission_mode: "
      "'HTTPMode' backoff_limit: ",
      limit,
      " } status { job_deployment_status: 'Running' job_status: 'RUNNING' "
      "ray_cluster_name: 'train-c' start_time { seconds: ",
      kMade,
      " } } } ray_cluster { metadata { name: 'train-c' uid: 'C' "
      "owner_references { kind: 'RayJob' name: 'train' uid: 'R' controller: "
      "true } } } ");
}

std::string PodOfRayJob() {
  return absl::StrCat(
      "creation_timestamp { seconds: ", kMade,
      " } owner_references { kind: 'RayCluster' name: 'train-c' uid: 'C' "
      "controller: true } labels { key: 'ray.io/node-type' value: 'head' } "
      "labels { key: 'ray.io/cluster' value: 'train-c' } ");
}

const LimitedRow kLimited[] = {
    {"Job", LimitedJob, PodOfJob},
    {"Indexed Job", IndexedJob, PodOfIndex},
    {"JobSet", LimitedJobSet, PodOfJobSet},
    {"Job of a JobSet", JobSetOfLimitedJob, PodOfJobSet},
    {"SparkApplication", LimitedSparkApplication, PodOfSparkApplication},
    {"RayJob", LimitedRayJob, PodOfRayJob},
};

struct EndRow {
  const char* name;
  std::string status;
  Charges charges;
};

class LeftToOperatorsTest : public DecideOnceTest {
 protected:
  const EndRow ends_[4] = {
      {"an error", Ended(kMade, kGone, 1, "Error"), {{"application", 1}}},
      {"out of memory", Ended(kMade, kGone, 137, "OOMKilled"), {{"memory", 1}}},
      {"a drain", DrainedEnd(kMade, kGone), {{"disruption", 1}}},
      {"a missing module",
       Ended(kMade, kGone, 1, "Error",
             "ModuleNotFoundError: No module named flash_attn"),
       {}},
  };
};

TEST_F(LeftToOperatorsTest, AreRetriesWithinTheLimit) {
  for (const LimitedRow& kind : kLimited) {
    for (const EndRow& end : ends_) {
      for (const int limit : {1, 6}) {
        ledger_.Clear();
        const std::string report =
            kind.object(limit) +
            Pod("p", kind.metadata(), "Failed", end.status);
        for (const int now : {kGone + 1, kGone + 9, kGone + 60}) {
          const v1::DecideResponse answer = DecideAt(report, now);
          const std::string what =
              absl::StrCat(kind.name, ", ", end.name, ", limit ", limit);
          EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE)
              << what;
          EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE) << what;
          EXPECT_NE(answer.diagnosis().cause(), v1::NOT_FAILED) << what;
          EXPECT_THAT(answer.decision().sentence(), HasSubstr("the work goes"))
              << what;
          EXPECT_EQ(Charged(), end.charges) << what;
          // The program's message is shown as for broken work.
          if (end.charges.empty()) {
            EXPECT_THAT(answer.diagnosis().problem(), HasSubstr("flash_attn"))
                << what;
            EXPECT_FALSE(answer.diagnosis().first_step().text().empty())
                << what;
          }
          ASSERT_EQ(ledger_.history_size(), 1) << what;
          EXPECT_EQ(ledger_.history(0).retried_by(),
                    v1::AttemptRecord::OPERATOR)
              << what;
        }
      }
    }
  }
}

// A marked pod runs on for its grace period; its operator has not seen its end.
TEST_F(LeftToOperatorsTest, AreDrainsWhoseGracePeriodRuns) {
  for (const LimitedRow& kind : kLimited) {
    for (const int limit : {0, 1, 6}) {
      ledger_.Clear();
      const v1::DecideResponse answer = DecideAt(
          kind.object(limit) +
              Pod("p", kind.metadata(), "Running",
                  absl::StrCat(kMarked, kGone, " } } ", RunningFrom(kMade))),
          kGone + 1);
      const std::string what = absl::StrCat(kind.name, ", limit ", limit);
      EXPECT_EQ(answer.diagnosis().cause(), v1::DRAINED) << what;
      EXPECT_EQ(answer.diagnosis().situation(),
                limit > 0 ? v1::Diagnosis::ALIVE : v1::Diagnosis::BROKEN)
          << what;
      EXPECT_EQ(answer.decision().action(),
                limit > 0 ? v1::Decision::IGNORE : v1::Decision::RETRY)
          << what;
      EXPECT_EQ(Charged(), (Charges{{"disruption", 1}})) << what;
    }
  }
}

// Work that the operator gave up is the caller's to decide.
TEST_F(LeftToOperatorsTest, IsNothingBeyondTheLimit) {
  for (const LimitedRow& kind : kLimited) {
    for (const EndRow& end : ends_) {
      ledger_.Clear();
      const v1::DecideResponse answer = DecideAt(
          kind.object(0) + Pod("p", kind.metadata(), "Failed", end.status),
          kGone + 1);
      const std::string what = absl::StrCat(kind.name, ", ", end.name);
      EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::BROKEN) << what;
      EXPECT_EQ(answer.decision().action(),
                end.charges.empty() ? v1::Decision::FAIL : v1::Decision::RETRY)
          << what;
      EXPECT_EQ(Charged(), end.charges) << what;
    }
  }
}

// A caller that replaces the operator decides what the operator would retry.
TEST_F(LeftToOperatorsTest, IsNothingIfTheCallerReplacesThem) {
  replaces_operator_ = true;
  for (const LimitedRow& kind : kLimited) {
    for (const EndRow& end : ends_) {
      ledger_.Clear();
      const v1::DecideResponse answer = DecideAt(
          kind.object(6) + Pod("p", kind.metadata(), "Failed", end.status),
          kGone + 1);
      const std::string what = absl::StrCat(kind.name, ", ", end.name);
      EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::BROKEN) << what;
      EXPECT_EQ(Charged(), end.charges) << what;
    }
  }
}

// A handwritten Job lacks the API server's defaults.
TEST_F(LeftToOperatorsTest, IsNothingWithoutAStatedLimit) {
  const std::string job = JobIn("parallelism: 1 completions: 1", "");
  for (const EndRow& end : ends_) {
    ledger_.Clear();
    EXPECT_EQ(
        DecideAt(job + Pod("p", PodOfJob(), "Failed", end.status), kGone + 1)
            .diagnosis()
            .situation(),
        v1::Diagnosis::BROKEN)
        << end.name;
  }
}

// Pods without their owner: it is known to replace pods only if one was created
// after another had ended. An end that no object shows, as for a pod whose node
// is gone, is not at the pod's creation.
TEST_F(LeftToOperatorsTest, IsNothingForPodsThatReplacedNone) {
  const std::string lost =
      "conditions { type: 'DisruptionTarget' status: 'True' reason: "
      "'DeletionByPodGC' } ";
  for (const EndRow& end : ends_) {
    for (const std::string& other :
         {std::string(), Pod("q", PodOfJob(), "Failed", lost),
          Pod("q", PodOfJob(), "Failed", end.status)}) {
      for (const std::string& status : {end.status, lost}) {
        ledger_.Clear();
        EXPECT_EQ(
            DecideAt(Pod("p", PodOfJob(), "Failed", status) + other, kGone + 1)
                .diagnosis()
                .situation(),
            v1::Diagnosis::BROKEN)
            << end.name << ": " << status << other;
      }
    }
  }
}

// The Job controller labels its pods: one that it created after a recorded
// failure is its own retry, whichever caller was granted one.
TEST_F(LeftToOperatorsTest, AreFailuresAfterARecordedOne) {
  const std::string labelled =
      "labels { key: 'batch.kubernetes.io/controller-uid' value: 'J' } ";
  const auto made = [](int at, const std::string& more) {
    return absl::StrCat("creation_timestamp { seconds: ", at, " } ", kOwner,
                        more);
  };
  for (const EndRow& end : ends_) {
    for (const bool by_controller : {true, false}) {
      ledger_.Clear();
      const std::string more = by_controller ? labelled : "";
      ASSERT_EQ(DecideAt(Pod("p", made(kMade, more), "Failed", ends_[2].status),
                         kGone + 1)
                    .decision()
                    .action(),
                v1::Decision::RETRY);
      const v1::DecideResponse answer = DecideAt(
          Pod("q", made(kGone + 10, more), "Failed", end.status), kGone + 11);
      EXPECT_EQ(answer.diagnosis().situation(),
                by_controller ? v1::Diagnosis::ALIVE : v1::Diagnosis::BROKEN)
          << end.name;
    }
  }
}

// A JobSet's rule for the reason that its Job is going to fail with.
TEST_F(LeftToOperatorsTest, AreRestartedByTheRulesOfAJobSet) {
  const std::string object = absl::StrReplaceAll(
      LimitedJobSet(0),
      {{"max_restarts: 0",
        "max_restarts: 0 rules { name: 'r' action: "
        "'RestartJobSetAndIgnoreMaxRestarts' on_job_failure_reasons: "
        "'PodFailurePolicy' } "},
       {"backoff_limit: 0",
        "backoff_limit: 0 pod_failure_policy { rules { action: 'FailJob' "
        "on_pod_conditions { type: 'DisruptionTarget' status: 'True' } } } "
        "template { spec { restart_policy: 'Never' } }"},
       {"labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' } "
        "owner_references { kind: 'JobSet'",
        "labels { key: 'jobset.sigs.k8s.io/replicatedjob-name' value: 'w' } "
        "labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '0' } "
        "owner_references { kind: 'JobSet'"}});
  const std::string failing = absl::StrReplaceAll(
      object, {{"status { } } ",
                absl::StrCat("status { ",
                             Is("FailureTarget", kGone, "PodFailurePolicy"),
                             " } } ")}});
  for (const std::string& now : {object, failing}) {
    ledger_.Clear();
    const auto by = [&](const std::string& status) {
      return DecideAt(now + Pod("p", PodOfJobSet(), "Failed", status),
                      kGone + 1)
          .diagnosis()
          .situation();
    };
    EXPECT_EQ(by(DrainedEnd(kMade, kGone)), v1::Diagnosis::ALIVE);
    if (now == failing) continue;
    ledger_.Clear();
    EXPECT_EQ(by(Ended(kMade, kGone, 139, "Error")), v1::Diagnosis::BROKEN);
  }
}

// A restarting JobSet gets the cause of its pods.
TEST_F(LeftToOperatorsTest, AreNamedAfterTheirPodsAreGone) {
  const auto job_set = [](int restarts, bool restarting) {
    return absl::StrCat(
        "job_set { metadata { name: 'train' uid: 'T' } spec { failure_policy { "
        "max_restarts: 3 } } status { restarts: ",
        restarts, " ",
        restarting ? Is("RestartingJobSet", kGone + 5, "DefaultFailurePolicy")
                   : "",
        " } } ");
  };
  for (const EndRow& end : ends_) {
    ledger_.Clear();
    DecideAt(absl::StrCat(
                 job_set(0, false),
                 "jobs { metadata { name: 'train-w-0' uid: 'W' labels { key: "
                 "'jobset.sigs.k8s.io/restart-attempt' value: '0' } "
                 "owner_references { kind: 'JobSet' name: 'train' uid: 'T' "
                 "controller: true } } spec { parallelism: 1 completions: 1 "
                 "backoff_limit: 0 } status { failed: 1 } } ",
                 Pod("p", PodOfJobSet(), "Failed", end.status)),
             kGone + 1);
    const Charges charged = Charged();
    const v1::Cause cause = ledger_.history(0).cause();
    const v1::DecideResponse answer = DecideAt(job_set(1, true), kGone + 6);
    EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE) << end.name;
    EXPECT_EQ(answer.diagnosis().cause(), cause) << end.name;
    EXPECT_EQ(Charged(), charged) << end.name;
  }
}

// The same for a Spark operator's message once the driver is gone, and for the
// work that replaces it while the failure is recent.
TEST_F(LeftToOperatorsTest, AreNamedByTheirRecordsAfterTheDriverIsGone) {
  const auto in_state = [](const char* state, int attempts) {
    return absl::StrCat(
        "spark_application { metadata { name: 'train' uid: 'S' } spec { "
        "restart_policy { type: 'OnFailure' on_failure_retry_interval: 10 "
        "on_failure_retries: 3 } } status { application_state { ",
        state,
        " } driver_info { pod_name: 'p' } execution_attempts: ", attempts,
        " submission_attempts: 1 last_submission_attempt_time { seconds: ",
        kMade, " } termination_time { seconds: ", kGone, " } } } ");
  };
  DecideAt(LimitedSparkApplication(3) +
               Pod("p", PodOfSparkApplication(), "Failed", ends_[2].status),
           kGone + 1);
  for (const std::string& report :
       {in_state("state: 'PENDING_RERUN' error_message: 'driver container "
                 "failed with ExitCode: 143, Reason: Error'",
                 1),
        in_state("state: 'SUBMITTED'", 2)}) {
    const v1::DecideResponse answer = DecideAt(report, kGone + 6);
    EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE) << report;
    EXPECT_EQ(answer.diagnosis().cause(), v1::DRAINED) << report;
    EXPECT_EQ(Charged(), (Charges{{"disruption", 1}})) << report;
  }
}

// A pod that cannot start waits for a person, whatever failed before it.
TEST_F(LeftToOperatorsTest, IsNothingThatCannotStart) {
  for (const EndRow& end : ends_) {
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        JobIn("parallelism: 1 completions: 1 backoff_limit: 6",
              "active: 1 failed: 1 ready: 0") +
            Pod("p", PodOfJob(), "Failed", end.status) +
            Pod("q", Created(kGone + 10), "Pending",
                "container_statuses { name: 'main' state { waiting { "
                "reason: 'ImagePullBackOff' message: 'manifest unknown: "
                "not found' } } } "),
        kGone + 90'000);
    EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::BROKEN)
        << end.name;
    EXPECT_EQ(answer.diagnosis().culprit().pod(), "q") << end.name;
  }
}

// An operator that has not retried in time is not expected to.
TEST_F(LeftToOperatorsTest, IsNothingLongAfterTheBackOff) {
  for (const LimitedRow& kind : kLimited) {
    for (const EndRow& end : ends_) {
      ledger_.Clear();
      EXPECT_EQ(DecideAt(kind.object(6) +
                             Pod("p", kind.metadata(), "Failed", end.status),
                         kGone + 1000)
                    .diagnosis()
                    .situation(),
                v1::Diagnosis::BROKEN)
          << kind.name << ", " << end.name;
    }
  }
}

// A failure that an operator retried stays charged when it is reported again as
// one of an earlier attempt.
TEST_F(LeftToOperatorsTest, StaysChargedWhenReportedLate) {
  const auto attempt = [&](int number, const char* pod, const EndRow& end) {
    return absl::StrCat("attempt: ", number, " ", LimitedJob(6),
                        Pod(pod, PodOfJob(), "Failed", end.status));
  };
  DecideAt(attempt(1, "p", ends_[1]), kGone + 1);
  replaces_operator_ = true;
  DecideAt(attempt(2, "q", ends_[0]), kGone + 1);
  const v1::BudgetLedger before = ledger_;
  ASSERT_EQ(Charged(), (Charges{{"application", 1}, {"memory", 1}}));
  DecideAt(attempt(1, "p", ends_[1]), kGone + 20);
  EXPECT_EQ(Charged(), (Charges{{"application", 1}, {"memory", 1}}));
  EXPECT_EQ(ledger_.attempts_seen(), before.attempts_seen());
  EXPECT_EQ(ledger_.history_size(), before.history_size());
}

// Six drains and a bug, reported while the next pod runs, in between, or both:
// the account is the same.
TEST_F(LeftToOperatorsTest, HaveOneAccountHoweverTheyAreReported) {
  constexpr int kDrains = 6;
  for (int reported = 1; reported < 4; ++reported) {
    const bool between = (reported & 1) != 0;
    const bool while_next_runs = (reported & 2) != 0;
    ledger_.Clear();
    v1::DecideResponse answer;
    std::string past;
    int at = kMade;
    for (int attempt = 0; attempt <= kDrains; ++attempt, at += 600) {
      const int end = at + 500;
      const bool bug = attempt == kDrains;
      const auto object = [&](int active, int failed) {
        return JobIn(
            "parallelism: 1 completions: 1 backoff_limit: 6",
            absl::StrCat("active: ", active, " failed: ", failed, " ",
                         bug && active == 0
                             ? Is("Failed", end + 1, "BackoffLimitExceeded")
                             : ""));
      };
      past += Pod(absl::StrCat("p", attempt), Created(at), "Failed",
                  bug ? Ended(at, end, 139, "Error") : DrainedEnd(at, end));
      if (between || bug)
        answer = DecideAt(object(0, attempt + 1) + past, end + 2);
      if (!while_next_runs || bug) continue;
      const std::string next =
          Pod(absl::StrCat("p", attempt + 1), Created(at + 600), "Running",
              RunningFrom(at + 600));
      answer = DecideAt(object(1, attempt + 1) + past + next, at + 620);
    }
    EXPECT_EQ(Charged(), (Charges{{"application", 1}, {"disruption", 6}}))
        << reported;
    EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY) << reported;
    EXPECT_EQ(ledger_.attempts_seen(), 7) << reported;
  }
}

// What was at work before it was stopped, replaced or done.
struct FollowedRow {
  const char* name;
  std::string report;
  int now;
  v1::Cause cause;
  v1::Diagnosis::Situation situation;
  v1::Decision::Action action;
  Charges charges;
};

std::string Rejected(const std::string& uid, int at) {
  return Pod(uid, Created(at), "Failed",
             absl::StrCat("reason: 'UnexpectedAdmissionError' start_time { "
                          "seconds: ",
                          at, " } "));
}

// A Job of a queue, one pod of which failed by itself, 100 seconds before the
// queue stopped it.
std::string StoppedByQueue(const char* reason, const char* workload) {
  return absl::StrCat(
      JobIn("suspend: true parallelism: 1 completions: 1 backoff_limit: 6",
            "failed: 1"),
      "kueue_workload { metadata { name: 'w' uid: 'W' } ", workload,
      " status { ", Is("Evicted", kMade + 150, reason),
      reason == std::string("Preempted")
          ? Is("Preempted", kMade + 150, "InClusterQueue")
          : "",
      "} } ",
      Pod("p0", Created(kMade), "Failed",
          Ended(kMade, kMade + 50, 139, "Error")));
}

// KubeRay waits for the submitter of a failed application before it retries.
std::string SubmittedRayJob(const char* deployment, int failed) {
  return absl::StrCat(
      "ray_job { metadata { name: 'train' uid: 'R' } spec { submission_mode: "
      "'K8sJobMode' backoff_limit: 2 } status { job_deployment_status: '",
      deployment,
      "' job_status: 'FAILED' ray_cluster_name: 'train-c' failed: ", failed,
      " message: 'RuntimeError: boom' start_time { seconds: ", kMade,
      " } } } jobs { metadata { name: 'train' uid: 'J' owner_references { "
      "kind: "
      "'RayJob' name: 'train' uid: 'R' controller: true } } spec { "
      "parallelism: "
      "1 completions: 1 backoff_limit: 2 } status { active: 1 } } ",
      Pod("submitter", Created(kMade + 5), "Failed",
          Ended(kMade + 8, kMade + 60, 1, "Error")));
}

std::string LostHead() {
  return Pod("head",
             absl::StrCat("labels { key: 'ray.io/node-type' value: 'head' } "
                          "labels { key: 'ray.io/cluster' value: 'train-c' } "
                          "owner_references { kind: 'RayCluster' name: "
                          "'train-c' uid: 'C' controller: true } "
                          "creation_timestamp { seconds: ",
                          kMade, " } "),
             "Failed",
             absl::StrCat(kMarked, kMade + 50, " } } ",
                          Ended(kMade, kMade + 55, 143, "Error")));
}

TEST_F(DecideOnceTest, WhatFollowsAFailureIsRecognised) {
  const std::string crash = Ended(kMade, kMade + 50, 139, "Error");
  const FollowedRow rows[] = {
      {"a pod that the kubelet rejects is replaced",
       Job(1, "backoff_limit: 6") + Rejected("p0", kMade),
       kMade + 5,
       v1::DEVICE_ADMISSION,
       v1::Diagnosis::ALIVE,
       v1::Decision::IGNORE,
       {{"infrastructure", 1}}},
      {"its successor's failure is the last one",
       absl::StrCat(Job(2, "backoff_limit: 6"), Rejected("p0", kMade),
                    Pod("p1", Created(kMade + 10), "Failed",
                        Ended(kMade + 10, kMade + 60, 1, "Error",
                              "RuntimeError: boom"))),
       kMade + 61,
       v1::APP_ERROR,
       v1::Diagnosis::ALIVE,
       v1::Decision::IGNORE,
       {{"infrastructure", 1}, {"application", 1}}},
      {"a queue preempts what was retried",
       StoppedByQueue("Preempted", ""),
       kMade + 155,
       v1::PREEMPTED_QUEUE,
       v1::Diagnosis::BROKEN,
       v1::Decision::WAIT,
       {{"application", 1}, {"disruption", 1}}},
      {"a queue deactivates what was retried",
       StoppedByQueue("Deactivated", "spec { active: false }"),
       kMade + 155,
       v1::SUSPENDED,
       v1::Diagnosis::HELD,
       v1::Decision::WAIT,
       {}},
      {"a queue requeues work that lost its nodes",
       StoppedByQueue("NodeFailures", ""),
       kMade + 155,
       v1::NODE_LOST,
       v1::Diagnosis::BROKEN,
       v1::Decision::RETRY,
       {{"application", 1}, {"infrastructure", 1}}},
      {"a submitter's end is not the end of the RayJob",
       SubmittedRayJob("Running", 0),
       kMade + 62,
       v1::APP_ERROR,
       v1::Diagnosis::ALIVE,
       v1::Decision::IGNORE,
       {{"application", 1}}},
      {"a submitter follows the head that was lost",
       SubmittedRayJob("Retrying", 1) + LostHead(),
       kMade + 62,
       v1::DRAINED,
       v1::Diagnosis::ALIVE,
       v1::Decision::IGNORE,
       {{"disruption", 1}}},
      {"a success keeps the account of what was retried",
       absl::StrCat(
           JobIn("parallelism: 1 completions: 1 backoff_limit: 6",
                 "failed: 1 succeeded: 1 " + Is("Complete", kMade + 200)),
           Pod("p0", Created(kMade), "Failed", crash),
           Pod("p1", Created(kMade + 60), "Succeeded",
               Ended(kMade + 60, kMade + 199, 0, "Completed"))),
       kMade + 201,
       v1::SUCCEEDED,
       v1::Diagnosis::FINISHED,
       v1::Decision::IGNORE,
       {{"application", 1}}},
  };
  for (const FollowedRow& row : rows) {
    ledger_.Clear();
    for (const char* when : {"first", "again"}) {
      const v1::DecideResponse answer = DecideAt(row.report, row.now);
      const std::string what = absl::StrCat(row.name, ", ", when, ": ",
                                            answer.decision().sentence());
      EXPECT_EQ(v1::Cause_Name(answer.diagnosis().cause()),
                v1::Cause_Name(row.cause))
          << what;
      EXPECT_EQ(answer.diagnosis().situation(), row.situation) << what;
      EXPECT_EQ(answer.decision().action(), row.action) << what;
      EXPECT_EQ(Charged(), row.charges) << what;
    }
  }
}

}  // namespace
}  // namespace mulligan::situations
