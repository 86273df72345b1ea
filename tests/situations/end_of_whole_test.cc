// The object that decides how the work ends says so: neither a part's success
// nor pods that its controller stopped change the end of the whole.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr int kEnd = 100'500;

// A kind that may own Jobs and pods, as an object called "train" with UID "T":
// its statuses for each end, and those of work that has not ended.
struct WholeRow {
  const char* kind;
  const char* field;
  std::vector<const char*> failed;
  std::vector<const char*> open;
};

std::vector<WholeRow> Wholes() {
  static const std::string failed = Is("Failed", kEnd + 5);
  static const std::string target = Is("FailureTarget", kEnd + 5);
  static const std::string running = Is("Running", kEnd + 5);
  static const std::string created = Is("Created", kEnd + 5);
  static const std::string suspended = Is("Suspended", kEnd + 5);
  return {
      {"JobSet",
       "job_set",
       {failed.c_str(), "terminal_state: 'Failed'"},
       {"", "restarts: 0", "restarts: 2", suspended.c_str()}},
      {"TrainJob", "train_job", {failed.c_str()}, {"", created.c_str()}},
      {"RayJob",
       "ray_job",
       {"job_deployment_status: 'Failed' job_status: 'FAILED'",
        "job_deployment_status: 'Failed' reason: 'DeadlineExceeded'",
        "job_deployment_status: 'Complete' job_status: 'FAILED'"},
       {"job_deployment_status: 'Running' job_status: 'RUNNING'",
        "job_deployment_status: 'Initializing'",
        "job_deployment_status: 'Retrying' failed: 1"}},
      {"SparkApplication",
       "spark_application",
       {"application_state { state: 'FAILED' error_message: 'driver' }"},
       {"application_state { state: 'RUNNING' }",
        "application_state { state: 'SUBMITTED' }",
        "application_state { state: 'PENDING_RERUN' }"}},
      {"PyTorchJob",
       "kubeflow_job",
       {failed.c_str()},
       {created.c_str(), running.c_str()}},
      {"RayCluster", "ray_cluster", {}, {"state: 'ready'", ""}},
      {"Job",
       "jobs",
       {failed.c_str(), target.c_str()},
       {"active: 1", "active: 1 succeeded: 1", "failed: 1 active: 1"}},
  };
}

std::string Whole(const WholeRow& row, const std::string& status) {
  const bool many = row.field == std::string("kubeflow_job");
  return absl::StrCat(row.field, " { ", many ? "kind: 'PyTorchJob' " : "",
                      "metadata { name: 'train' uid: 'T' } spec {} status { ",
                      status, " } } ");
}

std::string OwnedBy(const char* kind) {
  return absl::StrCat("owner_references { kind: '", kind,
                      "' name: 'train' uid: 'T' controller: true } ");
}

// A child Job (`which` & 1) and a pod (`which` & 2) that have succeeded.
std::string DoneParts(const WholeRow& row, int which) {
  std::string parts;
  if ((which & 1) != 0 && row.kind != std::string("Job")) {
    absl::StrAppend(&parts, "jobs { metadata { name: 'train-prep' uid: 'C' ",
                    OwnedBy(row.kind),
                    "} spec { completions: 1 } status { succeeded: 1 ",
                    Is("Complete", kEnd - 300), "} } ");
  }
  if ((which & 2) != 0) {
    absl::StrAppend(&parts, Pod("train-prep-x", OwnedBy(row.kind), "Succeeded",
                                Ended(100'000, kEnd - 300, 0, "Completed")));
  }
  return parts;
}

class EndOfWholeTest : public DecideOnceTest {
 protected:
  v1::DecideResponse Ask(const std::string& report, int now = kEnd + 60) {
    ledger_.Clear();
    return DecideAt(report, now);
  }
};

TEST_F(EndOfWholeTest, APartsSuccessIsNotTheWorks) {
  int asked = 0;
  for (const WholeRow& row : Wholes()) {
    for (const bool is_open : {false, true}) {
      for (const char* status : is_open ? row.open : row.failed) {
        const std::string whole = Whole(row, status);
        const v1::Diagnosis alone = Ask(whole).diagnosis();
        for (int which = 1; which <= 3; ++which) {
          const std::string report = whole + DoneParts(row, which);
          const v1::DecideResponse answer = Ask(report);
          ++asked;
          EXPECT_NE(answer.diagnosis().cause(), v1::SUCCEEDED) << report;
          EXPECT_NE(answer.diagnosis().situation(), v1::Diagnosis::FINISHED)
              << report;
          EXPECT_EQ(answer.diagnosis().situation(), alone.situation())
              << report;
        }
      }
    }
  }
  EXPECT_GT(asked, 60);
}

// The other parts decide, as if the successful one were absent.
TEST_F(EndOfWholeTest, NamesTheFailedPart) {
  struct {
    std::string pod;
    v1::Cause cause;
  } const cases[] = {
      {Pod("train-w", OwnedBy("JobSet"), "Failed",
           Ended(100'000, kEnd, 137, "OOMKilled")),
       v1::CONTAINER_OOM},
      {Pod("train-w", OwnedBy("JobSet"), "Failed", DrainedEnd(100'000, kEnd)),
       v1::DRAINED},
      {absl::StrCat("pods { metadata { name: 'train-w' uid: 'train-w' ",
                    OwnedBy("JobSet"),
                    "creation_timestamp { seconds: 99000 } } status { phase: "
                    "'Pending' conditions { type: 'PodScheduled' status: "
                    "'False' reason: 'Unschedulable' message: '0/3 nodes are "
                    "available: 3 Insufficient nvidia.com/gpu.' } } } "),
       v1::UNSCHEDULABLE},
  };
  const WholeRow job_set = Wholes().front();
  for (const auto& [pod, cause] : cases) {
    const std::string whole = Whole(job_set, "restarts: 0");
    for (int which = 0; which <= 3; ++which) {
      const std::string report = whole + pod + DoneParts(job_set, which);
      EXPECT_EQ(Ask(report).diagnosis().cause(), cause) << report;
    }
  }
}

// Near misses: the object itself has succeeded.
TEST_F(EndOfWholeTest, TheObjectsOwnSuccessIsTheWorks) {
  for (const char* whole :
       {"job_set { metadata { name: 'train' uid: 'T' } status { conditions {"
        " type: 'Completed' status: 'True' } } }",
        "jobs { metadata { name: 'train' uid: 'T' } spec { completions: 2 } "
        "status { succeeded: 2 } }",
        "jobs { metadata { name: 'train' uid: 'T' } spec { completions: 1 } "
        "status { conditions { type: 'SuccessCriteriaMet' status: 'True' } "
        "} }",
        "spark_application { metadata { name: 'train' uid: 'T' } status { "
        "application_state { state: 'SUCCEEDING' } } }"}) {
    EXPECT_EQ(Ask(whole).diagnosis().cause(), v1::SUCCEEDED) << whole;
  }
}

// kubernetes#125695: a Job counts a pod as failed once it is being deleted.
TEST_F(EndOfWholeTest, DoesNotRerunWorkThatSucceededDuringDeletion) {
  const std::string failed =
      Is("FailureTarget", kEnd - 60, "BackoffLimitExceeded") +
      Is("Failed", kEnd + 1, "BackoffLimitExceeded");
  const auto job = [&](int count) {
    return JobIn("parallelism: 1 completions: 1",
                 absl::StrCat("failed: ", count, " ", failed));
  };
  const auto pod = [](int requested, int grace, const char* phase,
                      const std::string& status) {
    return Pod("p",
               absl::StrCat(Created(100'000),
                            "deletion_timestamp { seconds: ", requested + grace,
                            " } deletion_grace_period_seconds: ", grace, " "),
               phase, status);
  };
  const std::string done = Ended(100'000, kEnd, 0, "Completed");
  // The kubelet's last deletion overwrites the time of the first request.
  for (const std::string& report : {pod(kEnd - 62, 300, "Succeeded", done),
                                    pod(kEnd + 1, 0, "Succeeded", done),
                                    pod(kEnd - 62, 300, "Failed", done),
                                    pod(kEnd - 62, 300, "Running", kRuns)}) {
    const v1::DecideResponse answer = Ask(report + job(1));
    EXPECT_EQ(answer.diagnosis().cause(), v1::CANCELLED) << report;
    EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE) << report;
    EXPECT_THAT(Charged(), IsEmpty()) << report;
    // After its pod is gone the answer stays.
    for (const int later : {90, 300}) {
      const v1::DecideResponse again = DecideAt(job(1), kEnd + later);
      EXPECT_EQ(again.diagnosis().cause(), v1::CANCELLED) << report;
      EXPECT_EQ(again.diagnosis().situation(), v1::Diagnosis::FINISHED);
      EXPECT_EQ(again.decision().action(), v1::Decision::IGNORE) << report;
      EXPECT_THAT(Charged(), IsEmpty()) << report;
      EXPECT_EQ(ledger_.history_size(), 1) << report;
    }
  }
  // Other pods failed as well, and this pod does not show why.
  EXPECT_EQ(
      Ask(pod(kEnd - 62, 300, "Succeeded", done) + job(4)).diagnosis().cause(),
      v1::APP_ERROR);
}

// The same for other owners that decide by the phase of their pods. Ray and
// Spark know the result of their program.
TEST_F(EndOfWholeTest, DoesNotRerunSuccessfulWorkOfAnyOwner) {
  for (const WholeRow& row : Wholes()) {
    if (row.failed.empty() || row.kind == std::string("Job")) continue;
    for (const char* phase : {"Failed", "Succeeded"}) {
      const std::string report = absl::StrCat(
          Whole(row, row.failed.front()),
          Pod("train-w",
              absl::StrCat(OwnedBy(row.kind),
                           "creation_timestamp { seconds: 100000 } "
                           "deletion_timestamp { seconds: ",
                           kEnd - 30, " } deletion_grace_period_seconds: 30 "),
              phase, Ended(100'000, kEnd - 50, 0, "Completed")));
      const v1::DecideResponse answer = Ask(report);
      const bool is_done = phase == std::string("Failed") &&
                           row.kind != std::string("RayJob") &&
                           row.kind != std::string("SparkApplication");
      EXPECT_EQ(answer.diagnosis().cause() == v1::CANCELLED, is_done)
          << report << answer.decision().sentence();
      if (!is_done) continue;
      EXPECT_THAT(Charged(), IsEmpty()) << report;
      EXPECT_EQ(DecideAt(Whole(row, row.failed.front()), kEnd + 300)
                    .decision()
                    .action(),
                v1::Decision::IGNORE)
          << report;
    }
  }
}

// A RayJob stopped by its user says so, whatever happens to the deployment.
TEST_F(EndOfWholeTest, AStoppedRayJobHasNotSucceeded) {
  const WholeRow ray_job = Wholes()[2];
  for (const char* deployment : {"Complete", "Failed", "Running"}) {
    for (int which = 0; which <= 3; ++which) {
      const std::string report =
          Whole(ray_job,
                absl::StrCat("job_status: 'STOPPED' ",
                             "job_deployment_status: '", deployment, "'")) +
          DoneParts(ray_job, which);
      EXPECT_EQ(Ask(report).diagnosis().cause(), v1::CANCELLED) << report;
    }
  }
}

// Kueue queues a whole of which the report holds only parts.
TEST_F(EndOfWholeTest, APartDoesNotEndAQueuedWhole) {
  const auto workload = [](const std::string& owners, const char* finished) {
    return absl::StrCat(
        "kueue_workload { metadata { name: 'w' uid: 'Q' ", owners,
        "} spec { active: true } status { conditions { type: 'Admitted' "
        "status: 'True' last_transition_time { seconds: 100000 } } ",
        finished, "} } ");
  };
  const auto owner = [](const char* kind, const char* uid) {
    return absl::StrCat("owner_references { kind: '", kind, "' name: '", uid,
                        "' uid: '", uid, "' } ");
  };
  const std::string finished =
      "conditions { type: 'Finished' status: 'True' reason: 'Succeeded' } ";
  const WholeRow job_set = Wholes().front();
  const std::string pod =
      Pod("p-0", "creation_timestamp { seconds: 100000 } ", "Succeeded",
          Ended(100'000, kEnd, 0, "Completed"));
  const std::string group = owner("Pod", "p-0") + owner("Pod", "p-1");
  for (const auto& [owners, parts] :
       {std::pair{owner("JobSet", "T"), DoneParts(job_set, 1)},
        std::pair{owner("RayJob", "T"), DoneParts(job_set, 3)},
        std::pair{group, pod}}) {
    EXPECT_EQ(Ask(workload(owners, "") + parts).diagnosis().situation(),
              v1::Diagnosis::ALIVE)
        << owners << parts;
    EXPECT_EQ(
        Ask(workload(owners, finished.c_str()) + parts).diagnosis().cause(),
        v1::SUCCEEDED)
        << owners << parts;
  }
  // Near miss: the report holds everything that is queued.
  EXPECT_EQ(Ask(workload(owner("Pod", "p-0"), "") + pod).diagnosis().cause(),
            v1::SUCCEEDED);
}

// An owner of unknown kind retries by creating its next Job. Once that exists
// it decides, and the previous one is not retried.
TEST_F(EndOfWholeTest, TheNextJobOfAnUnknownOwnerIsTheRetry) {
  const auto job = [](int number, int made, const std::string& status) {
    return absl::StrCat(
        "jobs { metadata { name: 'f-", number, "' uid: 'F", number,
        "' creation_timestamp { seconds: ", made,
        " } owner_references { kind: 'Flow' name: 'f' uid: 'flow' controller: "
        "true } } spec { completions: 1 } status { ",
        status, " } } ");
  };
  const auto failed = [](int at) {
    return "failed: 1 " + Is("Failed", at, "BackoffLimitExceeded");
  };
  const auto pod = [](int number, int made, const char* phase,
                      const std::string& status) {
    return Pod(absl::StrCat("f-", number, "-x"),
               absl::StrCat("owner_references { kind: 'Job' name: 'f-", number,
                            "' uid: 'F", number,
                            "' controller: true } creation_timestamp { "
                            "seconds: ",
                            made, " } "),
               phase, status);
  };
  const std::string first = job(1, 100'000, failed(kEnd));
  const std::string first_pod =
      pod(1, 100'000, "Failed", Ended(100'000, kEnd - 5, 1, "Error"));
  const int made = kEnd + 120;
  const std::string next_pods[] = {"", pod(2, made, "Running", kRuns)};
  for (const std::string& before : {std::string(), first_pod}) {
    for (const std::string& now : next_pods) {
      ledger_.Clear();
      EXPECT_EQ(DecideAt(first + before, kEnd + 60).decision().action(),
                v1::Decision::RETRY);
      const auto charged = Charged();
      for (const char* status : {"", "active: 1"}) {
        const v1::DecideResponse answer =
            DecideAt(first + before + job(2, made, status) + now, made + 30);
        EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE)
            << answer.decision().sentence();
        EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE);
        EXPECT_EQ(Charged(), charged);
      }
    }
    EXPECT_EQ(
        DecideAt(first + before +
                     job(2, made,
                         "succeeded: 1 conditions { type: 'Complete' status: "
                         "'True' }"),
                 made + 60)
            .diagnosis()
            .cause(),
        v1::SUCCEEDED);
    // It fails like the first one: another failure, charged once.
    const v1::DecideResponse again = DecideAt(
        first + before + job(2, made, failed(made + 100)) +
            pod(2, made, "Failed", Ended(made, made + 95, 139, "Error")),
        made + 160);
    EXPECT_EQ(again.diagnosis().cause(), v1::CRASH_SIGNAL);
    EXPECT_EQ(again.accounting().units(), 1);
  }
  // Near miss: both were created at once, and one of them still runs.
  EXPECT_EQ(
      Ask(first + first_pod + job(2, 100'000, "active: 1")).decision().action(),
      v1::Decision::RETRY);
}

// Failures that the Job retried before its deadline do not explain its end,
// whatever is left of their pods.
TEST_F(EndOfWholeTest, ADeadlineIsNotAnEarlierFailure) {
  const std::string ends[] = {
      Ended(100'000, 100'140, 137, "OOMKilled"),
      Ended(100'000, 100'140, 1, "Error"),
      Ended(100'000, 100'140, 1, "Error",
            "ModuleNotFoundError: No module named acme"),
      DrainedEnd(100'000, 100'140)};
  const std::string job = JobIn(
      "completions: 1 parallelism: 1 backoff_limit: 6 "
      "active_deadline_seconds: 290",
      "failed: 2 start_time { seconds: 100000 } " +
          Is("Failed", 100'325, "DeadlineExceeded"));
  const std::string killed =
      Pod("b",
          absl::StrCat(Created(100'160),
                       "deletion_timestamp { seconds: 100320 } "
                       "deletion_grace_period_seconds: 30 "),
          "Failed", Ended(100'162, 100'321, 137, "Error"));
  for (const std::string& end : ends) {
    const std::string before = Pod("a", Created(100'000), "Failed", end);
    for (const std::string& pods : {before + killed, before, killed}) {
      const v1::DecideResponse answer = Ask(job + pods, 100'330);
      EXPECT_EQ(answer.diagnosis().cause(), v1::DEADLINE_JOB) << pods;
      EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL) << pods;
      EXPECT_THAT(answer.separate(), IsEmpty()) << pods;
    }
  }
}

// A deadline ends its pods when it passes, whenever the conditions are written
// and however the pods end.
TEST_F(EndOfWholeTest, ADeadlineExplainsEndsAfterItPasses) {
  for (const int written : {0, 1, 31, 60, 3600}) {
    for (const int code : {137, 143, 0}) {
      const int passed = 101'800;
      const std::string report = absl::StrCat(
          JobIn("completions: 1 active_deadline_seconds: 1800",
                "failed: 1 start_time { seconds: 100000 } " +
                    Is("Failed", passed + written, "DeadlineExceeded")),
          Pod("p",
              absl::StrCat(Created(100'000),
                           "deletion_timestamp { seconds: ", passed + 30,
                           " } deletion_grace_period_seconds: 30 "),
              code == 0 ? "Succeeded" : "Failed",
              Ended(100'005, passed + 31, code, "Error")));
      const v1::DecideResponse answer = Ask(report, passed + written + 60);
      EXPECT_EQ(answer.diagnosis().cause(), v1::DEADLINE_JOB) << report;
      EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL) << report;
    }
  }
}

// OnFailure: the Job gives up and deletes its only pod. The kubelet deletes the
// ended pod at once, so the time of the first request is lost.
TEST_F(EndOfWholeTest, AJobsOwnKillIsNotAFailureOfItsProgram) {
  const auto report = [](int code, const char* last) {
    return absl::StrCat(
        JobIn("completions: 1 backoff_limit: 6",
              "failed: 1 " + Is("FailureTarget", kEnd, "BackoffLimitExceeded")),
        "pods { metadata { name: 'p' uid: 'p' ", Created(100'000),
        "deletion_timestamp { seconds: ", kEnd + 2,
        " } deletion_grace_period_seconds: 0 } spec { restart_policy: "
        "'OnFailure' containers { name: 'main' } } status { phase: 'Failed' "
        "container_statuses { name: 'main' restart_count: 6 state { terminated "
        "{ exit_code: ",
        code, " reason: 'Error' started_at { seconds: ", kEnd - 1,
        " } finished_at { seconds: ", kEnd + 1, " } } } ", last, " } } } ");
  };
  const std::string module = absl::StrCat(
      "last_state { terminated { exit_code: 1 reason: 'Error' message: "
      "\"ModuleNotFoundError: No module named 'flash_attn'\" finished_at { "
      "seconds: ",
      kEnd - 20, " } } }");
  // Exit codes with which the program may answer the SIGTERM.
  for (const int code : {137, 143, 130, 0, 1, 2, 139}) {
    if (code != 137 && code != 143) {
      EXPECT_EQ(Ask(report(code, module.c_str())).diagnosis().cause(),
                v1::CONFIG_USER_ERROR)
          << code;
      continue;
    }
    for (const std::string& last : {std::string(), module}) {
      const v1::DecideResponse answer = Ask(report(code, last.c_str()));
      const v1::Cause cause = answer.diagnosis().cause();
      EXPECT_NE(cause, v1::SIGTERM_UNEXPLAINED) << code << last;
      EXPECT_NE(cause, v1::SIGKILL_UNEXPLAINED) << code << last;
      EXPECT_THAT(answer.decision().action(),
                  AnyOf(v1::Decision::FAIL, v1::Decision::WAIT_FOR_SPEC_UPDATE))
          << code << last << answer.decision().sentence();
      if (!last.empty()) {
        EXPECT_EQ(cause, v1::CONFIG_USER_ERROR);
      }
    }
  }
}

// A gang of one Job with an index for each pod. Some failed by themselves and
// were replaced; the last failure makes the Job give up and stop the others.
struct Gang {
  std::vector<std::string> failed;
  std::vector<std::string> stopped;
};

Gang MakeGang(std::mt19937& random, int size) {
  const auto pod = [](int index, int made, const std::string& more,
                      const char* phase, const std::string& status) {
    return Pod(
        absl::StrCat("w-", index, "-", made),
        absl::StrCat("creation_timestamp { seconds: ", made,
                     " } labels { key: 'job-name' value: 'w' } labels { key: "
                     "'batch.kubernetes.io/job-completion-index' value: '",
                     index,
                     "' } labels { key: "
                     "'jobset.sigs.k8s.io/restart-attempt' value: '0' } "
                     "owner_references { kind: 'Job' name: 'w' uid: 'W' "
                     "controller: true } ",
                     more),
        phase, status);
  };
  Gang gang;
  const int last = static_cast<int>(random() % 1000) % size;
  for (int index = 0; index < size; ++index) {
    int made = 100'000;
    if (index != last && random() % 2 == 0) {
      const int end = kEnd - 200 + static_cast<int>(random() % 100);
      gang.failed.push_back(
          pod(index, made, "", "Failed", Ended(made, end, 1, "Error")));
      made = end + 10;
    }
    if (index == last) {
      gang.failed.push_back(
          pod(index, made, "", "Failed", Ended(made, kEnd, 1, "Error")));
    } else {
      gang.stopped.push_back(
          pod(index, made,
              absl::StrCat("deletion_timestamp { seconds: ", kEnd + 31,
                           " } deletion_grace_period_seconds: 30 "),
              "Running", kRuns));
    }
  }
  return gang;
}

TEST_F(EndOfWholeTest, AGrantedRetryStaysWhenTheStoppedPodsAreGone) {
  std::mt19937 random(7);
  const auto objects = [](bool is_over) {
    return absl::StrCat(
        "job_set { metadata { name: 'train' uid: 'T' } spec {} status { "
        "restarts: 0 ",
        is_over ? Is("Failed", kEnd + 34) : "",
        "} } jobs { metadata { name: 'w' uid: 'W' labels { key: "
        "'jobset.sigs.k8s.io/restart-attempt' value: '0' } ",
        OwnedBy("JobSet"), "} spec { parallelism: 4 completions: 4 } status { ",
        Is("FailureTarget", kEnd + 1), is_over ? Is("Failed", kEnd + 33) : "",
        "} } ");
  };
  for (int seed = 0; seed < 300; ++seed) {
    Gang gang = MakeGang(random, 2 + static_cast<int>(random() % 4));
    ledger_.Clear();
    std::string before = objects(false);
    for (const std::string& pod : gang.failed) before += pod;
    for (const std::string& pod : gang.stopped) before += pod;
    const v1::DecideResponse granted = DecideAt(before, kEnd + 2);
    if (granted.decision().action() != v1::Decision::RETRY) continue;
    const auto charged = Charged();
    // The stopped pods go one by one, then some of those that failed.
    for (int gone = 0; gone < 4; ++gone) {
      const bool all_stopped = gone > 0;
      std::string after = objects(all_stopped);
      for (std::size_t i = 0; i < gang.stopped.size(); ++i) {
        if (!all_stopped && i % 2 == 0) after += gang.stopped[i];
      }
      for (std::size_t i = 0; i < gang.failed.size(); ++i) {
        if (gone < 2 || (random() % 3 != 0)) after += gang.failed[i];
      }
      const v1::DecideResponse again = DecideAt(after, kEnd + 10 + 20 * gone);
      EXPECT_EQ(again.decision().action(), v1::Decision::RETRY)
          << seed << "." << gone << ": " << again.decision().sentence();
      EXPECT_EQ(Charged(), charged) << seed << "." << gone;
      if (gone < 2) {
        EXPECT_EQ(again.failure_id(), granted.failure_id())
            << seed << "." << gone << " culprit was "
            << granted.diagnosis().culprit().pod() << ", is "
            << again.diagnosis().culprit().pod();
      }
    }
  }
}

// Members of an earlier restart of a JobSet ended with it, whatever now runs in
// their places.
TEST_F(EndOfWholeTest, AJobSetIsNotChargedForItsOwnKills) {
  constexpr int kRestarts = 3;
  for (int size = 2; size <= 4; ++size) {
    for (const bool with_jobs : {false, true}) {
      std::string report = absl::StrCat(
          "job_set { metadata { name: 'train' uid: 'T' } spec { failure_policy "
          "{ max_restarts: 3 } } status { restarts: 3 } } ");
      const auto labels = [](int index, int restart) {
        return absl::StrCat(
            "labels { key: 'job-name' value: 'w' } labels { key: "
            "'batch.kubernetes.io/job-completion-index' value: '",
            index, "' } labels { key: 'jobset.sigs.k8s.io/restart-attempt' ",
            "value: '", restart,
            "' } labels { key: 'jobset.sigs.k8s.io/jobset-name' value: 'train' "
            "} owner_references { kind: 'Job' name: 'w' uid: 'W",
            restart, "' controller: true } ");
      };
      for (int restart = 0; restart <= kRestarts; ++restart) {
        const int made = 100'000 + 100 * restart;
        for (int index = 0; index < size; ++index) {
          const std::string metadata =
              absl::StrCat("creation_timestamp { seconds: ", made, " } ",
                           labels(index, restart));
          const std::string name = absl::StrCat("w-", restart, "-", index);
          const auto deleted = [&](int at) {
            return absl::StrCat(metadata,
                                "deletion_timestamp { seconds: ", at + 30,
                                " } deletion_grace_period_seconds: 30 ");
          };
          const bool is_last = restart == kRestarts;
          if (index == 0) {
            report +=
                is_last
                    ? Pod(name, metadata, "Failed",
                          Ended(made, made + 50, 1, "Error"))
                    : Pod(name, deleted(made + 50), "Failed",
                          absl::StrCat(kMarked, made + 50, " } } ",
                                       Ended(made, made + 51, 143, "Error")));
          } else {
            report += is_last ? Pod(name, deleted(made + 51), "Running", kRuns)
                              : Pod(name, deleted(made + 52), "Failed",
                                    Ended(made, made + 53, 143, "Error"));
          }
        }
      }
      if (with_jobs) {
        absl::StrAppend(&report,
                        "jobs { metadata { name: 'w' uid: 'W3' labels { key: "
                        "'jobset.sigs.k8s.io/restart-attempt' value: '3' } ",
                        OwnedBy("JobSet"), "} spec { parallelism: ", size,
                        " completions: ", size, " } status { failed: 1 ",
                        Is("FailureTarget", 100'351), "} } ");
      }
      EXPECT_EQ(Ask(report, 100'352).decision().scope(), v1::Decision::JOB_SET);
      const auto charged = Charged();
      EXPECT_EQ(charged.count("disruption") ? charged.at("disruption") : 0, 3)
          << size << with_jobs;
      EXPECT_EQ(charged.count("unexplained"), 0) << size << with_jobs;
    }
  }
}

// A Job reported alone shows its final failure twice, and in between counts
// pods that it stops: that is one failure.
TEST_F(EndOfWholeTest, PodsCountedAfterGivingUpAreTheSameFailure) {
  for (const int first : {1, 4, 7}) {
    for (const int more : {0, 1, 3, 40}) {
      for (const char* reason : {"BackoffLimitExceeded", "PodFailurePolicy",
                                 "MaxFailedIndexesExceeded"}) {
        const auto job = [reason](int failed, const std::string& conditions) {
          return JobIn(
              "parallelism: 4 completions: 4 backoff_limit: 6",
              absl::StrCat("failed: ", failed, " ",
                           Is("FailureTarget", 100'500, reason), conditions));
        };
        const std::string over = Is("Failed", 100'540, reason);
        ledger_.Clear();
        const auto at_first = DecideAt(job(first, ""), 100'501);
        const auto charged = Charged();
        for (const int now : {100'510, 100'541, 100'700}) {
          const auto later =
              DecideAt(job(first + more, now < 100'540 ? "" : over), now);
          EXPECT_EQ(later.decision().action(), at_first.decision().action())
              << reason << " " << first << " " << more;
          EXPECT_EQ(Charged(), charged) << reason << " " << first << more;
        }
      }
    }
  }
}

// Each preemption has its own time, however soon the next one follows. Its
// events and pods, reported later, belong to the same one.
TEST_F(EndOfWholeTest, ChargesEveryPreemptionByAQueue) {
  const auto workload = [](int at) {
    return absl::StrCat(
        "kueue_workload { metadata { name: 'job-train' uid: 'Q' ",
        "owner_references { kind: 'Job' name: 'train' uid: 'J' controller: "
        "true } } spec { active: true } status { ",
        Is("Evicted", at, "Preempted"), Is("Preempted", at, "InClusterQueue"),
        Is("Requeued", at, "Preempted"), "} } ",
        JobIn("suspend: true completions: 1", Is("Suspended", at)));
  };
  for (const int gap : {15, 60, 300, 400, 599, 601, 4000}) {
    ledger_.Clear();
    int at = kEnd;
    for (int count = 1; count <= 6; ++count, at += gap) {
      for (const int later : {1, 5, 9}) {
        DecideAt(workload(at), at + later);
        EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", count)))
            << "gap " << gap << ", reported " << later << " s later";
        EXPECT_EQ(ledger_.history().rbegin()->retried_by(),
                  v1::AttemptRecord::QUEUE);
      }
    }
  }
}

// Independent parts of one Job: ending the Job ends all of them.
TEST_F(EndOfWholeTest, DoesNotRetryPartsOfAnEndedWhole) {
  const std::string ends[] = {
      Ended(100'000, kEnd, 1, "Error",
            "ModuleNotFoundError: No module named flash_attn"),
      Ended(100'000, kEnd, 137, "OOMKilled"),
      Ended(100'000, kEnd, 1, "Error"),
      Ended(100'000, kEnd, 139, "Error"),
      DrainedEnd(100'000, kEnd),
  };
  int ended = 0;
  for (const std::string& first : ends) {
    for (const std::string& second : ends) {
      std::string later = second;
      for (std::size_t at = 0;
           (at = later.find("100500", at)) != std::string::npos;) {
        later.replace(at, 6, "100700");
      }
      const std::string pods = Pod("a", Created(100'000), "Failed", first) +
                               Pod("b", Created(100'000), "Failed", later);
      const auto job = [](const std::string& status) {
        return JobIn("parallelism: 2 completions: 2 backoff_limit: 6",
                     "failed: 2 " + status);
      };
      const std::string open = job("") + pods;
      const std::string over =
          job(Is("Failed", 100'701, "BackoffLimitExceeded")) + pods;
      ledger_.Clear();
      // Asked again with the ledger the answer stays, also after the Job shows
      // its failure, whichever part is reported first.
      for (const int now : {100'703, 100'730, 100'760, 200'000}) {
        if (now == 200'000) ledger_.Clear();
        const std::string& report = now < 100'760 ? open : over;
        const v1::DecideResponse answer = DecideAt(report, now);
        std::vector<v1::Decision> all = {answer.decision()};
        for (const auto& part : answer.separate()) {
          all.push_back(part.decision());
        }
        bool ends_whole = false;
        for (const v1::Decision& one : all) {
          ends_whole |= one.action() == v1::Decision::FAIL &&
                        one.scope() == v1::Decision::JOB;
        }
        if (!ends_whole) continue;
        ++ended;
        for (const v1::Decision& one : all) {
          EXPECT_NE(one.action(), v1::Decision::RETRY)
              << report << one.sentence();
        }
      }
    }
  }
  EXPECT_GE(ended, 16);
}

// With a limit per index, an index that may not restart fails alone. Without
// one it fails the Job, and nothing of the Job is restarted.
TEST_F(EndOfWholeTest, AnIndexWithItsOwnLimitFailsAlone) {
  const std::string ends[] = {
      Ended(100'000, kEnd, 1, "Error",
            "ModuleNotFoundError: No module named flash_attn"),
      Ended(100'000, kEnd, 137, "OOMKilled"),
      Ended(100'000, kEnd, 139, "Error"),
      Ended(100'000, kEnd, 1, "Error",
            "ValueError: could not convert string to float: a"),
  };
  constexpr int kEnds = 4;
  int alone = 0, together = 0;
  // `code` encodes the end of each of three indexes.
  for (int code = 0; code < kEnds * kEnds * kEnds; ++code) {
    for (const bool limited : {true, false}) {
      std::string report = absl::StrCat(
          "jobs { metadata { name: 'sweep' uid: 'J' } spec { completion_mode: "
          "'Indexed' parallelism: 3 completions: 3 ",
          limited ? "backoff_limit_per_index: 0" : "backoff_limit: 0",
          " } status { failed: 3 ", limited ? "failed_indexes: '0-2' " : "",
          "conditions { type: 'Failed' status: 'True' reason: '",
          limited ? "FailedIndexes" : "BackoffLimitExceeded",
          "' last_transition_time { seconds: 100501 } } } } ");
      for (int index = 0, rest = code; index < 3; ++index, rest /= kEnds) {
        absl::StrAppend(
            &report, "pods { metadata { name: 'sweep-", index, "' uid: 'p",
            index,
            "' creation_timestamp { seconds: 100000 } labels { key: "
            "'batch.kubernetes.io/job-completion-index' value: '",
            index,
            "' } owner_references { kind: 'Job' name: 'sweep' uid: 'J' "
            "controller: true } } spec { containers { name: 'main' } } status "
            "{ "
            "phase: 'Failed' ",
            ends[rest % kEnds], " } } ");
      }
      ledger_.Clear();
      for (const int now : {100'503, 100'530}) {
        const v1::DecideResponse answer = DecideAt(report, now);
        std::vector<v1::Decision> all = {answer.decision()};
        for (const auto& part : answer.separate()) {
          all.push_back(part.decision());
        }
        const auto count = [&all](v1::Decision::Action action,
                                  v1::Decision::Scope scope) {
          return std::ranges::count_if(all, [=](const v1::Decision& one) {
            return one.action() == action && one.scope() == scope;
          });
        };
        const auto retried = count(v1::Decision::RETRY, v1::Decision::JOB);
        const auto of_job = count(v1::Decision::FAIL, v1::Decision::JOB);
        EXPECT_FALSE(retried > 0 && of_job > 0) << report;
        if (count(v1::Decision::FAIL, v1::Decision::INDEX) > 0) {
          EXPECT_TRUE(limited && retried > 0) << report;
          ++alone;
        }
        if (of_job > 0 && all.size() > 1) ++together;
      }
    }
  }
  EXPECT_GE(alone, 50);
  EXPECT_GE(together, 50);
}

}  // namespace
}  // namespace mulligan::situations
