// Attempts without Kubernetes objects get the answers that pods with the same
// failures get, in their own terms.
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/demystify/signatures/samples.h"
#include "policy/demystify/signatures/tables.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr int kBeganAt = 100'000;
constexpr int kEndedAt = 100'600;
constexpr char kTraceback[] =
    "Traceback (most recent call last):\\n"
    "ModuleNotFoundError: No module named \\'flash_attn\\'";

std::string Attempt(const std::string& end, int number = 1,
                    const std::string& more = "", int hour = 0) {
  return absl::StrCat(
      "attempt: ", number,
      " workload { kind: 'slurm' name: 'train' uid: "
      "'c/7' } ended_attempt { scheduler: 'slurm' id: '7.",
      number, "' nodes: 'n1' started_at { seconds: ", kBeganAt + hour * 3600,
      " } ended_at { seconds: ", kEndedAt + hour * 3600, " } ", end, " } ",
      more);
}

// One end, reported as an attempt and as a pod.
struct SameRow {
  const char* name;
  const char* attempt;
  int code;
  const char* reason;
  const char* message = "";
};

constexpr SameRow kSame[] = {
    {"exit 1", "exit_code: 1", 1, "Error"},
    {"a missing module",
     "exit_code: 1 log_tail: 'ModuleNotFoundError: No module named "
     "\\'flash_attn\\''",
     1, "Error", "ModuleNotFoundError: No module named \\'flash_attn\\'"},
    {"no such command", "exit_code: 127", 127, "Error"},
    {"a crash by its signal", "signal: 11", 139, "Error"},
    {"SIGTERM by its signal", "signal: 15", 143, "Error"},
    {"SIGTERM by a shell's code", "exit_code: 143", 143, "Error"},
    {"SIGKILL", "signal: 9", 137, "Error"},
    {"a kill at the limit", "exit_code: 0 signal: 9 state: 'OUT_OF_MEMORY'",
     137, "OOMKilled"},
    {"a full disk", "exit_code: 1 log_tail: 'No space left on device'", 1,
     "Error", "No space left on device"},
    {"a broken device",
     "exit_code: 1 log_tail: 'CUDA error: uncorrectable ECC error "
     "encountered'",
     1, "Error", "CUDA error: uncorrectable ECC error encountered"},
    {"success", "exit_code: 0 state: 'COMPLETED'", 0, "Completed"},
};

class AttemptTest : public DecideOnceTest {};

TEST_F(AttemptTest, IsDecidedLikeAPod) {
  for (const SameRow& row : kSame) {
    SCOPED_TRACE(row.name);
    ledger_.Clear();
    const v1::DecideResponse attempt =
        DecideAt(Attempt(row.attempt), kEndedAt + 90);
    ledger_.Clear();
    const v1::DecideResponse pod = DecideAt(
        absl::StrCat(
            "pods { metadata { name: 'p' uid: 'p' } spec { node_name: "
            "'n1' restart_policy: 'Never' containers { name: 'main' } "
            "} status { phase: '",
            row.code == 0 ? "Succeeded" : "Failed", "' ",
            Ended(kBeganAt, kEndedAt, row.code, row.reason, row.message),
            " } }"),
        kEndedAt + 90);
    EXPECT_EQ(v1::Cause_Name(attempt.diagnosis().cause()),
              v1::Cause_Name(pod.diagnosis().cause()));
    EXPECT_EQ(attempt.diagnosis().confidence(), pod.diagnosis().confidence());
    EXPECT_EQ(attempt.diagnosis().outlook(), pod.diagnosis().outlook());
    EXPECT_EQ(attempt.diagnosis().situation(), pod.diagnosis().situation());
    EXPECT_EQ(attempt.diagnosis().fingerprint(), pod.diagnosis().fingerprint());
    EXPECT_EQ(attempt.decision().action(), pod.decision().action());
    // Only Kubernetes gives a container a part of its node's disk.
    EXPECT_EQ(attempt.decision().resources_size(),
              attempt.diagnosis().cause() == v1::STORAGE_EXHAUSTED
                  ? 0
                  : pod.decision().resources_size());
    EXPECT_EQ(attempt.decision().placement().avoid_nodes_size(),
              pod.decision().placement().avoid_nodes_size());
    EXPECT_EQ(attempt.accounting().charged_to(), pod.accounting().charged_to());
    EXPECT_EQ(attempt.accounting().stake().ran().seconds(),
              pod.accounting().stake().ran().seconds());
    EXPECT_EQ(attempt.diagnosis().finished_at().seconds(),
              pod.diagnosis().finished_at().seconds());
  }
}

// States and reasons of other schedulers.
struct SchedulerRow {
  const char* scheduler;
  const char* state;
  const char* reason;
  int code;
  v1::Cause cause;
};

constexpr SchedulerRow kSchedulers[] = {
    {"aws-batch", "FAILED",
     "Host EC2 (instance i-0a1b2c3d4e5f67890) terminated.", 0,
     v1::SPOT_RECLAIMED},
    {"aws-batch", "FAILED",
     "OutOfMemoryError: Container killed due to memory usage", 137,
     v1::CONTAINER_OOM},
    {"aws-batch", "FAILED", "Job attempt duration exceeded timeout", 137,
     v1::DEADLINE_JOB},
    {"aws-batch", "FAILED",
     "CannotPullContainerError: Error response from daemon: pull access denied "
     "for a/b, repository does not exist or may require docker login",
     0, v1::IMAGE_DENIED},
    {"aws-batch", "FAILED",
     "DockerTimeoutError: Could not transition to created; timed out after "
     "waiting 4m0s",
     0, v1::SANDBOX_OR_MOUNT},
    {"aws-batch", "FAILED", "Essential container in task exited", 1,
     v1::APP_ERROR},
    {"google-batch", "FAILED",
     "Task failed due to Spot VM preemption with exit code 50001.", 50001,
     v1::SPOT_RECLAIMED},
    {"google-batch", "FAILED", "Task state is updated with exit code 50002.", 0,
     v1::NODE_LOST},
    {"google-batch", "FAILED", "Task state is updated with exit code 50005.", 0,
     v1::DEADLINE_POD},
    {"google-batch", "FAILED", "error: CODE_GCE_QUOTA_EXCEEDED: CPUS limit 24",
     0, v1::QUOTA_EXCEEDED},
    {"google-batch", "FAILED", "code - CODE_GCE_ZONE_RESOURCE_POOL_EXHAUSTED",
     0, v1::UNSCHEDULABLE},
    {"aws-batch", "FAILED", "Dependent Job failed", 0, v1::CONFIG_USER_ERROR},
    // What is said of it outweighs a state that only sums up.
    {"azure-batch", "preProcessingError",
     "BlobDownloadTimedOut: A timeout occurred", 0, v1::DEPENDENCY_UNAVAILABLE},
    {"azure-batch", "preProcessingError",
     "ContainerInvalidImage: The container image was invalid", 0,
     v1::IMAGE_INVALID},
    {"azure-batch", "completed", "FileUploadMiscError: An error occurred", 0,
     v1::DEPENDENCY_UNAVAILABLE},
    {"azure-batch", "completed", "TaskEnded: Task Was Ended", -1073741510,
     v1::DEADLINE_JOB},
    {"gitlab", "runner_system_failure",
     "failed to pull image \"a/b:1\": manifest for a/b:1 not found: manifest "
     "unknown",
     0, v1::IMAGE_INVALID},
    {"azure-batch", "preempted", "", 0, v1::SPOT_RECLAIMED},
    {"azure-batch", "completed",
     "The task was terminated because it exceeded the max wall clock time", 0,
     v1::DEADLINE_JOB},
    {"gitlab", "runner_system_failure", "", 0, v1::SANDBOX_OR_MOUNT},
    {"gitlab", "job_execution_timeout", "", 0, v1::DEADLINE_JOB},
    {"gitlab", "script_failure", "", 1, v1::APP_ERROR},
    {"nomad", "failed", "OOM Killed", 137, v1::CONTAINER_OOM},
    {"nomad", "lost", "", 0, v1::NODE_LOST},
    {"argo", "Error", "OOMKilled (exit code 137)", 137, v1::CONTAINER_OOM},
    {"argo", "Failed", "Error (exit code 1)", 1, v1::APP_ERROR},
    {"volcano", "PodEvicted", "", 0, v1::DRAINED},
    {"skypilot", "FAILED_NO_RESOURCE", "", 0, v1::UNSCHEDULABLE},
    {"lsf", "TERM_MEMLIMIT", "", 137, v1::CONTAINER_OOM},
    {"lsf", "TERM_RUNLIMIT", "", 140, v1::DEADLINE_JOB},
    {"htcondor", "HELD", "Job has gone over memory limit of 2048 megabytes.", 0,
     v1::CONTAINER_OOM},
};

TEST_F(AttemptTest, UnderstandsOtherSchedulers) {
  for (const SchedulerRow& row : kSchedulers) {
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat("workload { name: 'train' uid: 'u' } ended_attempt { id: "
                     "'1' scheduler: '",
                     row.scheduler, "' state: '", row.state, "' reason: '",
                     row.reason, "' ",
                     row.code == 0 ? "" : absl::StrCat("exit_code: ", row.code),
                     " }"),
        kEndedAt);
    EXPECT_EQ(v1::Cause_Name(answer.diagnosis().cause()),
              v1::Cause_Name(row.cause))
        << row.scheduler << " " << row.state << " " << row.reason;
    // For HTCondor, messages are known but no states.
    const auto unknown = Contains(HasSubstr("is not known to this version"));
    if (std::string_view(row.scheduler) == "htcondor") {
      EXPECT_THAT(answer.warnings(), unknown);
    } else {
      EXPECT_THAT(answer.warnings(), Not(unknown)) << row.scheduler;
    }
  }
}

// Messages name only fields that the caller sent.
TEST_F(AttemptTest, MessagesDoNotMentionPodsOrKubectl) {
  for (const SameRow& row : kSame) {
    ledger_.Clear();
    v1::DecideResponse answer = DecideAt(Attempt(row.attempt), kEndedAt + 90);
    answer.clear_ledger();
    const std::string text = answer.DebugString();
    for (const char* word : {"pods[", "Pod ", "kubectl", " pod", "kubelet"}) {
      EXPECT_THAT(text, Not(HasSubstr(word))) << row.name;
    }
  }
}

// Argo's message of a failed pod is the pod's status message or an event's.
TEST_F(AttemptTest, UnderstandsWhatKubernetesSaysOfPods) {
  std::set<std::string_view> read;
  for (const auto& [name, table] :
       {std::pair("kubelet", &demystify::KubeletTexts),
        {"scheduling", &demystify::SchedulingTexts},
        {"creation", &demystify::CreationTexts}}) {
    for (const demystify::TextSample& sample : demystify::TextSamples()) {
      if (sample.table != name || sample.text.find(' ') == sample.text.npos)
        continue;
      const demystify::TextSignature& row = *table().Find(sample.text);
      // Others are words of many programs.
      if (row.row.confidence < v1::Diagnosis::HIGH ||
          row.row.cause == v1::API_TRANSIENT) {
        continue;
      }
      ledger_.Clear();
      v1::FailureReport report;
      v1::EndedAttempt& attempt = *report.mutable_ended_attempt();
      attempt.set_id("1");
      attempt.set_scheduler("argo");
      attempt.set_state("Failed");
      attempt.set_reason(std::string(sample.text));
      const v1::DecideResponse answer =
          DecideAt(report.ShortDebugString(), kEndedAt);
      EXPECT_EQ(v1::Cause_Name(answer.diagnosis().cause()),
                v1::Cause_Name(row.row.cause))
          << sample.text;
      read.insert(sample.name);
    }
  }
  EXPECT_GT(read.size(), 50U);
}

// The words of Kubernetes that its callers look for and others do not have.
constexpr char kOfKubernetes[] =
    "(kubelet|activeDeadlineSeconds|[Ee]mptyDir|\\bpods?\\b|ephemeral-storage|"
    "imagePullSecret|PodDisruptionBudget|priorityClass|kubectl|API server)";

TEST_F(AttemptTest, NoAdviceIsInTermsOfKubernetes) {
  std::vector<std::string> ends;
  for (const SchedulerRow& row : kSchedulers) {
    // They run on Kubernetes.
    const std::string_view scheduler = row.scheduler;
    if (scheduler == "argo" || scheduler == "volcano") continue;
    ends.push_back(absl::StrCat("scheduler: '", row.scheduler, "' state: '",
                                row.state, "' reason: '", row.reason,
                                "' exit_code: ", row.code));
  }
  for (const char* text :
       {"No space left on device",
        "cp: cannot write /scratch/a: No space left "
        "on device",
        "out of shared memory", "insufficient shared memory (shm)",
        "NCCL error: remote process exited", "manifest unknown",
        "Munge encode failed", "rendezvous timed out waiting for members"}) {
    ends.push_back(absl::StrCat("exit_code: 1 log_tail: '", text, "'"));
  }
  for (const int code : {124, 125, 137, 143, 50000, 50002, 50004, 50005}) {
    ends.push_back(absl::StrCat("scheduler: 'google-batch' exit_code: ", code));
  }
  for (const std::string& end : ends) {
    SCOPED_TRACE(end);
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        absl::StrCat("ended_attempt { id: '1' nodes: 'n1' ", end, " }"),
        kEndedAt);
    for (const std::string& text :
         {answer.diagnosis().first_step().text(), answer.diagnosis().summary(),
          answer.decision().sentence()}) {
      EXPECT_THAT(text, Not(ContainsRegex(kOfKubernetes)));
    }
  }
}

TEST_F(AttemptTest, ALogSaysTheSameAsTheStateThatItShows) {
  for (const auto& [state, text] : {std::pair("PREEMPTED", "DUE TO PREEMPTION"),
                                    {"NODE_FAIL", "DUE TO NODE FAILURE"},
                                    {"TIMEOUT", "DUE TO TIME LIMIT"}}) {
    SCOPED_TRACE(text);
    ledger_.Clear();
    const v1::DecideResponse by_state =
        DecideAt(Attempt(absl::StrCat("state: '", state, "'")), kEndedAt);
    ledger_.Clear();
    const v1::DecideResponse by_log = DecideAt(
        Attempt(absl::StrCat("exit_code: 143 log_tail: 'slurmstepd: error: *** "
                             "JOB 7 ON n1 CANCELLED AT 2026-11-30T10:00:00 ",
                             text, " ***'")),
        kEndedAt);
    EXPECT_EQ(by_log.decision().action(), by_state.decision().action());
    EXPECT_EQ(by_log.accounting().charged_to(),
              by_state.accounting().charged_to());
  }
}

TEST_F(AttemptTest, EvidenceNamesTheFieldsOfTheAttempt) {
  const auto paths = [](const v1::DecideResponse& answer) {
    std::string all;
    for (const v1::Evidence& evidence : answer.diagnosis().evidence()) {
      absl::StrAppend(&all, evidence.path(), " ");
    }
    return all;
  };
  EXPECT_EQ(paths(DecideAt(Attempt("exit_code: 139"), kEndedAt)),
            "endedAttempt.exitCode ");
  EXPECT_EQ(paths(DecideAt(Attempt("signal: 11", 2), kEndedAt)),
            "endedAttempt.signal ");
  EXPECT_EQ(
      paths(DecideAt(Attempt("state: 'NODE_FAIL' exit_code: 0", 3), kEndedAt)),
      "endedAttempt.state ");
  EXPECT_THAT(
      paths(DecideAt(
          Attempt(absl::StrCat("exit_code: 1 log_tail: '", kTraceback, "'"), 4),
          kEndedAt)),
      HasSubstr("endedAttempt.logTail"));
  EXPECT_EQ(paths(DecideAt(Attempt("state: 'FAILED' reason: 'NodeDown'", 5),
                           kEndedAt)),
            "endedAttempt.reason ");
  EXPECT_EQ(
      paths(DecideAt(Attempt("reason: 'it is FAILED with exit code 3.'", 6),
                     kEndedAt)),
      "endedAttempt.reason ");
}

struct StateRow {
  const char* state;
  const char* end;
  v1::Cause cause;
  v1::Decision::Action action;
  const char* budget;
};

TEST_F(AttemptTest, UnderstandsSlurmsStates) {
  constexpr StateRow kRows[] = {
      {"COMPLETED", "exit_code: 0", v1::SUCCEEDED, v1::Decision::IGNORE, ""},
      {"FAILED", "exit_code: 139", v1::CRASH_SIGNAL, v1::Decision::RETRY,
       "application"},
      {"TIMEOUT", "exit_code: 0", v1::DEADLINE_JOB, v1::Decision::FAIL, ""},
      {"TIMEOUT", "signal: 15", v1::DEADLINE_JOB, v1::Decision::FAIL, ""},
      {"DEADLINE", "signal: 15", v1::DEADLINE_JOB, v1::Decision::FAIL, ""},
      {"NODE_FAIL", "exit_code: 0", v1::NODE_LOST, v1::Decision::RETRY,
       "infrastructure"},
      {"NODE_FAIL", "exit_code: 1", v1::NODE_LOST, v1::Decision::RETRY,
       "infrastructure"},
      {"BOOT_FAIL", "exit_code: 0", v1::NODE_LOST, v1::Decision::RETRY,
       "infrastructure"},
      {"PREEMPTED", "exit_code: 0", v1::PREEMPTED_SCHEDULER,
       v1::Decision::RETRY, "disruption"},
      {"PREEMPTED", "signal: 15", v1::PREEMPTED_SCHEDULER, v1::Decision::RETRY,
       "disruption"},
      {"OUT_OF_MEMORY", "exit_code: 1", v1::CONTAINER_OOM, v1::Decision::RETRY,
       "memory"},
      {"CANCELLED", "signal: 15", v1::CANCELLED, v1::Decision::IGNORE, ""},
      {"REQUEUED", "exit_code: 0", v1::UNKNOWN, v1::Decision::RETRY,
       "unexplained"},
  };
  for (const StateRow& row : kRows) {
    SCOPED_TRACE(absl::StrCat(row.state, " ", row.end));
    ledger_.Clear();
    const v1::DecideResponse answer = DecideAt(
        Attempt(absl::StrCat("state: '", row.state, "' ", row.end)), kEndedAt);
    EXPECT_EQ(v1::Cause_Name(answer.diagnosis().cause()),
              v1::Cause_Name(row.cause));
    EXPECT_EQ(answer.decision().action(), row.action);
    EXPECT_EQ(answer.accounting().charged_to(), row.budget);
    EXPECT_THAT(answer.warnings(), IsEmpty());
  }
}

TEST_F(AttemptTest, WarnsOfAnUnknownStateAndDecidesByTheRest) {
  const v1::DecideResponse answer = DecideAt(
      "ended_attempt { scheduler: 'lsf' id: '7' state: 'EXIT' exit_code: "
      "139 }",
      kEndedAt);
  EXPECT_EQ(answer.diagnosis().cause(), v1::CRASH_SIGNAL);
  EXPECT_THAT(answer.warnings(),
              ElementsAre("report.endedAttempt.state EXIT of lsf is not known "
                          "to this version: the rest of the attempt decides"));
  EXPECT_THAT(answer.diagnosis().summary(), HasSubstr("The lsf: "));
}

TEST_F(AttemptTest, MemoryGrowsFromWhatTheAttemptHad) {
  const v1::DecideResponse answer = DecideAt(
      Attempt("state: 'OUT_OF_MEMORY' signal: 9 memory_bytes: 4294967296"),
      kEndedAt);
  ASSERT_EQ(answer.decision().resources_size(), 1);
  EXPECT_EQ(answer.decision().resources(0).resource(), "memory");
  EXPECT_EQ(answer.diagnosis().first_step().text(),
            "raise the memory limit of the job from 4Gi to 6Gi");
}

TEST_F(AttemptTest, MeasuredMemoryAtTheLimitExplainsASigkill) {
  const v1::DecideResponse answer = DecideAt(
      Attempt("signal: 9 memory_bytes: 1000000", 1,
              "usage { memory_peak_bytes: 990000 memory_limit_bytes: 1000000 "
              "}"),
      kEndedAt);
  EXPECT_EQ(answer.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(answer.diagnosis().evidence(0).path(), "usage[0].memoryPeakBytes");
}

TEST_F(AttemptTest, ReportedTwiceItIsChargedOnce) {
  const std::string report = Attempt("exit_code: 139");
  const v1::DecideResponse first = DecideAt(report, kEndedAt);
  const v1::DecideResponse again = DecideAt(report, kEndedAt + 60);
  EXPECT_EQ(first.failure_id(), again.failure_id());
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_THAT(Charged(), ElementsAre(Pair("application", 1)));
}

TEST_F(AttemptTest, AttemptsOfOneSecondAreDistinct) {
  for (int i = 1; i <= 3; ++i) {
    DecideAt(
        absl::StrCat("ended_attempt { id: '", i,
                     "' exit_code: 139 started_at { seconds: 100 } ended_at { "
                     "seconds: 100 } }"),
        100);
  }
  // The third of the same kind exceeds the limit, and is not charged.
  EXPECT_EQ(ledger_.attempts_seen(), 3);
  EXPECT_THAT(Charged(), ElementsAre(Pair("application", 2)));
}

TEST_F(AttemptTest, RequeuedOrNotItIsOneFailure) {
  const std::string end = "state: 'NODE_FAIL' exit_code: 0 ";
  DecideAt(Attempt(end + "next: SCHEDULER"), kEndedAt + 1);
  DecideAt(Attempt(end + "next: SCHEDULER"), kEndedAt + 9);
  DecideAt(Attempt(end), kEndedAt + 20);
  EXPECT_THAT(Charged(), ElementsAre(Pair("infrastructure", 1)));
}

TEST_F(AttemptTest, RequeuedAttemptsAreChargedAndIgnored) {
  for (int i = 1; i <= 5; ++i) {
    const v1::DecideResponse answer = DecideAt(
        Attempt("state: 'PREEMPTED' exit_code: 0 next: SCHEDULER", i, "", i),
        kEndedAt + i * 3600 + 1);
    EXPECT_EQ(answer.decision().action(), v1::Decision::IGNORE);
    EXPECT_EQ(answer.diagnosis().situation(), v1::Diagnosis::ALIVE);
    EXPECT_EQ(answer.diagnosis().cause(), v1::PREEMPTED_SCHEDULER);
  }
  EXPECT_THAT(Charged(), ElementsAre(Pair("disruption", 5)));
  ASSERT_EQ(ledger_.history_size(), 5);
  EXPECT_EQ(ledger_.history(0).retried_by(), v1::AttemptRecord::SCHEDULER);
  // Five preemptions do not excuse the bug of the sixth attempt.
  const v1::DecideResponse bug =
      DecideAt(Attempt(absl::StrCat("state: 'FAILED' exit_code: 1 log_tail: '",
                                    kTraceback, "'"),
                       6, "", 6),
               kEndedAt + 6 * 3600 + 1);
  EXPECT_EQ(bug.decision().action(), v1::Decision::FAIL);
}

TEST_F(AttemptTest, StopsASchedulerThatRequeuesAMistake) {
  const auto mistake = [this](int number) {
    return DecideAt(Attempt(absl::StrCat("state: 'FAILED' exit_code: 1 next: "
                                         "SCHEDULER log_tail: '",
                                         kTraceback, "'"),
                            number, "", number),
                    kEndedAt + number * 3600 + 1);
  };
  EXPECT_EQ(mistake(1).decision().action(), v1::Decision::IGNORE);
  EXPECT_EQ(mistake(2).decision().action(), v1::Decision::FAIL);
}

TEST_F(AttemptTest, OnlyABlamedNodeOfSeveralIsAvoided) {
  const char* const end =
      "ended_attempt { scheduler: 'slurm' state: 'NODE_FAIL' nodes: 'a' nodes: "
      "'b' ";
  const v1::DecideResponse all = DecideAt(absl::StrCat(end, "}"), kEndedAt);
  EXPECT_EQ(all.decision().placement().avoid_nodes_size(), 0);
  ledger_.Clear();
  const v1::DecideResponse one =
      DecideAt(absl::StrCat(end, "failed_node: 'b' }"), kEndedAt);
  ASSERT_EQ(one.decision().placement().avoid_nodes_size(), 1);
  EXPECT_EQ(one.decision().placement().avoid_nodes(0).node(), "b");
}

TEST_F(AttemptTest, WarnsOfTheSchedulersLastAttempt) {
  const v1::DecideResponse answer =
      DecideAt(Attempt("exit_code: 139 max_attempts: 5", 5), kEndedAt);
  EXPECT_THAT(answer.warnings(),
              Contains("this was attempt 5 of 5 that the scheduler makes: "
                       "another one is the caller's to start"));
}

TEST_F(AttemptTest, ClampsTimesToTheReport) {
  const v1::DecideResponse answer =
      DecideAt(Attempt("exit_code: 139"), kEndedAt - 60);
  EXPECT_EQ(answer.diagnosis().finished_at().seconds(), kEndedAt - 60);
  EXPECT_THAT(answer.warnings(),
              Contains(HasSubstr("report.endedAttempt.endedAt is later")));
}

TEST_F(AttemptTest, RefusesImpossibleValuesByTheirField) {
  const std::string long_text(70'000, 'x');
  const std::pair<std::string, const char*> rows[] = {
      {"ended_attempt {}", "report.endedAttempt: says nothing about how"},
      {"ended_attempt { exit_code: 1 signal: -1 }",
       "report.endedAttempt.signal: "},
      {"ended_attempt { signal: 65 }", "report.endedAttempt.signal: "},
      {"ended_attempt { exit_code: 1 accelerators: -1 }",
       "report.endedAttempt.accelerators: "},
      {"ended_attempt { exit_code: 1 memory_bytes: -1 }",
       "report.endedAttempt.memoryBytes: "},
      {"ended_attempt { exit_code: 1 max_attempts: -1 }",
       "report.endedAttempt.maxAttempts: "},
      {"ended_attempt { exit_code: 1 scheduler: 'Slurm' }",
       "report.endedAttempt.scheduler: "},
      {"ended_attempt { exit_code: 1 nodes: '' }",
       "report.endedAttempt.nodes[0]: "},
      {"ended_attempt { exit_code: 1 nodes: 'a' failed_node: 'b' }",
       "report.endedAttempt.failedNode: b is not in nodes"},
      {"ended_attempt { exit_code: 1 started_at { seconds: 9 } ended_at { "
       "seconds: 8 } }",
       "report.endedAttempt.endedAt: is before startedAt"},
      {"ended_attempt { exit_code: 1 ended_at { nanos: -1 } }",
       "report.endedAttempt.endedAt: "},
      {absl::StrCat("ended_attempt { log_tail: '", long_text, "' }"),
       "report.endedAttempt.logTail: "},
      {absl::StrCat("ended_attempt { reason: '", long_text, "' }"),
       "report.endedAttempt.reason: "},
      {absl::StrCat("ended_attempt { state: '", long_text.substr(0, 1025),
                    "' }"),
       "report.endedAttempt.state: "},
      {absl::StrCat("ended_attempt { exit_code: 1 id: '",
                    long_text.substr(0, 129), "' }"),
       "report.endedAttempt.id: "},
      {"ended_attempt { exit_code: 1 } pods { metadata { name: 'a' } }",
       "report.pods: is there beside endedAttempt"},
      {"ended_attempt { exit_code: 1 } exit { exit_code: 1 }",
       "report.exit: is there beside endedAttempt"},
      {"ended_attempt { exit_code: 1 } jobs { metadata { name: 'a' } }",
       "report.jobs: is there beside endedAttempt"},
      {"ended_attempt { exit_code: 1 } job_set { metadata { name: 'a' } }",
       "report.jobSet: is there beside endedAttempt"},
  };
  for (const auto& [text, says] : rows) {
    v1::DecideRequest request;
    *request.mutable_report() = testing::Parse<v1::FailureReport>(text);
    v1::DecideResponse response;
    const absl::Status status = Decide(request, *policies_, {}, response);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << says;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
  v1::DecideRequest newer;
  newer.mutable_report()->mutable_ended_attempt()->set_exit_code(1);
  newer.mutable_report()->mutable_ended_attempt()->set_next(
      static_cast<v1::EndedAttempt::Next>(7));
  v1::DecideResponse response;
  EXPECT_THAT(std::string(Decide(newer, *policies_, {}, response).message()),
              HasSubstr("report.endedAttempt.next: is unknown"));
}

TEST_F(AttemptTest, DemystifyAgrees) {
  v1::DemystifyRequest request;
  *request.mutable_report() =
      testing::Parse<v1::FailureReport>(Attempt("state: 'NODE_FAIL'"));
  v1::DemystifyResponse response;
  ASSERT_THAT(Demystify(request, *policies_, {}, response), testing::IsOk());
  EXPECT_EQ(response.diagnosis().cause(), v1::NODE_LOST);
  EXPECT_EQ(response.diagnosis().evidence(0).path(), "endedAttempt.state");
  EXPECT_EQ(response.diagnosis().culprit().kind(), "slurm");
  EXPECT_EQ(response.diagnosis().culprit().name(), "train");
  EXPECT_EQ(response.diagnosis().culprit().node(), "n1");
}

}  // namespace
}  // namespace mulligan::situations
