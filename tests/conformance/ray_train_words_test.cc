// Cases of KubeRay, Trainer and training-operator in words the shared files do
// not use, and words that must stay unknown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>

#include "client/conformance/runner.h"

namespace mulligan::conformance {
namespace {

struct Words {
  const char* name;
  // Members input and expect of a case.
  const char* members;
};

void PrintTo(const Words& words, std::ostream* out) { *out << words.name; }

FileReport RunOne(const std::string& source, const char* members) {
  // A case is one line.
  std::string text =
      R"({"id":"x","source":")" + source + R"(",)" + members + "}";
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::istringstream line(text);
  return RunCases("words.jsonl", line);
}

void ExpectPasses(const std::string& source, const Words& words) {
  const FileReport report = RunOne(source, words.members);
  std::ostringstream printed;
  PrintReport(report, printed);
  EXPECT_EQ(report.passed, 1) << printed.str();
}

std::string NameOf(const ::testing::TestParamInfo<Words>& info) {
  return info.param.name;
}

class KubeRayWordsTest : public ::testing::TestWithParam<Words> {};

TEST_P(KubeRayWordsTest, Holds) {
  ExpectPasses("ray-project/kuberay t", GetParam());
}

constexpr Words kKubeRay[] = {
    {"ASuspendedJobIsNotLookedAtAgain",
     R"("input":{"kind":"suspend","level":"unit","spec":{"suspend":true},
                 "statusBefore":{"jobDeploymentStatus":"Suspended"}},
        "expect":{"jobDeploymentStatus":"Suspended","requeueAfter":0,
                  "error":false})"},
    {"AResumedJobIsNewAfterOnePass",
     R"("input":{"kind":"suspend","level":"envtest","spec":{"suspend":false},
                 "statusBefore":{"jobDeploymentStatus":"Suspended"}},
        "expect":{"jobDeploymentStatus":"","requeue":true})"},
    {"AJobCreatedSuspendedGetsNoCluster",
     R"("input":{"kind":"suspend","level":"envtest","spec":{"suspend":true},
                 "event":{"what":"created suspended"}},
        "expect":{"jobDeploymentStatus":"Suspended","rayCluster":"none",
                  "rayClusterName":"unset"})"},
    {"SuspendIsIgnoredAtTheEnd",
     R"("input":{"kind":"suspend","level":"e2e",
                 "spec":{"shutdownAfterJobFinishes":true},
                 "statusBefore":{"jobDeploymentStatus":"Complete"},
                 "event":{"what":"suspend is set to true"}},
        "expect":{"jobDeploymentStatus":"Complete"})"},
    {"AnAnswerOfTheDashboardClearsTheTimer",
     R"("input":{"kind":"status-check","level":"envtest",
                 "spec":{"submissionMode":"HTTPMode"},
                 "statusBefore":{"jobDeploymentStatus":"Running",
                   "jobStatusCheckFailureStartTime":"1 minute ago"},
                 "event":{"rayJobInfo":{"jobStatus":"RUNNING"}}},
        "expect":{"jobStatusCheckFailureStartTime":"cleared"})"},
    {"ATimerThatNeverStartedIsNotExceeded",
     R"("input":{"kind":"status-check","level":"unit",
                 "statusBefore":{"jobStatusCheckFailureStartTime":"unset"},
                 "timeoutSeconds":1},
        "expect":{"exceeded":false,"jobDeploymentStatus":"unchanged"})"},
    {"TheClustersStatusIsCopied",
     R"("input":{"kind":"transition","level":"e2e",
                 "statusBefore":{"jobDeploymentStatus":"Running"},
                 "event":{"rayCluster.status.maxWorkerReplicas":"changed"}},
        "expect":{"rayClusterStatus.maxWorkerReplicas":5})"},
    {"AClusterThatCannotStartMeetsThePreRunningDeadline",
     R"("input":{"kind":"deadline","level":"e2e",
                 "spec":{"preRunningDeadlineSeconds":5,"backoffLimit":1},
                 "event":{"what":"the image cannot be pulled"}},
        "expect":{"jobDeploymentStatus":"Failed","failed":2,
                  "reason":"PreRunningDeadlineExceeded"})"},
    {"AJobThatRunsInTimeDoesNot",
     R"("input":{"kind":"deadline","level":"e2e",
                 "spec":{"preRunningDeadlineSeconds":5},
                 "event":{"what":"the cluster reaches Running at once"}},
        "expect":{"jobDeploymentStatus":"Running"})"},
    {"AHeadThatCannotBeCreated",
     R"("input":{"kind":"creation-failure","level":"unit",
                 "event":{"what":"API create of the head pod fails"}},
        "expect":{"error":true,"eventContains":"Failed to create head Pod",
                  "conditionReason":"FailedCreateHeadPod"})"},
    {"AWorkerThatCannotBeDeleted",
     R"("input":{"kind":"creation-failure","level":"unit",
                 "event":{"what":"deleting a worker pod returns an error"}},
        "expect":{"error":true,"eventContains":"Failed to delete worker Pod",
                  "conditionReason":"FailedDeleteWorkerPod"})"},
    {"ADeletedHeadIsNoFailedCall",
     R"("input":{"kind":"infra-failure","level":"e2e",
                 "spec":{"submissionMode":"SidecarMode"},
                 "statusBefore":{"jobDeploymentStatus":"Running"},
                 "event":{"what":"the job fails, its head pod deleted"}},
        "expect":{"jobDeploymentStatus":"Failed","headPod":"not recreated",
                  "reason":"AppFailed"})"},
    {"AContainerWithoutStatusHasNotRestarted",
     R"("input":{"kind":"submitter","level":"unit","limit":2,
                 "submitterContainer":null},
        "expect":{"exceeded":false})"},
    {"AContainerThatRestartedTooOftenEndsTheAttempt",
     R"("input":{"kind":"submitter","level":"unit","limit":2,
                 "submitterContainer":{"restartCount":2,"state":"waiting"}},
        "expect":{"exceeded":true,"jobDeploymentStatus":"Failed",
                  "reason":"SubmissionFailed"})"},
    {"WhatComesLaterIsToldApart",
     R"("input":{"kind":"transition","level":"e2e",
                 "spec":{"shutdownAfterJobFinishes":true},
                 "event":{"rayJobInfo":{"jobStatus":"SUCCEEDED"},
                          "then":{"specUpdate":{"suspend":true}}}},
        "expect":{"jobDeploymentStatus":"Complete","rayCluster":"deleted",
                  "rayJobInfo.endTime":"set"})"},
    {"ATestMayBeginToLookLate",
     R"("input":{"kind":"transition","level":"e2e",
                 "event":{"what":"the Ray job is stopped"}},
        "expect":{"transitions":["Running","Complete"],
                  "jobStatus":"STOPPED"})"},
    {"TokensNeedNoWordAboutTheVersion",
     R"("input":{"kind":"transition","level":"e2e",
                 "spec":{"rayClusterSpec":{"authOptions":{"mode":"token"}}},
                 "event":{"rayJobInfo":{"jobStatus":"SUCCEEDED"}}},
        "expect":{"jobDeploymentStatus":"Complete"})"},
};

INSTANTIATE_TEST_SUITE_P(Cases, KubeRayWordsTest, ::testing::ValuesIn(kKubeRay),
                         NameOf);

class TrainerWordsTest : public ::testing::TestWithParam<Words> {};

TEST_P(TrainerWordsTest, Holds) {
  ExpectPasses("kubeflow/trainer t", GetParam());
}

constexpr Words kTrainer[] = {
    {"TheDeadlineInWords",
     R"("input":{"kind":"deadline","spec":{"activeDeadlineSeconds":1},
                 "event":{"secondsSinceCreation":"more than 1"}},
        "expect":{"conditions":["Failed=True"],
                  "jobSet":"deleted"})"},
    {"TheDeadlineIsStrict",
     R"("input":{"kind":"deadline","spec":{"activeDeadlineSeconds":1},
                 "event":{"secondsSinceCreation":"1s"}},
        "expect":{"noConditionWithReason":"DeadlineExceeded"})"},
    {"ConditionsInShort",
     R"("input":{"kind":"transition","jobSet":null,"spec":null,
                 "statusBefore":{"conditions":["Suspended=True"]},
                 "event":{"specUpdate":{"suspend":false}}},
        "expect":{"conditions":[{"type":"Suspended","status":"False",
                    "reason":"Resumed","message":"TrainJob is resumed"}]})"},
    {"AJobSetWithoutStatusTellsNothing",
     R"("input":{"kind":"transition","jobSet":"exists, no status"},
        "expect":{"status":{},"jobsStatus":[]})"},
    {"AScriptThatFails",
     R"("input":{"kind":"failure","level":"e2e",
                 "event":{"what":"container exits non-zero"}},
        "expect":{"conditionTrue":"Failed"})"},
    {"AnOwnerThatDiffersIsNoOtherRuntime",
     R"("input":{"kind":"build-failure","event":{"what":"owner UID differs"}},
        "expect":{"errorNotContains":"wrong runtime"})"},
    {"NamesOfVariablesAlone",
     R"("input":{"kind":"build-failure",
                 "spec":{"trainer.env":["PET_NNODES"]}},
        "expect":{"admission":"rejected"})"},
    {"ARuntimeThatIsNotDeprecated",
     R"("input":{"kind":"build-failure","spec":{"runtimeRef":"a runtime"},
                 "event":{"what":"the runtime is not deprecated"}},
        "expect":{"admission":"accepted","warning":null})"},
    {"NoAuthorizationHeader",
     R"("input":{"kind":"progress",
                 "event":{"what":"no Authorization header"}},
        "expect":{"httpStatus":403,"reason":"Forbidden"})"},
    {"TheSizeIsLookedAtBeforeTheHeader",
     R"("input":{"kind":"progress",
                 "event":{"what":"1 MB, no Authorization header"}},
        "expect":{"httpStatus":413})"},
    {"ABodyThatIsNoJson",
     R"("input":{"kind":"progress","event":{"body":"invalid payload"}},
        "expect":{"httpStatus":422,"message":"Invalid payload"})"},
    {"ASnapshotThatIsMissing",
     R"("input":{"kind":"build-failure",
                 "event":{"what":"ConfigMap does not exist"}},
        "expect":{"error":"NotFound","notFound":true})"},
    {"ASnapshotWithAnotherKey",
     R"("input":{"kind":"build-failure",
                 "event":{"what":"data has a wrong key"}},
        "expect":{"errorContains":"missing \"runtime\" data key"})"},
    {"FewerThanOneProcess",
     R"("input":{"kind":"build-failure",
                 "spec":{"runtime":"Flux","trainer.numProcPerNode":"<1"}},
        "expect":{"admission":"rejected"})"},
    {"ARuntimeThatDoesNotExist",
     R"("input":{"kind":"build-failure",
                 "spec":{"runtimeRef":{"name":"r"},"runtime":null}},
        "expect":{"admission":"rejected"})"},
    {"PatchesOfANewTrainJob",
     R"("input":{"kind":"spec-update","old":"none",
                 "new":{"runtimePatchesChanged":true},"jobSet":"not found"},
        "expect":{"allowed":true,"errors":[]})"},
    {"AnEmptyHeader",
     R"("input":{"kind":"progress","event":{"authHeader":""}},
        "expect":{"httpStatus":403})"},
    {"AnUnknownTrainJob",
     R"("input":{"kind":"progress","trainJob":"does not exist",
                 "event":{"post":{"trainerStatus":{}}}},
        "expect":{"httpStatus":404,"message":"Train job not found"})"},
};

INSTANTIATE_TEST_SUITE_P(Cases, TrainerWordsTest, ::testing::ValuesIn(kTrainer),
                         NameOf);

class TrainingOperatorWordsTest : public ::testing::TestWithParam<Words> {};

TEST_P(TrainingOperatorWordsTest, Holds) {
  ExpectPasses(
      "kubeflow/trainer@x (training-operator v1) pkg/controller.v1/pytorch/t",
      GetParam());
}

constexpr Words kTrainingOperator[] = {
    {"ExitCodesAsText",
     R"("input":{"kind":"exit-code","exitCode":"130"},
        "expect":{"retryable":true})"},
    {"ConditionsOneAfterTheOther",
     R"("input":{"kind":"conditions",
                 "sequence":["Created","Running","Restarting","Failed"]},
        "expect":{"conditions":["Created","Restarting=True","Failed"],
                  "history":[["Created"],["Created","Running"],
                             ["Created","Restarting"],
                             ["Created","Restarting","Failed"]]})"},
    {"AStartTimeThatLiesBack",
     R"("input":{"kind":"deadline","runPolicy":{"activeDeadlineSeconds":2},
                 "startTime":"3s ago"},
        "expect":{"pastActiveDeadline":true})"},
    {"AnotherControllersJobIsLeftAlone",
     R"("input":{"kind":"managed-by",
                 "runPolicy":{"managedBy":"kueue.x-k8s.io/multikueue"}},
        "expect":{"conditions":[],"pods":0,"reconciled":false})"},
    {"ServicesGoWithTheirPods",
     R"("input":{"kind":"suspend","level":"envtest",
                 "statusBefore":{"conditions":["Created","Running"]},
                 "event":{"specUpdate":{"runPolicy.suspend":true}}},
        "expect":{"pods":0,"services":0,
                  "conditions":["Created","Running=False","Suspended"]})"},
    {"AWorkerWithoutPodsHasNotCompleted",
     R"("input":{"kind":"success-policy","replicas":{"Master":1,"Worker":1},
                 "workers":null},
        "expect":{"worker0Completed":false})"},
    {"NoElasticPolicyNoVariables",
     R"("input":{"kind":"elastic","elasticPolicy":null},
        "expect":{"env":{}})"},
};

INSTANTIATE_TEST_SUITE_P(Cases, TrainingOperatorWordsTest,
                         ::testing::ValuesIn(kTrainingOperator), NameOf);

// What is not understood fails and names the words, also next to known ones.
struct Unknown {
  const char* source;
  const char* members;
  const char* named;
};

TEST(UnknownWordsTest, FailAndAreNamed) {
  constexpr Unknown kUnknown[] = {
      {"ray-project/kuberay t",
       R"("input":{"kind":"failure","level":"e2e",
                   "event":{"what":"the moon is full"}},
          "expect":{"jobDeploymentStatus":"Failed"})",
       "the moon is full"},
      {"ray-project/kuberay t",
       R"("input":{"kind":"suspend","level":"unit","mood":"good"},
          "expect":{"updated":false})",
       "mood"},
      {"kubeflow/trainer t",
       R"("input":{"kind":"transition","jobSet":"in a mood"},
          "expect":{"status":{}})",
       "in a mood"},
      {"kubeflow/trainer t",
       R"("input":{"kind":"deadline","spec":{"activeDeadlineSeconds":1},
                   "event":{"secondsSinceCreation":"some"}},
          "expect":{"jobSet":"deleted"})",
       "some"},
      {"kubeflow/trainer@x (training-operator v1) t",
       R"("input":{"kind":"exit-code","exitCode":"a signal"},
          "expect":{"retryable":true})",
       "a signal"},
  };
  for (const Unknown& unknown : kUnknown) {
    const FileReport report = RunOne(unknown.source, unknown.members);
    ASSERT_EQ(report.failed.size(), 1) << unknown.named;
    EXPECT_THAT(report.failed.front().why,
                ::testing::Contains(::testing::HasSubstr(unknown.named)));
  }
}

}  // namespace
}  // namespace mulligan::conformance
