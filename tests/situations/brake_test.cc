// Retries that operators make by themselves: each failure is charged once, and
// hopeless loops are stopped.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr int kBegin = 100'000;
// Seconds from the end of an attempt to the start of the next.
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
  // Failures of this kind after which another attempt is useless; 0: unlimited.
  int enough;
  // Charged for each failure, up to its limit; null: not charged, since no
  // retry can help.
  const char* budget;
  int limit;
  // It needs more of a resource, which the operator does not give it.
  bool grows = false;
};

constexpr LoopRow kLoops[] = {
    {"a missing module", 1, "Error", kModule, false, 2, nullptr, 0},
    {"no such command", 127, "Error", "", false, 2, nullptr, 0},
    {"a crash", 139, "Error", "", false, 4, "application", 3},
    {"a general exit code", 1, "Error", "", false, 5, "application", 3},
    {"a drain", 143, "Error", "", true, 0, "disruption", 50},
    {"out of memory", 137, "OOMKilled", "", false, 2, "memory", 1, true},
    {"a bug", 1, "Error", "IndexError: list index out of range", false, 2,
     "application", 3},
    {"an exit code of wrong usage", 2, "Error", "", false, 2, "application", 1},
    {"mistakes that differ", 1, "Error",
     "ModuleNotFoundError: No module named m?", false, 2, nullptr, 0},
    {"a request with an id", 1, "Error",
     "huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: "
     "8a?d3bc8-c?90-47d5-aae?-7c816ce7bbe5)",
     false, 2, nullptr, 0},
};

// A "?" in the message is a letter that differs between attempts.
std::string StatusOf(const LoopRow& row, int begin, int end) {
  const std::string letter(1, static_cast<char>('a' + begin / 60 % 6));
  return absl::StrCat(
      row.drained ? absl::StrCat(kMarked, end, " } } ") : std::string(),
      Ended(begin, end, row.code, row.reason,
            absl::StrReplaceAll(row.message, {{"?", letter}}).c_str()));
}

// Work whose operator creates a new pod for each attempt, one at a time.
struct RetriedRow {
  const char* name;
  // The object after `failed` failures.
  std::string (*object)(int failed);
  std::string (*metadata)(int attempt, int created);
  // The operator deletes a failed pod before it creates the next.
  bool deletes;
  v1::Decision::Scope scope;
};

std::string JobObject(int failed) {
  return JobIn("parallelism: 1 completions: 1 backoff_limit: 6",
               absl::StrCat("active: 1 failed: ", failed));
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
  // Asks when `failed` attempts have ended and the next has run for `age`
  // seconds. The first attempt runs for `ran` seconds, each later one `further`
  // seconds longer. The ledger is carried over from calls during each attempt.
  v1::DecideResponse Ask(const RetriedRow& kind, const LoopRow& end, int failed,
                         int ran = 50, int age = 20, int further = 0) {
    ledger_.Clear();
    v1::DecideResponse answer;
    std::string past;
    int at = kBegin;
    for (int attempt = 0; attempt <= failed; ++attempt) {
      const std::string next =
          Pod(absl::StrCat("p", attempt), kind.metadata(attempt, at), "Running",
              RunningFrom(at));
      const std::string object = kind.object(attempt);
      answer = DecideAt(object + past + next,
                        at + (attempt == failed ? age : kBackOff / 2));
      const std::string ended =
          Pod(absl::StrCat("p", attempt), kind.metadata(attempt, at), "Failed",
              StatusOf(end, at, at + ran));
      if (kind.deletes) {
        // Reported once, while its operator restarts it.
        if (attempt < failed) {
          DecideAt(
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
      ran += further;
    }
    return answer;
  }
};

TEST_F(BrakeTest, StopsOnlyHopelessLoops) {
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
        std::map<std::string, int> charged;
        if (end.budget != nullptr) {
          charged[end.budget] = std::min(failed, end.limit);
          // Five failures of the program within minutes are a crash loop.
          if (failed >= 5 && end.limit == 3 && end.enough > 0) {
            charged["crash-loop"] = 1;
          }
        }
        EXPECT_EQ(Charged(), charged) << what;
        if (stops && end.grows) {
          EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY) << what;
          EXPECT_TRUE(answer.decision().requires_recreate()) << what;
          ASSERT_EQ(answer.decision().resources_size(), 1) << what;
          // No retry since the first failure gave it more memory.
          EXPECT_EQ(answer.decision().resources(0).factor(), 1.5) << what;
          EXPECT_EQ(answer.decision().escalation().rung(),
                    v1::Escalation::MORE_RESOURCES)
              << what;
          // One of three limits is charged.
          EXPECT_EQ(answer.decision().escalation().after(), 3) << what;
        } else if (stops) {
          EXPECT_THAT(
              answer.decision().action(),
              AnyOf(v1::Decision::FAIL, v1::Decision::WAIT_FOR_SPEC_UPDATE))
              << what;
        }
        if (stops) {
          EXPECT_EQ(answer.explanation().decided_by(), v1::Explanation::BRAKE)
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

// A granted increase starts a new series: one charge for each limit.
TEST_F(BrakeTest, EachTriedLimitIsChargedOnce) {
  const LoopRow& oom = kLoops[5];
  ASSERT_TRUE(oom.grows);
  double factor = 1.5;
  for (int limit = 1; limit <= 4; ++limit) {
    v1::DecideResponse answer;
    // The caller created a new object, which its operator also retried.
    for (int failed = 1; failed <= 3; ++failed) {
      const std::string uid = absl::StrCat("J", limit);
      const auto metadata = [&](int begin) {
        return absl::StrCat(
            "owner_references { kind: 'Job' name: 'train' uid: "
            "'",
            uid,
            "' controller: true } "
            "creation_timestamp { seconds: ",
            begin, " } ");
      };
      const int end = kBegin + 1000 * limit + 60 * failed;
      answer = DecideAt(
          absl::StrCat("jobs { metadata { name: 'train' uid: '", uid,
                       "' } spec { parallelism: 1 completions: 1 "
                       "backoff_limit: 6 } status { active: 1 failed: ",
                       failed, " } } ",
                       Pod(absl::StrCat(uid, failed), metadata(end - 50),
                           "Failed", StatusOf(oom, end - 50, end)),
                       Pod(absl::StrCat(uid, failed + 1), metadata(end + 10),
                           "Running", RunningFrom(end + 10))),
          end + 20);
      EXPECT_EQ(Charged()["memory"], std::min(limit, 3)) << limit;
    }
    EXPECT_EQ(answer.decision().action(),
              limit <= 3 ? v1::Decision::RETRY : v1::Decision::FAIL)
        << limit;
    if (limit <= 3) {
      ASSERT_EQ(answer.decision().resources_size(), 1);
      EXPECT_EQ(answer.decision().resources(0).factor(), factor) << limit;
    }
    factor *= 1.5;
    ledger_.clear_workload_uid();
    ledger_.clear_workload_kind();
    ledger_.clear_native_count();
  }
}

// With mode POLICY, whatever the policy refuses is stopped.
TEST_F(BrakeTest, BudgetsBindOperatorsIfThePolicySaysSo) {
  for (const char* mode : {"HOPELESS", "POLICY"}) {
    spec_ = absl::StrCat(
        "budgets { key: 'few' value { limit: 2 } } default { action: RETRY "
        "budget: 'few' } derivation { same_fingerprint: 0 "
        "crash_loop_failures: 0 } brake { mode: ",
        mode, " }");
    for (const RetriedRow& kind : kRetried) {
      for (const LoopRow* end : {&kLoops[2], &kLoops[4]}) {
        for (int failed = 1; failed <= 4; ++failed) {
          const v1::DecideResponse answer = Ask(kind, *end, failed);
          const std::string what =
              absl::StrCat(mode, ", ", kind.name, ", ", end->name, " ", failed,
                           " times: ", answer.decision().sentence());
          EXPECT_EQ(answer.decision().action(),
                    failed > 2 && spec_.find("POLICY") != std::string::npos
                        ? v1::Decision::FAIL
                        : v1::Decision::IGNORE)
              << what;
          EXPECT_EQ(Charged()["few"], std::min(failed, 2)) << what;
          if (answer.decision().action() != v1::Decision::FAIL) continue;
          EXPECT_EQ(answer.explanation().decided_by(), v1::Explanation::BRAKE);
          EXPECT_NE(answer.diagnosis().outlook(), v1::Diagnosis::CANNOT_RECOVER)
              << what;
          EXPECT_EQ(answer.accounting().exhaustion().budget(), "few") << what;
          // An attempt that outlived its predecessors is not stopped.
          EXPECT_EQ(Ask(kind, *end, failed, 50, 190).decision().action(),
                    v1::Decision::IGNORE)
              << what;
        }
      }
    }
  }
}

// Pods without their owner: an owner that replaced a pod is expected to do so
// again, until a quarter of an hour has passed.
TEST_F(BrakeTest, WaitsForAnOwnerThatReplacedAPodBefore) {
  const auto pod = [](int number, int begin, int end) {
    return Pod(absl::StrCat("p", number), Created(begin), "Failed",
               Ended(begin, end, 139, "Error"));
  };
  const int first_end = kBegin + 50;
  const int next = first_end + kBackOff;
  const std::string first = pod(0, kBegin, first_end);
  const struct {
    const char* name;
    std::string report;
    int now;
    v1::Decision::Action action;
  } kCases[] = {
      {"the first", first, first_end + 5, v1::Decision::RETRY},
      {"one it made after", first + pod(1, next, next + 50), next + 55,
       v1::Decision::WAIT},
      {"one at the same time", first + pod(1, kBegin, next + 50), next + 55,
       v1::Decision::RETRY},
      {"too long ago", first + pod(1, next, next + 50), next + 1000,
       v1::Decision::RETRY},
  };
  for (const auto& test : kCases) {
    ledger_.Clear();
    EXPECT_EQ(DecideAt(test.report, test.now).decision().action(), test.action)
        << test.name;
  }
  // The ledger remembers the replacement when the first pod is gone, of a Job's
  // pods and of a JobSet's.
  const std::string of_set = absl::StrCat(
      "labels { key: 'jobset.sigs.k8s.io/jobset-uid' value: 'S' } ",
      "labels { key: 'batch.kubernetes.io/controller-uid' value: 'J' } ");
  for (const std::string& labels : {std::string(), of_set}) {
    ledger_.Clear();
    const auto made = [&](int number, int begin, const char* phase,
                          const std::string& status) {
      return Pod(absl::StrCat("p", number), Created(begin) + labels, phase,
                 status);
    };
    DecideAt(made(0, kBegin, "Failed", Ended(kBegin, first_end, 139, "Error")) +
                 made(1, next, "Running", RunningFrom(next)),
             next + 10);
    EXPECT_EQ(
        DecideAt(made(1, next, "Failed", Ended(next, next + 50, 139, "Error")),
                 next + 55)
            .decision()
            .action(),
        v1::Decision::WAIT)
        << labels;
  }
}

// The next attempt has succeeded, and its owner does not show it yet.
TEST_F(BrakeTest, DoesNotStopSuccess) {
  for (const RetriedRow& kind : kRetried) {
    if (kind.deletes) continue;
    for (const LoopRow* end : {&kLoops[0], &kLoops[5]}) {
      const v1::DecideResponse before = Ask(kind, *end, 2);
      ASSERT_NE(before.decision().action(), v1::Decision::IGNORE) << kind.name;
      const int at = kBegin + 120;
      std::string report = kind.object(2);
      for (int i = 0; i < 2; ++i) {
        const int begin = kBegin + 60 * i;
        report += Pod(absl::StrCat("p", i), kind.metadata(i, begin), "Failed",
                      StatusOf(*end, begin, begin + 50));
      }
      report += Pod("p2", kind.metadata(2, at), "Succeeded",
                    Ended(at, at + 20, 0, "Completed"));
      const v1::DecideResponse answer = DecideAt(report, at + 21);
      EXPECT_THAT(answer.decision().action(),
                  AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT))
          << kind.name << ", " << end->name << ": "
          << answer.decision().sentence();
    }
  }
}

// A new object starts afresh, whatever the ledger holds.
TEST_F(BrakeTest, DoesNotStopANewObjectForThePreviousOne) {
  for (const LoopRow* end : {&kLoops[0], &kLoops[5]}) {
    ASSERT_NE(Ask(kRetried[0], *end, 2).decision().action(),
              v1::Decision::IGNORE);
    ledger_.clear_workload_uid();
    ledger_.clear_workload_kind();
    ledger_.clear_native_count();
    const int at = kBegin + 500;
    const std::string job = absl::StrCat(
        "jobs { metadata { name: 'train' uid: 'N' creation_timestamp { "
        "seconds: ",
        at, " } } spec { parallelism: 1 completions: 1 backoff_limit: 6 } ",
        "status { active: 1 } } ");
    const std::string owner = absl::StrCat(
        "owner_references { kind: 'Job' name: 'train' uid: 'N' controller: ",
        "true } creation_timestamp { seconds: ", at, " } ");
    for (const int age : {5, 60, 170}) {
      EXPECT_EQ(
          DecideAt(job + Pod("n0", owner, "Running", RunningFrom(at)), at + age)
              .decision()
              .action(),
          v1::Decision::IGNORE)
          << end->name << " after " << age << " s";
    }
  }
}

// Failures in between do not change the memory limit that was too low.
TEST_F(BrakeTest, AFailureBetweenAddsNoMemory) {
  std::string report = JobObject(3);
  const LoopRow* const ends[] = {&kLoops[5], &kLoops[2], &kLoops[5]};
  int at = kBegin;
  for (const LoopRow* end : ends) {
    report += Pod(absl::StrCat("p", at), JobPod(0, at), "Failed",
                  StatusOf(*end, at, at + 50));
    at += 60;
  }
  report += Pod("next", JobPod(0, at), "Running", RunningFrom(at));
  EXPECT_EQ(DecideAt(report, at + 20).decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(Charged(),
            (std::map<std::string, int>{{"application", 1}, {"memory", 1}}));
}

// Charged once evidence of the payer can no longer be expected.
TEST_F(BrakeTest, UnexplainedFailuresThatOthersRetryAreChargedOnce) {
  const LoopRow kill = {"killed", 137, "Error", "", false, 0, nullptr, 0};
  for (const int age : {1, 30, 200, 210}) {
    EXPECT_EQ(DecideAt(JobObject(0) + Pod("p", JobPod(0, kBegin), "Failed",
                                          StatusOf(kill, kBegin, kBegin + 50)),
                       kBegin + 50 + age)
                  .decision()
                  .action(),
              v1::Decision::IGNORE);
    EXPECT_EQ(Charged()["unexplained"], age < 60 ? 0 : 1) << age;
  }
}

// Ray reports that the job failed before KubeRay counts the failure.
TEST_F(BrakeTest, AnOperatorsMessageWithoutATimeIsCurrent) {
  const v1::DecideResponse answer = DecideAt(
      "ray_job { metadata { name: 'tune' uid: 'R' } spec { backoff_limit: 2 } "
      "status { job_status: 'FAILED' job_deployment_status: 'Running' failed: "
      "0 message: 'ConnectionRefusedError: [Errno 111] Connection refused: "
      "connecting to db.prod:5432' } } ",
      kBegin);
  EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE);
  EXPECT_EQ(ledger_.attempts_seen(), 1);
}

// The last failure is named while it is recent, whether or not it is stopped.
TEST_F(BrakeTest, NamesTheLastFailureWhileItIsRecent) {
  for (const LoopRow& end : kLoops) {
    const v1::Cause cause = Ask(kRetried[0], end, 1).diagnosis().cause();
    EXPECT_NE(cause, v1::NOT_FAILED) << end.name;
    // Recent: up to twice the earlier run time, and at least three minutes.
    EXPECT_EQ(Ask(kRetried[0], end, 1, 50, 179).diagnosis().cause(), cause);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 50, 181).diagnosis().cause(),
              v1::NOT_FAILED);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 600, 1190).diagnosis().cause(), cause);
    EXPECT_EQ(Ask(kRetried[0], end, 1, 600, 1210).diagnosis().cause(),
              v1::NOT_FAILED);
  }
}

// The same for a container that the kubelet restarts in its pod.
TEST_F(BrakeTest, NamesTheLastEndOfAContainerWhileItIsRecent) {
  for (const auto& [ran, age, recent] : {std::tuple{50, 179, true},
                                         {50, 181, false},
                                         {600, 1190, true},
                                         {600, 1210, false}}) {
    ledger_.Clear();
    const int ended = kBegin + ran;
    const int again = ended + kBackOff;
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat(
            JobObject(0), "pods { metadata { name: 'p' uid: 'p' ",
            Created(kBegin),
            "} spec { restart_policy: 'OnFailure' containers { name: 'main' } }"
            " status { phase: 'Running' container_statuses { name: 'main' "
            "restart_count: 1 state { running { started_at { seconds: ",
            again,
            " } } } last_state { terminated { exit_code: 139 started_at "
            "{ seconds: ",
            kBegin, " } finished_at { seconds: ", ended, " } } } } } } "),
        again + age);
    EXPECT_EQ(answer.diagnosis().cause(),
              recent ? v1::CRASH_SIGNAL : v1::NOT_FAILED)
        << ran << " s, then " << age << ": " << answer.decision().sentence();
    EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE);
    EXPECT_EQ(answer.decision().sentence().find("Nothing has failed"),
              std::string::npos);
    // It is charged whenever it is reported.
    EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 1}}));
  }
}

TEST_F(BrakeTest, DoesNotStopAttemptsThatOutlivedTheirPredecessors) {
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

TEST_F(BrakeTest, SaysHowToStopTheLoopAndHowManyEnded) {
  for (const RetriedRow& kind : kRetried) {
    const v1::DecideResponse answer = Ask(kind, kLoops[0], 3);
    EXPECT_THAT(answer.diagnosis().problem(),
                HasSubstr("3 attempts in a row ended alike"))
        << kind.name;
    EXPECT_THAT(answer.diagnosis().first_step().command(),
                MatchesRegex("kubectl patch (job|jobset|pytorchjob) train "
                             "--type=merge -p '.\"spec\":.*true.+'"))
        << kind.name;
    // A loop within reason gets no command to stop it.
    EXPECT_EQ(Ask(kind, kLoops[3], 1)
                  .diagnosis()
                  .first_step()
                  .command()
                  .find("patch"),
              std::string::npos)
        << kind.name;
  }
}

TEST_F(BrakeTest, SaysWhatAStopWouldHaveSaved) {
  constexpr int kRan = 1800;
  constexpr int kAge = 360;
  for (const RetriedRow& kind : kRetried) {
    for (const int failed : {2, 3, 5}) {
      const v1::DecideResponse answer =
          Ask(kind, kLoops[0], failed, kRan, kAge);
      EXPECT_DOUBLE_EQ(answer.accounting().stake().avoidable_hours(),
                       ((failed - 2) * kRan + kAge) / 3600.0)
          << kind.name << ", " << failed;
      EXPECT_THAT(
          answer.decision().sentence(),
          HasSubstr(absl::StrFormat("would have saved %.1f pod-hours so far",
                                    ((failed - 2) * kRan + kAge) / 3600.0)))
          << kind.name << ", " << failed;
    }
    const v1::DecideResponse early = Ask(kind, kLoops[0], 2, kRan, 20);
    EXPECT_THAT(early.decision().sentence(), Not(HasSubstr("saved")))
        << kind.name << ": of seconds nothing is said";
    EXPECT_FALSE(Ask(kind, kLoops[3], 3, kRan, kAge).accounting().has_stake())
        << kind.name << ": nothing is to be stopped";
  }
}

TEST_F(BrakeTest, APodWithoutAnOwnerIsStoppedByDeletion) {
  const v1::DecideResponse answer = DecideAt(
      absl::StrCat(
          "pods { metadata { name: 'p' uid: 'p' } spec { restart_policy: "
          "'Always' containers { name: 'main' } } status { phase: 'Running' "
          "container_statuses { name: 'main' restart_count: 4 state { waiting "
          "{ reason: 'CrashLoopBackOff' } } last_state { terminated { "
          "exit_code: 1 reason: 'Error' message: '",
          kModule, "' started_at { seconds: ", kBegin,
          " } finished_at { seconds: ", kBegin + 4, " } } } } } } "),
      kBegin + 20);
  EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(answer.diagnosis().first_step().command(), "kubectl delete pod p");
}

// From a checkpoint, work may get past a mistake that ended a long run, unless
// the next run ended after about as long.
// After a long run a checkpoint may get past a mistake, until the next attempt
// has failed on one, too, and got no further.
TEST_F(BrakeTest, StopsMistakesThatRecurAfterAsLong) {
  for (const RetriedRow& kind : kRetried) {
    for (const LoopRow& end : {kLoops[0], kLoops[8]}) {
      for (const auto& [failed, further, stops] : {std::tuple{1, 0, false},
                                                   {2, 0, true},
                                                   {2, 300, true},
                                                   {2, 3600, false}}) {
        EXPECT_EQ(
            Ask(kind, end, failed, 7200, 20, further).decision().action() ==
                v1::Decision::FAIL,
            stops)
            << kind.name << ", " << end.name << " " << failed << " times, "
            << further << " s more each time";
      }
    }
  }
}

// What fails by chance, and says nothing, fails at any time.
TEST_F(BrakeTest, PlainFailuresAtDifferentTimesAreNoLoop) {
  for (const RetriedRow& kind : kRetried) {
    for (const auto& [end, stops] :
         {std::pair{kLoops[3], false}, {kLoops[2], true}}) {
      EXPECT_EQ(Ask(kind, end, 6, 20, 20, 60).decision().action() ==
                    v1::Decision::FAIL,
                stops)
          << kind.name << ", " << end.name;
    }
  }
}

// Progress of work that its operator retries shows in run times only.
TEST_F(BrakeTest, ProgressIsNotALoop) {
  for (const RetriedRow& kind : kRetried) {
    for (const LoopRow& end : {kLoops[2], kLoops[3]}) {
      for (const auto& [ran, further, stops] : {std::tuple{50, 0, true},
                                                {7200, 0, true},
                                                {7200, 60, true},
                                                {7200, 3600, false},
                                                {1800, 1800, false}}) {
        EXPECT_EQ(Ask(kind, end, 6, ran, 20, further).decision().action() ==
                      v1::Decision::FAIL,
                  stops)
            << kind.name << ", " << end.name << " after " << ran << " s and "
            << further << " more each time";
      }
    }
  }
}

TEST_F(BrakeTest, ResumedWorkStartsAfresh) {
  const int last_end = kBegin + 2 * (50 + kBackOff) + 50;
  const auto job = [](int at) {
    return JobIn(
        "parallelism: 1 completions: 1 backoff_limit: 6",
        absl::StrCat("active: 1 failed: 3 conditions { type: 'Suspended' "
                     "status: 'False' last_transition_time { seconds: ",
                     at, " } }"));
  };
  ASSERT_EQ(Ask(kRetried[0], kLoops[0], 3).decision().action(),
            v1::Decision::FAIL);
  const v1::BudgetLedger ledger = ledger_;
  for (const auto& [at, stops] :
       {std::pair{last_end - 20, true}, {last_end + 5, false}}) {
    ledger_ = ledger;
    const v1::DecideResponse answer =
        DecideAt(job(at) + Pod("p9", JobPod(9, last_end + kBackOff), "Running",
                               RunningFrom(last_end + kBackOff)),
                 last_end + kBackOff + 20);
    EXPECT_EQ(answer.decision().action() == v1::Decision::FAIL, stops) << at;
  }
}

// The kubelet's own loop shows one end, and the number of restarts.
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
    // A running container ended once, a waiting one twice.
    EXPECT_EQ(DecideAt(report(1, state), kBegin + 410).decision().action(),
              state == runs ? v1::Decision::IGNORE : v1::Decision::FAIL)
        << state;
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(report(12, state), kBegin + 410);
    EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL)
        << state << answer.decision().sentence();
    ASSERT_EQ(ledger_.history_size(), 1);
    EXPECT_EQ(ledger_.history(0).retried_by(), v1::AttemptRecord::KUBELET);
    EXPECT_THAT(Charged(), IsEmpty());
  }
  // The ledger attributes earlier restarts to another failure.
  ledger_.Clear();
  DecideAt(report(1, waits), kBegin + 200);
  ledger_.mutable_history(0)->set_fingerprint("another");
  ledger_.mutable_history(0)->set_failure_id("another");
  ledger_.mutable_history(0)->set_cannot_recover(false);
  ledger_.mutable_history(0)->mutable_decision()->set_action(
      v1::Decision::RETRY);
  ledger_.mutable_history(0)->mutable_finished_at()->set_seconds(kBegin + 50);
  EXPECT_EQ(DecideAt(report(2, runs), kBegin + 410).decision().action(),
            v1::Decision::IGNORE);
  // This attempt has outlived the earlier ones.
  ledger_.Clear();
  EXPECT_EQ(DecideAt(report(12, runs), kBegin + 600).decision().action(),
            v1::Decision::IGNORE);
}

// When the operator gives up, the failures it retried are already charged.
TEST_F(BrakeTest, FailuresThatOthersRetriedAreChargedOnce) {
  const RetriedRow& kind = kRetried[0];
  Ask(kind, kLoops[2], 1);
  ASSERT_EQ(ledger_.attempts_seen(), 1);
  const int second = kBegin + 60;
  std::string report = absl::StrCat(
      JobIn("parallelism: 1 completions: 1 backoff_limit: 1",
            "failed: 2 " + Is("Failed", second + 60, "BackoffLimitExceeded")),
      Pod("p0", JobPod(0, kBegin), "Failed",
          StatusOf(kLoops[2], kBegin, kBegin + 50)),
      Pod("p1", JobPod(1, second), "Failed",
          StatusOf(kLoops[2], second, second + 50)));
  for (const int now : {second + 61, second + 90}) {
    EXPECT_EQ(DecideAt(report, now).decision().action(), v1::Decision::RETRY);
    EXPECT_EQ(ledger_.attempts_seen(), 2);
    EXPECT_EQ(Charged(), (std::map<std::string, int>{{"application", 2}}));
  }
}

// Pods that work independently: the others are not stopped because of one.
TEST_F(BrakeTest, DoesNotStopIndependentPods) {
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
  EXPECT_THAT(DecideAt(report, kBegin + 60).decision().action(),
              AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT));
}

// Without limits for each index the Job ends with the first; it is stopped if
// no other index got further.
TEST_F(BrakeTest, StopsAJobWhoseIndexesAllFailAlike) {
  const auto pod = [](const std::string& uid, int index, int created,
                      const char* phase, const std::string& status) {
    return Pod(uid,
               absl::StrCat(JobPod(0, created),
                            "labels { key: "
                            "'batch.kubernetes.io/job-completion-index' value: "
                            "'",
                            index, "' } "),
               phase, status);
  };
  constexpr int kRan = 20;
  for (const bool healthy : {false, true}) {
    ledger_.Clear();
    std::string ended;
    for (int round = 0; round < 2; ++round) {
      const int begin = kBegin + 40 * round;
      for (int index = 0; index < 3; ++index) {
        ended +=
            pod(absl::StrCat("p", round, "-", index), index, begin, "Failed",
                StatusOf(kLoops[0], begin, begin + kRan + index));
      }
      const int next = begin + 40;
      std::string report = JobIn(
          "parallelism: 4 completions: 4 completion_mode: 'Indexed' "
          "backoff_limit: 6",
          absl::StrCat("active: 4 failed: ", 3 * (round + 1)));
      report += ended + pod("n", 2, next, "Running", RunningFrom(next));
      if (healthy) {
        report += pod("h", 3, kBegin, "Running", RunningFrom(kBegin));
      }
      EXPECT_EQ(
          DecideAt(report, next + 5).decision().action() == v1::Decision::FAIL,
          round == 1 && !healthy)
          << round << " " << healthy;
    }
  }
}

// A helper that keeps failing in the pod of a container that runs.
TEST_F(BrakeTest, DoesNotStopWorkForItsHelper) {
  for (const int restarts_of_main : {0, 2}) {
    ledger_.Clear();
    v1::DecideResponse answer;
    for (int ends = 1; ends <= 3; ++ends) {
      const int end = kBegin + 30 * ends;
      answer = DecideAt(
          absl::StrCat(
              JobObject(0), "pods { metadata { name: 'p' uid: 'p' ",
              Created(kBegin),
              "} spec { restart_policy: 'OnFailure' containers { name: 'train' "
              "} "
              "containers { name: 'publish' } } status { phase: 'Running' "
              "container_statuses { name: 'train' restart_count: ",
              restarts_of_main,
              " state { running { started_at { seconds: ", kBegin,
              " } } } } container_statuses { name: 'publish' "
              "restart_count: ",
              ends, " state { running { started_at { seconds: ", end + 5,
              " } } } last_state { terminated { exit_code: 1 reason: 'Error' "
              "message: 'IndexError: list index out of range' started_at { "
              "seconds: ",
              end - 20, " } finished_at { seconds: ", end, " } } } } } } "),
          end + 10);
    }
    EXPECT_EQ(answer.decision().action() == v1::Decision::FAIL,
              restarts_of_main > 0)
        << restarts_of_main << answer.decision().sentence();
  }
}

// A memory limit that was too low is not a mistake of the program.
TEST_F(BrakeTest, AMistakeAfterMemoryRanOutIsTheFirst) {
  const auto ended = [](int attempt, const LoopRow& end) {
    const int begin = kBegin + 100 * attempt;
    return Pod(absl::StrCat("p", attempt), JobPod(0, begin), "Failed",
               StatusOf(end, begin, begin + 50));
  };
  std::string pods;
  int failed = 0;
  for (const LoopRow* end : {&kLoops[5], &kLoops[6], &kLoops[6]}) {
    pods += ended(failed++, *end);
    const int next = kBegin + 100 * failed;
    EXPECT_EQ(DecideAt(absl::StrCat(JobObject(failed), pods,
                                    Pod("next", JobPod(0, next), "Running",
                                        RunningFrom(next))),
                       next + 10)
                  .decision()
                  .action(),
              failed < 3 ? v1::Decision::IGNORE : v1::Decision::FAIL)
        << failed;
  }
}

// An exception that says nothing about its reason, on any number of nodes.
TEST_F(BrakeTest, AnUnknownExceptionIsHopelessTheFifthTime) {
  for (const int nodes : {1, 2, 5}) {
    ledger_.Clear();
    std::string ended;
    for (int failed = 1; failed <= 5; ++failed) {
      const int begin = kBegin + failed * 100;
      ended += absl::StrReplaceAll(
          Pod(absl::StrCat("p", failed), JobPod(0, begin), "Failed",
              Ended(begin, begin + 40, 1, "Error",
                    "RuntimeError: worker lost its temper")),
          {{"node_name: 'n'",
            absl::StrCat("node_name: 'n", failed % nodes, "'")}});
      const int next = begin + 60;
      EXPECT_EQ(DecideAt(absl::StrCat(JobObject(failed), ended,
                                      Pod("next", JobPod(0, next), "Running",
                                          RunningFrom(next))),
                         next + 5)
                    .decision()
                    .action(),
                failed < 5 ? v1::Decision::IGNORE : v1::Decision::FAIL)
          << failed << " on " << nodes;
    }
  }
}

// An index with a limit of its own ends alone, while its Job retries it.
TEST_F(BrakeTest, StopsAHopelessIndexAlone) {
  constexpr int kRan = 20;
  constexpr int kLong = 3600;
  const auto pod = [](const char* uid, const char* index, int created,
                      const char* phase, const std::string& status) {
    return Pod(uid,
               absl::StrCat(JobPod(0, created),
                            "labels { key: "
                            "'batch.kubernetes.io/job-completion-index' value: "
                            "'",
                            index, "' } "),
               phase, status);
  };
  const int second = kBegin + kRan + kBackOff;
  const int third = second + kRan + kBackOff;
  const std::string running =
      pod("p2", "1", third, "Running", RunningFrom(third));
  const std::string young =
      pod("n", "2", third + kLong, "Running", RunningFrom(third + kLong));
  struct Row {
    const char* name;
    int failed;
    const char* status;
    std::string next;
    int age;
    bool stopped;
  };
  const Row rows[] = {
      {"once", 1, "", "", 1, false},
      {"twice, back-off", 2, "", "", 1, true},
      {"twice, the next one runs", 2, "", running, 30, true},
      {"the next one outlived them", 2, "", running, kLong, false},
      {"likewise, another index began", 2, "", running + young, kLong + 60,
       false},
      {"the next one succeeded", 2, "", pod("p2", "1", third, "Succeeded", ""),
       30, false},
      {"completed and deleted", 2, "completed_indexes: '1'", "", 30, false},
  };
  for (const char* const limit : {"backoff_limit_per_index: 4", ""}) {
    for (const LoopRow& end : {kLoops[0], kLoops[4]}) {
      for (const Row& row : rows) {
        ledger_.Clear();
        v1::DecideResponse answer;
        std::string ended;
        for (int failed = 1; failed <= row.failed; ++failed) {
          const int begin = failed == 1 ? kBegin : second;
          const int at = begin + kRan;
          ended += pod(failed == 1 ? "p0" : "p1", "1", begin, "Failed",
                       StatusOf(end, begin, at));
          const bool last = failed == row.failed;
          const std::string job = JobIn(
              absl::StrCat("parallelism: 3 completions: 3 completion_mode: "
                           "'Indexed' backoff_limit: 100 ",
                           limit),
              absl::StrCat("active: 2 failed: ", failed, " ",
                           last ? row.status : ""));
          answer = DecideAt(
              job + ended +
                  pod("o", "0", kBegin, "Running", RunningFrom(kBegin)) +
                  (last ? row.next : ""),
              last && failed == 2 ? third + row.age : at + 1);
        }
        const bool stops = row.stopped && end.enough > 0 && *limit != '\0';
        EXPECT_EQ(answer.decision().action() == v1::Decision::FAIL, stops)
            << end.name << " " << row.name << " " << limit << ": "
            << answer.decision().sentence();
        if (!stops) continue;
        EXPECT_EQ(answer.decision().scope(), v1::Decision::INDEX) << row.name;
        EXPECT_THAT(answer.diagnosis().first_step().command(), IsEmpty());
      }
    }
  }
}

}  // namespace
}  // namespace mulligan::situations
