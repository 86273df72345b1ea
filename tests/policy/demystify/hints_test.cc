// Diagnoses made elsewhere, next to what the objects say.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

v1::FailureReport With(v1::FailureReport report, std::string_view source,
                       v1::Cause cause, v1::Diagnosis::Confidence confidence,
                       std::string_view text = "Xid 79 on GPU 3") {
  v1::Hint& hint = *report.add_hints();
  hint.set_source(std::string(source));
  hint.set_cause(cause);
  hint.set_confidence(confidence);
  hint.set_text(std::string(text));
  return report;
}

struct HintCase {
  const char* name;
  int code;
  const char* reason;
  const char* log;
  v1::Diagnosis::Confidence confidence;
  v1::Cause cause;
  v1::Diagnosis::Confidence answered;
};

class Hints : public ::testing::TestWithParam<HintCase> {};

// A hint of a broken GPU, next to what the pod says.
TEST_P(Hints, DecideWhereTheReportLeavesItOpen) {
  const HintCase& now = GetParam();
  const v1::Diagnosis diagnosis =
      Diagnose(With(FailedPod(now.code, now.reason, now.log), "node-health",
                    v1::GPU_FAULT, now.confidence));
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(now.cause));
  EXPECT_EQ(diagnosis.confidence(), now.answered);
  EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::BROKEN);
  EXPECT_EQ(diagnosis.culprit().pod(), "p-0");
  if (now.cause == v1::GPU_FAULT) return;
  ASSERT_GE(diagnosis.considered_size(), 1);
  EXPECT_EQ(diagnosis.considered(0).cause(), v1::GPU_FAULT);
  EXPECT_THAT(diagnosis.considered(0).why_not(),
              HasSubstr("node-health: Xid 79 on GPU 3"));
}

INSTANTIATE_TEST_SUITE_P(
    Demystify, Hints,
    ::testing::Values(HintCase{"NextToACodeAlone", 1, "Error", "", kMedium,
                               v1::GPU_FAULT, kMedium},
                      HintCase{"NeverHigherThanMedium", 1, "Error", "", kHigh,
                               v1::GPU_FAULT, kMedium},
                      HintCase{"NextToAnUnexplainedKill", 137, "Error", "",
                               kLow, v1::GPU_FAULT, kLow},
                      HintCase{"LessSureThanTheCode", 1, "Error", "", kLow,
                               v1::APP_ERROR, kMedium},
                      HintCase{"NextToAReasonOfKubernetes", 137, "OOMKilled",
                               "", kHigh, v1::CONTAINER_OOM, kHigh},
                      HintCase{"NextToAProgramsMessage", 1, "Error",
                               "ModuleNotFoundError: No module named 'torch'",
                               kHigh, v1::CONFIG_USER_ERROR, kMedium}),
    [](const auto& test) { return test.param.name; });

TEST(HintsAnswer, AreNamedWithWhatTheyOverrode) {
  const v1::Diagnosis diagnosis = Diagnose(
      With(FailedPod(1, "Error"), "node-health", v1::GPU_FAULT, kMedium));
  ASSERT_GE(diagnosis.evidence_size(), 1);
  const v1::Evidence& evidence = diagnosis.evidence(0);
  EXPECT_EQ(evidence.path(), "hints[0].text");
  EXPECT_EQ(evidence.value(), "node-health: Xid 79 on GPU 3");
  EXPECT_EQ(evidence.weight(), v1::Evidence::HINT);
  EXPECT_EQ(evidence.overrode(), "exit code 1 alone");
  EXPECT_EQ(diagnosis.signature(), "hint");
  EXPECT_EQ(diagnosis.exit_code(), 1);
  EXPECT_THAT(diagnosis.summary(),
              StartsWith("Pod p-0, container main: it is GPU_FAULT according "
                         "to node-health: Xid 79 on GPU 3"));
}

TEST(HintsAnswer, ThatAgreeRaiseTheConfidence) {
  const v1::FailureReport report = FailedPod(137, "Error");
  const v1::Diagnosis alone = Diagnose(report);
  ASSERT_EQ(alone.confidence(), v1::Diagnosis::LOW);
  const v1::Diagnosis agreed =
      Diagnose(With(report, "node-health", alone.cause(), kMedium));
  EXPECT_EQ(agreed.cause(), alone.cause());
  EXPECT_EQ(agreed.confidence(), v1::Diagnosis::MEDIUM);
  EXPECT_EQ(agreed.evidence(0).path(), alone.evidence(0).path());
}

TEST(HintsAnswer, TheSurestOfSeveralDecides) {
  const v1::Diagnosis diagnosis =
      Diagnose(With(With(FailedPod(137, "Error"), "a", v1::GPU_FAULT, kLow),
                    "b", v1::FABRIC_FAULT, kMedium, ""));
  EXPECT_EQ(diagnosis.cause(), v1::FABRIC_FAULT);
  EXPECT_EQ(diagnosis.evidence(0).value(), "b");
  EXPECT_THAT(diagnosis.considered(0).why_not(),
              StartsWith("another hint is surer"));
}

TEST(HintsAnswer, NeverBreakWhatRuns) {
  v1::FailureReport report = Report(Pod("Running", "metadata { name: 'p-0' }",
                                        Container("name: 'main'", kRuns)));
  const v1::Diagnosis diagnosis =
      Diagnose(With(report, "node-health", v1::GPU_FAULT, kHigh));
  EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED);
  EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::ALIVE);
}

}  // namespace
}  // namespace mulligan::demystify
