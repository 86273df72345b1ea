#include "policy/operators/job/sync.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/kubernetes_time.h"
#include "tests/policy/operators/job/test_objects.h"

namespace mulligan::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kNow = 100000;

SyncResult Sync(const std::string& job_text, const PodOwner& pods,
                const Gates& gates = Gates(),
                const BackoffRecord& record = BackoffRecord()) {
  const Job job = Parse<Job>(job_text);
  return SyncJob({job, pods.get(), absl::FromUnixSeconds(kNow), gates, record,
                  BackoffSettings()});
}

std::vector<std::string> Conditions(const SyncResult& result) {
  std::vector<std::string> texts;
  for (const auto& condition : result.status.conditions()) {
    texts.push_back(condition.type() + "=" + condition.status() + " " +
                    condition.reason());
  }
  return texts;
}

constexpr char kTwoWide[] = "parallelism: 2 completions: 2 ";

TEST(SyncJobTest, AFreshJobGetsItsPodsAndItsStartTime) {
  const SyncResult result = Sync("spec { parallelism: 3 }", PodOwner({}));
  EXPECT_EQ(result.status.active(), 3);
  EXPECT_EQ(result.created_pods, 3);
  EXPECT_EQ(result.status.start_time().seconds(), kNow);
  EXPECT_THAT(Conditions(result), IsEmpty());
}

TEST(SyncJobTest, AReplacementWaitsForItsDelay) {
  const SyncResult result =
      Sync("spec { " + std::string(kTwoWide) + " }",
           PodOwner({TrackedPod("a",
                                "metadata { deletion_timestamp { seconds: "
                                "99995 } } status { phase: 'Failed' }"),
                     TrackedPod("b", kRunningPhase)}));
  EXPECT_EQ(result.delay, absl::Seconds(5));
  EXPECT_EQ(result.created_pods, 0);
  EXPECT_EQ(result.status.failed(), 1);
  EXPECT_EQ(result.record.failures_after_last_success, 1);
}

TEST(SyncJobTest, RememberedFailuresLengthenTheDelay) {
  const SyncResult result = Sync(
      "spec { completions: 1 parallelism: 1 }",
      PodOwner({TrackedPod("a",
                           "metadata { creation_timestamp { seconds: 99999 } } "
                           "status { phase: 'Failed' }")}),
      Gates(), {2, absl::FromUnixSeconds(90000)});
  EXPECT_EQ(result.delay, absl::Seconds(39));
}

TEST(SyncJobTest, FailureIsAnnouncedFirstAndSealedWhenNoPodIsLeft) {
  const std::string job = "spec { backoff_limit: 0 " + std::string(kTwoWide) +
                          "} status { start_time { seconds: 5 } ";
  const SyncResult first =
      Sync(job + "}", PodOwner({TrackedPod("a", kFailedPhase),
                                TrackedPod("b", kRunningPhase)}));
  EXPECT_THAT(Conditions(first),
              ElementsAre("FailureTarget=True BackoffLimitExceeded"));
  EXPECT_THAT(first.deleted_pods, SizeIs(1));
  EXPECT_EQ(first.status.failed(), 2);
  EXPECT_EQ(first.status.terminating(), 1);
  const SyncResult second = Sync(
      job +
          "failed: 2 conditions { type: 'FailureTarget' status: 'True' reason: "
          "'BackoffLimitExceeded' message: 'm' } }",
      PodOwner({}));
  EXPECT_THAT(Conditions(second),
              ElementsAre("FailureTarget=True BackoffLimitExceeded",
                          "Failed=True BackoffLimitExceeded"));
  EXPECT_EQ(second.status.conditions(1).message(), "m");
  EXPECT_FALSE(second.status.has_completion_time());
}

TEST(SyncJobTest, AFinishedJobIsLeftAlone) {
  const std::string job =
      "spec { parallelism: 2 } status { failed: 1 conditions { type: 'Failed' "
      "status: 'True' } }";
  const SyncResult result =
      Sync(job, PodOwner({TrackedPod("a", kFailedPhase)}));
  EXPECT_EQ(result.status.failed(), 1);
  EXPECT_EQ(result.created_pods, 0);
  EXPECT_FALSE(result.verdict.has_value());
}

TEST(SyncJobTest, AnotherControllersJobIsLeftAlone) {
  EXPECT_EQ(Sync("spec { managed_by: 'x.io/y' }", PodOwner({})).created_pods,
            0);
  Gates gates;
  gates.managed_by = false;
  EXPECT_EQ(
      Sync("spec { managed_by: 'x.io/y' }", PodOwner({}), gates).created_pods,
      1);
}

TEST(SyncJobTest, SuspensionRemovesPodsWithoutCountingThem) {
  const SyncResult result = Sync(
      "spec { suspend: true active_deadline_seconds: 1 } status { "
      "start_time { seconds: 5 } }",
      PodOwner({TrackedPod("a", kRunningPhase)}));
  EXPECT_THAT(Conditions(result), ElementsAre("Suspended=True JobSuspended"));
  EXPECT_EQ(result.status.failed(), 0);
  EXPECT_THAT(result.deleted_pods, SizeIs(1));
}

TEST(SyncJobTest, ResumingStartsTheDeadlineAnew) {
  const SyncResult result = Sync(
      "spec { active_deadline_seconds: 200000 } status { start_time { "
      "seconds: 5 } conditions { type: 'Suspended' status: 'True' } }",
      PodOwner({}));
  EXPECT_THAT(Conditions(result), ElementsAre("Suspended=False JobResumed"));
  EXPECT_EQ(result.status.start_time().seconds(), kNow);
}

TEST(SyncJobTest, FailJobBeatsTheLimitAndTheDeadline) {
  const SyncResult result = Sync(
      "spec { backoff_limit: 0 active_deadline_seconds: 1 pod_failure_policy { "
      "rules { action: 'FailJob' on_pod_conditions { type: 'X' status: 'True' "
      "} } } } status { start_time { seconds: 5 } }",
      PodOwner({TrackedPod("a",
                           "status { phase: 'Failed' conditions { type: 'X' "
                           "status: 'True' } }")}));
  EXPECT_THAT(Conditions(result),
              ElementsAre("FailureTarget=True PodFailurePolicy",
                          "Failed=True PodFailurePolicy"));
}

TEST(SyncJobTest, ARecordedSuccessIsNotOverruledByAFailJobRule) {
  const SyncResult result = Sync(
      "spec { completion_mode: 'Indexed' completions: 2 parallelism: 2 "
      "pod_failure_policy { rules { action: 'FailJob' on_pod_conditions { "
      "type: 'X' status: 'True' } } } } status { conditions { type: "
      "'SuccessCriteriaMet' status: 'True' reason: 'SuccessPolicy' } }",
      PodOwner({IndexedPod("a", 0, 0,
                           "status { phase: 'Failed' conditions { type: 'X' "
                           "status: 'True' } }"),
                IndexedPod("b", 1, 0, kRunningPhase)}));
  EXPECT_THAT(Conditions(result),
              ElementsAre("SuccessCriteriaMet=True SuccessPolicy"));
  EXPECT_THAT(result.deleted_pods, SizeIs(1));
  EXPECT_EQ(result.status.failed(), 1) << "the running pod is not a failure";
}

TEST(SyncJobTest, TheDeadlineIsInclusive) {
  const auto reason_at = [](int limit) {
    const SyncResult result =
        Sync("spec { active_deadline_seconds: " + std::to_string(limit) +
                 " } status { start_time { seconds: 99990 } }",
             PodOwner({}));
    return result.verdict.has_value() ? result.verdict->reason() : "";
  };
  EXPECT_EQ(reason_at(10), "DeadlineExceeded");
  EXPECT_EQ(reason_at(11), "");
}

TEST(SyncJobTest, TheSuccessPolicyEndsTheJobEarly) {
  const SyncResult result = Sync(
      "spec { completion_mode: 'Indexed' completions: 3 parallelism: 3 "
      "success_policy { rules { succeeded_indexes: '0' } } }",
      PodOwner({IndexedPod("a", 0, 0, kSucceededPhase),
                IndexedPod("b", 1, 0, kRunningPhase)}));
  EXPECT_THAT(Conditions(result),
              ElementsAre("SuccessCriteriaMet=True SuccessPolicy"));
  EXPECT_EQ(result.status.conditions(0).message(), "Matched rules at index 0");
}

TEST(SyncJobTest, TerminatingPodsHoldBackReplacementsThatWait) {
  const std::string leaving =
      TrackedPod("a",
                 "metadata { deletion_timestamp { seconds: 5 } } status { "
                 "phase: 'Running' }");
  const SyncResult waits =
      Sync("spec { pod_replacement_policy: 'Failed' }", PodOwner({leaving}));
  EXPECT_EQ(waits.created_pods, 0);
  EXPECT_EQ(waits.status.failed(), 0);
  EXPECT_EQ(waits.status.terminating(), 1);
  const SyncResult at_once = Sync("spec {}", PodOwner({leaving}));
  EXPECT_EQ(at_once.created_pods, 1);
  EXPECT_EQ(at_once.status.failed(), 1);
}

TEST(SyncJobTest, UncountedPodsAreCountedOnceTheirFinalizerIsGone) {
  const SyncResult result = Sync(
      "spec { parallelism: 1 } status { failed: 1 "
      "uncounted_terminated_pods { failed: 'gone' failed: 'held' } }",
      PodOwner({TrackedPod("held", kFailedPhase),
                "metadata { uid: 'gone' } status { phase: 'Failed' }"}));
  EXPECT_EQ(result.status.failed(), 3);
  EXPECT_EQ(result.failures, 3);
  EXPECT_EQ(result.status.uncounted_terminated_pods().failed_size(), 0);
}

TEST(SyncJobTest, TooManyPodsLoseTheOneWithLeastToLose) {
  const PodOwner pods({TrackedPod("a",
                                  "spec { node_name: 'n' } status { phase: "
                                  "'Running' }"),
                       TrackedPod("b",
                                  "spec { node_name: 'n' } status { phase: "
                                  "'Pending' }")});
  const SyncResult result = Sync("spec { parallelism: 1 }", pods);
  EXPECT_THAT(result.deleted_pods, ElementsAre(pods.get()[1]));
  EXPECT_EQ(result.status.failed(), 0);
}

TEST(SyncJobTest, DuplicateAndInvalidIndexesAreRemoved) {
  const PodOwner pods({IndexedPod("a", 0, 0, kRunningPhase),
                       IndexedPod("b", 0, 0, " status { phase: 'Pending' }"),
                       IndexedPod("c", 9, 0, kRunningPhase),
                       TrackedPod("d", kRunningPhase)});
  const SyncResult result =
      Sync("spec { completion_mode: 'Indexed' completions: 4 parallelism: 4 }",
           pods);
  EXPECT_THAT(result.deleted_pods,
              ::testing::UnorderedElementsAre(pods.get()[1], pods.get()[2],
                                              pods.get()[3]));
  EXPECT_EQ(result.created_pods, 0);
}

TEST(SyncJobTest, FullListsPutOffTheEnd) {
  std::vector<Pod> many(501, Parse<Pod>(TrackedPod("", kFailedPhase)));
  Pods pods;
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].mutable_metadata()->set_uid("pod" + std::to_string(i));
    pods.push_back(&many[i]);
  }
  const Job job = Parse<Job>("spec { backoff_limit: 5 }");
  const SyncResult result =
      SyncJob({job, pods, absl::FromUnixSeconds(kNow), Gates(), BackoffRecord(),
               BackoffSettings()});
  EXPECT_EQ(result.status.failed(), 500);
  EXPECT_THAT(Conditions(result),
              ElementsAre("FailureTarget=True BackoffLimitExceeded"));
}

TEST(SyncJobTest, WithoutInterimConditionsFailedComesAtOnce) {
  Gates gates;
  gates.interim_conditions = false;
  const SyncResult result = Sync(
      "spec { backoff_limit: 0 parallelism: 2 }",
      PodOwner({TrackedPod("a", kFailedPhase), TrackedPod("b", kRunningPhase)}),
      gates);
  EXPECT_THAT(Conditions(result),
              ElementsAre("Failed=True BackoffLimitExceeded"));
}

TEST(SyncJobTest, AnySuccessEndsAJobWithoutCompletions) {
  const SyncResult result = Sync("spec { parallelism: 2 }",
                                 PodOwner({TrackedPod("a", kSucceededPhase),
                                           TrackedPod("b", kFailedPhase)}));
  EXPECT_THAT(Conditions(result),
              ElementsAre("SuccessCriteriaMet=True CompletionsReached",
                          "Complete=True CompletionsReached"));
  EXPECT_EQ(result.status.completion_time().seconds(), kNow);
}

}  // namespace
}  // namespace mulligan::job
