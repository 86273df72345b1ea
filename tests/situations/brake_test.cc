// Retries that others make by themselves: what failed of the work that goes on
// is remembered and costs nothing; those that cannot help are ended.
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::told {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;

constexpr int kBegin = 100'000;
// From the end of an attempt to the start of the next.
constexpr int kBackOff = 10;

constexpr char kModule[] =
    "ModuleNotFoundError: No module named \\'flash_attn\\'";

// How an attempt ended.
struct LoopRow {
  const char* name;
  int code;
  const char* reason;
  const char* message;
  bool drained;
  // After so many alike another one is no use; 0: it may always help.
  int enough;
};

constexpr LoopRow kLoops[] = {
    {"a missing module", 1, "Error", kModule, false, 2},
    {"no such command", 127, "Error", "", false, 2},
    {"a crash", 139, "Error", "", false, 4},
    {"a general exit code", 1, "Error", "", false, 5},
    {"a drain", 143, "Error", "", true, 0},
    {"out of memory", 137, "OOMKilled", "", false, 0},
};

std::string StatusOf(const LoopRow& row, int begin, int end) {
  return absl::StrCat(
      row.drained ? absl::StrCat(kMarked, end, " } } ") : std::string(),
      Ended(begin, end, row.code, row.reason, row.message));
}

std::string RunningFrom(int since) {
  return absl::StrCat(
      "container_statuses { name: 'main' state { running { started_at { "
      "seconds: ",
      since, " } } } }");
}

// Work whose operator makes each attempt anew, one pod at a time.
struct RetriedRow {
  const char* name;
  // The object, after so many failures.
  std::string (*object)(int failed);
  std::string (*metadata)(int attempt, int created);
  // The operator deletes a failed pod before it makes the next.
  bool deletes;
  v1::Decision::Scope scope;
};

std::string JobObject(int failed) {
  return absl::StrCat(
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 "
      "completions: 1 backoff_limit: 6 } status { active: 1 failed: ",
      failed, " } } ");
}

std::string JobPod(int, int created) {
  return absl::StrCat(Created(created),
                      "labels { key: 'job-name' value: ", "'train' } ");
}

std::string TrainingObject(int) {
  return "kubeflow_job { kind: 'PyTorchJob' metadata { name: 'train' uid: 'T' "
         "} status { conditions { type: 'Running' status: 'True' } } } ";
}

std::string TrainingPod(int, int created) {
  return absl::StrCat("creation_timestamp { seconds: ", created,
                      " } labels { key: 'training.kubeflow.org/replica-type' "
                      "value: 'worker' } owner_references { kind: 'PyTorchJob' "
                      "name: 'train' uid: 'T' controller: true } ");
}

std::string JobSetObject(int failed) {
  return absl::StrCat(
      "job_set { metadata { name: 'train' uid: 'T' } spec { ",
      "failure_policy { max_restarts: 9 } } status { restarts: ", failed,
      " } } ");
}

std::string JobSetPod(int attempt, int created) {
  return absl::StrCat(
      "creation_timestamp { seconds: ", created,
      " } labels { key: 'jobset.sigs.k8s.io/jobset-name' value: 'train' } "
      "labels { key: 'jobset.sigs.k8s.io/restart-attempt' value: '",
      attempt, "' } owner_references { kind: 'Job' name: 'train-w-0' uid: 'W",
      attempt, "' controller: true } ");
}

const RetriedRow kRetried[] = {
    {"Job", JobObject, JobPod, false, v1::Decision::JOB},
    {"PyTorchJob", TrainingObject, TrainingPod, false, v1::Decision::JOB},
    {"PyTorchJob that deletes", TrainingObject, TrainingPod, true,
     v1::Decision::JOB},
    {"JobSet", JobSetObject, JobSetPod, false, v1::Decision::JOB_SET},
};

class BrakeTest : public DecideOnceTest {
 protected:
  // Asks when `failed` attempts have ended, each after `ran` seconds, and the
  // next runs since `age`; `before`, with the ledger, while each of those ran.
  v1::DecideResponse Ask(const RetriedRow& kind, const LoopRow& end, int failed,
                         int ran = 50, int age = 20) {
    ledger_.Clear();
    v1::DecideResponse answer;
    std::string past;
    int at = kBegin;
    for (int attempt = 0; attempt <= failed; ++attempt) {
      const std::string next =
          Pod(absl::StrCat("p", attempt), kind.metadata(attempt, at), "Running",
              RunningFrom(at));
      const std::string object = kind.object(attempt);
      answer = Tell(object + past + next,
                    at + (attempt == failed ? age : kBackOff / 2));
      const std::string ended =
          Pod(absl::StrCat("p", attempt), kind.metadata(attempt, at), "Failed",
              StatusOf(end, at, at + ran));
      if (kind.deletes) {
        // Seen once, while its operator restarts it.
        if (attempt < failed) {
          Tell(
              "kubeflow_job { kind: 'PyTorchJob' metadata { name: 'train' "
              "uid: 'T' } status { conditions { type: 'Restarting' status: "
              "'True' } } } " +
                  ended,
              at + ran + 1);
        }
      } else {
        past += ended;
      }
      at += ran + kBackOff;
    }
    return answer;
  }
};

TEST_F(BrakeTest, WhatCannotHelpIsEndedAndNothingElse) {
  for (const RetriedRow& kind : kRetried) {
    for (const LoopRow& end : kLoops) {
      for (int failed = 1; failed <= 6; ++failed) {
        const v1::DecideResponse answer = Ask(kind, end, failed);
        const std::string what =
            absl::StrCat(kind.name, ", ", end.name, " ", failed,
                         " times: ", answer.decision().sentence());
        const bool stops = end.enough > 0 && failed >= end.enough;
        EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE) << what;
        EXPECT_EQ(ledger_.attempts_seen(), failed) << what;
        EXPECT_THAT(Charged(), IsEmpty()) << what;
        if (stops) {
          EXPECT_THAT(
              answer.decision().action(),
              AnyOf(v1::Decision::FAIL, v1::Decision::WAIT_FOR_SPEC_UPDATE))
              << what;
          EXPECT_EQ(answer.decision().scope(), kind.scope) << what;
          EXPECT_NE(answer.diagnosis().cause(), v1::NOT_FAILED) << what;
          EXPECT_EQ(answer.diagnosis().outlook(), v1::Diagnosis::CANNOT_RECOVER)
              << what;
        } else {
          EXPECT_THAT(answer.decision().action(),
                      AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT))
              << what;
        }
      }
    }
  }
}

// What failed last is named while it is news, whether or not it is ended.
TEST_F(BrakeTest, TheLastFailureIsNamedWhileItIsNews) {
  for (const LoopRow& end : kLoops) {
    const v1::Cause cause = Ask(kRetried[0], end, 1).diagnosis().cause();
    EXPECT_NE(cause, v1::NOT_FAILED) << end.name;
    // Twice as long as those before, and three minutes.
    EXPECT_EQ(Ask(kRetried[0], end, 1, 50, 179).diagnosis().cause(), cause);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 50, 181).diagnosis().cause(),
              v1::NOT_FAILED);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 600, 1190).diagnosis().cause(), cause);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 600, 1210).diagnosis().cause(),
              v1::NOT_FAILED);
  }
}

TEST_F(BrakeTest, WhatHasOutlivedItsPredecessorsIsLetBe) {
  for (const RetriedRow& kind : kRetried) {
    for (const auto& [ran, age, stops] : {std::tuple{50, 170, true},
                                          {50, 190, false},
                                          {600, 1190, true},
                                          {600, 1210, false}}) {
      EXPECT_EQ(Ask(kind, kLoops[0], 3, ran, age).decision().action() ==
                    v1::Decision::FAIL,
                stops)
          << kind.name << " after " << ran << " s, for " << age << " s";
    }
  }
}

TEST_F(BrakeTest, WorkThatWasResumedBeginsAnew) {
  const int last_end = kBegin + 2 * (50 + kBackOff) + 50;
  const auto job = [](int at) {
    return absl::StrCat(
        "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 "
        "completions: 1 backoff_limit: 6 } status { active: 1 failed: 3 "
        "conditions { type: 'Suspended' status: 'False' last_transition_time "
        "{ seconds: ",
        at, " } } } } ");
  };
  ASSERT_EQ(Ask(kRetried[0], kLoops[0], 3).decision().action(),
            v1::Decision::FAIL);
  const v1::BudgetLedger ledger = ledger_;
  for (const auto& [at, stops] :
       {std::pair{last_end - 20, true}, {last_end + 5, false}}) {
    ledger_ = ledger;
    const v1::DecideResponse answer =
        Tell(job(at) + Pod("p9", JobPod(9, last_end + kBackOff), "Running",
                           RunningFrom(last_end + kBackOff)),
             last_end + kBackOff + 20);
    EXPECT_EQ(answer.decision().action() == v1::Decision::FAIL, stops) << at;
  }
}

// The kubelet's own loop shows one end, and how often it came.
TEST_F(BrakeTest, RestartsByTheKubeletCount) {
  const auto report = [](int restarts, const std::string& state) {
    return absl::StrCat(
        JobObject(0), "pods { metadata { name: 'p' uid: 'p' ", Created(kBegin),
        "} spec { restart_policy: 'OnFailure' containers { name: 'main' } } "
        "status { phase: 'Running' container_statuses { name: 'main' "
        "restart_count: ",
        restarts, " state { ", state,
        " } last_state { terminated { exit_code: 1 reason: 'Error' message: ",
        "\"KeyError: 'WANDB_API_KEY'\" started_at { seconds: ", kBegin + 100,
        " } finished_at { seconds: ", kBegin + 103, " } } } } } } ");
  };
  const std::string waits = "waiting { reason: 'CrashLoopBackOff' }";
  const std::string runs =
      absl::StrCat("running { started_at { seconds: ", kBegin + 400, " } }");
  for (const std::string& state : {waits, runs}) {
    ledger_.Clear();
    // It has ended once where it runs again, twice where it waits.
    EXPECT_EQ(Tell(report(1, state), kBegin + 410).decision().action(),
              state == runs ? v1::Decision::IGNORE : v1::Decision::FAIL)
        << state;
    ledger_.Clear();
    const v1::DecideResponse answer = Tell(report(12, state), kBegin + 410);
    EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL)
        << state << answer.decision().sentence();
    EXPECT_THAT(Charged(), IsEmpty());
  }
  // It goes well for once.
  ledger_.Clear();
  EXPECT_EQ(Tell(report(12, runs), kBegin + 600).decision().action(),
            v1::Decision::IGNORE);
}

// Once the operator has given up, what was only remembered is decided: once.
TEST_F(BrakeTest, WhatWasRememberedIsChargedWhenItIsDecided) {
  const RetriedRow& kind = kRetried[0];
  Ask(kind, kLoops[2], 1);
  ASSERT_EQ(ledger_.attempts_seen(), 1);
  const int second = kBegin + 60;
  std::string report = absl::StrCat(
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 1 "
      "completions: 1 backoff_limit: 1 } status { failed: 2 conditions { type: "
      "'Failed' status: 'True' reason: 'BackoffLimitExceeded' "
      "last_transition_time { seconds: ",
      second + 60, " } } } } ",
      Pod("p0", JobPod(0, kBegin), "Failed",
          StatusOf(kLoops[2], kBegin, kBegin + 50)),
      Pod("p1", JobPod(1, second), "Failed",
          StatusOf(kLoops[2], second, second + 50)));
  for (const int now : {second + 61, second + 90}) {
    EXPECT_EQ(Tell(report, now).decision().action(), v1::Decision::RETRY);
    EXPECT_EQ(ledger_.attempts_seen(), 2);
    EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1}}));
  }
}

// Pods that work for themselves: the others are not ended with one.
TEST_F(BrakeTest, NothingIsEndedBesideOthersThatWorkForThemselves) {
  std::string report =
      "jobs { metadata { name: 'train' uid: 'J' } spec { parallelism: 4 "
      "completions: 8 backoff_limit: 6 } status { active: 4 failed: 3 } } ";
  for (int i = 0; i < 3; ++i) {
    report += Pod(absl::StrCat("f", i), Created(kBegin), "Failed",
                  StatusOf(kLoops[0], kBegin, kBegin + 10 + i));
  }
  for (int i = 0; i < 4; ++i) {
    report += Pod(absl::StrCat("r", i), Created(kBegin + 30), "Running",
                  RunningFrom(kBegin + 30));
  }
  EXPECT_THAT(Tell(report, kBegin + 60).decision().action(),
              AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT));
}

}  // namespace
}  // namespace mulligan::told
