// Cases of Flyte and the Job controller in words the shared files do not use.
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
  // The members of a case apart from its id.
  const char* members;
};

void PrintTo(const Words& words, std::ostream* out) { *out << words.name; }

class FlyteJobWordsTest : public ::testing::TestWithParam<Words> {};

TEST_P(FlyteJobWordsTest, Holds) {
  // A case is one line.
  std::string text = std::string(R"({"id":"x",)") + GetParam().members + "}";
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::istringstream line(text);
  const FileReport report = RunCases("words.jsonl", line);
  std::ostringstream printed;
  PrintReport(report, printed);
  EXPECT_EQ(report.passed, 1) << printed.str();
}

constexpr Words kFlyte[] = {
    {"ATextForTheStateIsTheErrorOfReadingIt",
     R"("source":"flyteorg/flyte t","line":"v2","fn":"JobSet.GetTaskPhase",
        "input":{"job":{"status":{}},"taskSpec":{},
                 "priorPluginState":"state read failed"},
        "expect":{"phase":"Initializing"})"},
    {"AStateThatCannotBeReadCountsAsNone",
     R"("source":"flyteorg/flyte t","line":"v2","fn":"JobSet.GetTaskPhase",
        "input":{"job":{"status":{}},"taskSpec":{},
                 "priorPluginState":{"phase":"Running"},
                 "pluginStateReadError":true},
        "expect":{"phase":"Initializing"})"},
    {"ASystemFailureInWords",
     R"("source":"flyteorg/flyte t","line":"v2",
        "fn":"systemErrorFromPhaseInfo",
        "input":{"phase":"RetryableFailure","kind":"SYSTEM","code":"Gone",
                 "message":"node lost"},
        "expect":{"error":"[Gone] node lost"})"},
    {"APhaseMayHoldItsError",
     R"("source":"flyteorg/flyte t","line":"v2",
        "fn":"isSystemRetryableFailure",
        "input":{"phase":{"phase":"RetryableFailure","kind":"SYSTEM"}},
        "expect":{"system":true})"},
    {"AnElementWithoutAPlaceWaits",
     R"("source":"flyteorg/flyte t","line":"v1","fn":"legacyArray.subtask",
        "input":{"existingPhase":"Undefined",
                 "allocation":"AllocationStatusExhausted"},
        "expect":{"subtaskPhase":"WaitingForResources",
                  "arrayPhase":"PhaseCheckingSubTaskExecutions"})"},
    {"AnElementThatWasNotAskedStaysAsItIs",
     R"("source":"flyteorg/flyte t","line":"v1","fn":"arrayNode.aggregate",
        "input":{"subNodePhases":["Queued","Running"],
                 "subNodeHandlerPhases":[null,{"phase":"RetryableFailure",
                                               "kind":"SYSTEM"}]},
        "expect":{"arrayPhase":"Executing",
                  "subNodePhases":["Queued","RetryableFailure"]})"},
    {"AConditionWithoutTimesIsPrintedWithGosZeroTime",
     R"("source":"flyteorg/flyte t","line":"v1",
        "fn":"kubeflow.ExtractCurrentCondition",
        "input":{"conditions":[{"type":"unknown"}]},
        "expect":{"condition":"",
                  "errorContains":"LastUpdateTime:0001-01-01 00:00:00 +0000"})"},
    {"AnApiErrorMayCarryItsDetails",
     R"("source":"flyteorg/flyte t","line":"v1","fn":"IsBackOffError",
        "input":{"createError":{"reason":"TooManyRequests","code":429,
                                "status":"Failure","retryAfterSeconds":1}},
        "expect":{"backoff":true})"},
    {"AnErrorThatIsNoApiStatusIsReturned",
     R"("source":"flyteorg/flyte t","line":"v1","fn":"transitionFromError",
        "input":{"createError":"some error"},
        "expect":{"phase":"Undefined","error":true})"},
    {"AQuantityMayBeANumber",
     R"("source":"flyteorg/flyte t","line":"v1","fn":"quota.isEligible",
        "input":{"requested":{"cpu":1},"quota":{"cpu":2}},
        "expect":{"eligible":true})"},
};

constexpr Words kJob[] = {
    {"AnAbsentListOfFinishTimesIsEmpty",
     R"("source":"kubernetes/kubernetes t",
        "input":{"newFailedFinishTimes":["2026-01-01T00:00:00Z"]},
        "expect":{"failuresAfterLastSuccess":1})"},
    {"NoClockIsNeededWithoutFailures",
     R"("source":"kubernetes/kubernetes t",
        "input":{"failuresAfterLastSuccess":0,"defaultBackoffSeconds":10,
                 "maxBackoffSeconds":600},
        "expect":{"delaySeconds":0})"},
    {"WithoutFailedPodsAllIndexesAreReady",
     R"("source":"kubernetes/kubernetes t",
        "input":{"indexesToAdd":[0,2],"defaultBackoffSeconds":10,
                 "maxBackoffSeconds":600},
        "expect":{"indexesToAddNow":[0,2],"delaySeconds":0})"},
    {"TheFirstPodOfAnIndexReplacesNone",
     R"("source":"kubernetes/kubernetes t","input":{"job":{"spec":{}}},
        "expect":{"indexFailureCount":0,"indexIgnoredFailureCount":0})"},
    {"AJobWithoutPodsGetsThem",
     R"("source":"kubernetes/kubernetes t",
        "input":{"now":"2026-01-01T00:00:00Z",
                 "job":{"spec":{"parallelism":2,"completions":2}}},
        "expect":{"active":2,"failed":0,"conditions":[]})"},
};

std::string NameOf(const ::testing::TestParamInfo<Words>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Flyte, FlyteJobWordsTest, ::testing::ValuesIn(kFlyte),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Job, FlyteJobWordsTest, ::testing::ValuesIn(kJob),
                         NameOf);

}  // namespace
}  // namespace mulligan::conformance
