// Reports with contradictions or impossible values are answered, with a warning
// and lower confidence.
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> WarningsOf(std::string_view report) {
  Findings findings;
  Diagnose(Report(report), {}, &findings);
  return findings.warnings;
}

struct Contradiction {
  const char* name;
  std::string report;
  v1::Cause cause;
  v1::Diagnosis::Confidence confidence;
  // Part of the only warning; empty: no warning.
  const char* warning;
};
class Contradictions : public ::testing::TestWithParam<Contradiction> {};

TEST_P(Contradictions, LowerTheConfidence) {
  Findings findings;
  const v1::Diagnosis diagnosis =
      Diagnose(Report(GetParam().report), {}, &findings);
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()), v1::Cause_Name(GetParam().cause))
      << diagnosis.DebugString();
  EXPECT_EQ(diagnosis.confidence(), GetParam().confidence);
  if (GetParam().warning[0] == '\0') {
    EXPECT_THAT(findings.warnings, IsEmpty());
  } else {
    EXPECT_THAT(findings.warnings, ElementsAre(HasSubstr(GetParam().warning)));
  }
}

const Contradiction kContradictions[] = {
    {"JobThatIsCompleteAndFailed",
     Job("metadata { name: 'j' }", Condition("Complete"),
         Condition("Failed", "BackoffLimitExceeded")),
     v1::SUCCEEDED, kLow, "Job j says both Complete and BackoffLimitExceed"},
    {"JobThatIsCompleteAndFailedByItsPolicy",
     Job(Condition("Failed", "PodFailurePolicy",
                   "Pod ns/p has condition DisruptionTarget matching FailJob "
                   "rule at index 0"),
         Condition("Complete")),
     v1::SUCCEEDED, kLow, "Job says both Complete and PodFailurePolicy"},
    {"TrainJobThatIsCompleteAndFailed",
     TrainJob("metadata { name: 't' }", Condition("Complete"),
              Condition("Failed")),
     v1::SUCCEEDED, kLow, "TrainJob t says both Complete and Failed"},
    {"JobThatNoLongerFails",
     Job(Condition("Complete"), FalseCondition("Failed"),
         FalseCondition("Suspended")),
     v1::SUCCEEDED, kHigh, ""},
    {"AnotherJobFailed", Job(Condition("Complete")) + Job(Condition("Failed")),
     v1::APP_ERROR, kLow, ""},
    {"SucceededAfterARestart",
     Object("kubeflow_job", Condition("Restarting"), Condition("Succeeded")),
     v1::SUCCEEDED, kHigh, ""},
    {"FinishedAfterAnEviction",
     Workload(Condition("Evicted", "PodsReadyTimeout"),
              Condition("Finished", "Succeeded")),
     v1::SUCCEEDED, kHigh, ""},
    {"ContainerThatRunsAndHasEnded",
     Failed("metadata { name: 'p' }",
            Container("name: 'main' state { running {} terminated { exit_code: "
                      "137 reason: 'OOMKilled' } }")),
     v1::CONTAINER_OOM, kMedium, "pod p, container main: more than one of"},
    {"ContainerThatWaitsAndHasEndedWell",
     Pod("Succeeded",
         Container("state { waiting {} terminated { exit_code: 0 } }")),
     v1::SUCCEEDED, kMedium, "more than one of"},
    {"InitContainerThatRanTwoWaysBefore",
     Failed(Reason("DeadlineExceeded"),
            InitContainer("last_state { running {} terminated {} }")),
     v1::DEADLINE_POD, kMedium, "more than one of"},
    {"FailedPodWhoseContainersEndedWell",
     Failed("metadata { name: 'p' }", Exited(0, "")), v1::SUCCEEDED, kMedium,
     "pod p: phase is Failed, but"},
};

INSTANTIATE_TEST_SUITE_P(, Contradictions, ::testing::ValuesIn(kContradictions),
                         [](const auto& test) { return test.param.name; });

TEST(ConditionWithoutAReason, IsShownByItsType) {
  const auto shown = [](std::string_view report) {
    const v1::Diagnosis diagnosis = Diagnose(report);
    return diagnosis.evidence(0).path() + "=" + diagnosis.evidence(0).value();
  };
  EXPECT_EQ(shown("jobs { status { conditions { type: 'Complete' } } }"),
            "jobs[0].status.conditions[0].type=Complete");
  EXPECT_EQ(shown("jobs { status { conditions { type: 'FailureTarget' } } }"),
            "jobs[0].status.conditions[0].type=FailureTarget");
  EXPECT_EQ(
      shown(Job("status { conditions { type: 'Failed' reason: 'Odd' } }")),
      "jobs[0].status.conditions[0].reason=Odd");
  EXPECT_EQ(
      shown(Object("ray_cluster", Condition("RayClusterSuspending", "Odd"))),
      "rayCluster.status.conditions[0].type=RayClusterSuspending");
}

TEST(AnomalousCounts, NegativeOnesAreWarnedAbout) {
  EXPECT_THAT(WarningsOf(Failed(
                  "metadata { name: 'p' }",
                  Container("name: 'main' restart_count: -1", ExitState(1, "")),
                  Container("restart_count: -2"))),
              ElementsAre(HasSubstr(
                  "pod p, container main: restartCount is negative")));
  EXPECT_THAT(
      WarningsOf(Job("metadata { name: 'j' } spec { completions: -5 "
                     "backoff_limit: -1 } status { failed: -3 }",
                     Condition("Failed")) +
                 Job("status { failed: -4 }")),
      ElementsAre(AllOf(HasSubstr("Job j: completions is -5"),
                        HasSubstr(", backoffLimit is -1, failed is -3"))));
}

TEST(AnomalousCounts, NegativeOnesOfCustomResourcesAreWarnedAbout) {
  for (const char* report : {
           "job_set { status { restarts: -1 } }",
           "ray_job { status { failed: -1 } }",
           "spark_application { status { execution_attempts: -1 } }",
           "kubeflow_job { spec { run_policy { backoff_limit: -1 } } }",
           "kueue_workload { status { requeue_state { count: -1 } } }",
       }) {
    EXPECT_THAT(WarningsOf(report),
                Contains(HasSubstr(" is -1: no count is negative")))
        << report;
  }
}

TEST(OmittedPods, AreWarnedAbout) {
  EXPECT_THAT(WarningsOf("exit { exit_code: 1 } omitted_pods {}"), IsEmpty());
  EXPECT_THAT(
      WarningsOf("exit { exit_code: 1 } omitted_pods { failed: 19500 }"),
      ElementsAre("19500 failed pods were not looked at: the report "
                  "left out what failed later and said nothing else"));
  EXPECT_THAT(
      WarningsOf("exit { exit_code: 1 } omitted_pods { failed: 2 running: 3 "
                 "pending: 4 succeeded: 5 }"),
      ElementsAre("2 failed, 3 running, 4 pending, 5 succeeded pods were not "
                  "looked at: the report left out what failed later and said "
                  "nothing else, and those without trouble"));
  EXPECT_THAT(
      WarningsOf("exit { exit_code: 1 } omitted_pods { running: 1 }"),
      ElementsAre("1 running pod was not looked at: the report left out "
                  "those without trouble"));
}

TEST(AnomalousTimes, LaterThanTheReportAreWarnedAboutOnceAKind) {
  for (const char* object : {
           "jobs { STATUS } jobs { STATUS }",
           "job_set { STATUS }",
           "train_job { STATUS }",
           "kueue_workload { STATUS }",
           "kubeflow_job { STATUS }",
           "ray_cluster { STATUS }",
           "jobs { status { start_time { seconds: 1061 } } }",
           "kubeflow_job { status { completion_time { seconds: 1061 } } }",
           "ray_job { status { end_time { seconds: 1061 } } }",
           "ray_job { status { ray_cluster_status { LATER } } }",
           "spark_application { status { termination_time { seconds: 1061 } } "
           "}",
       }) {
    std::string text =
        std::string("observed_at { seconds: 1000 } exit {} ") + object;
    const auto fill = [&text](std::string_view what, std::string_view with) {
      for (std::size_t at = text.find(what); at != std::string::npos;
           at = text.find(what)) {
        text.replace(at, what.size(), with);
      }
    };
    fill("STATUS", "status { LATER }");
    fill("LATER",
         "conditions { type: 'Odd' last_transition_time { seconds: 1061 } }");
    EXPECT_THAT(WarningsOf(text),
                Contains(HasSubstr("times later than observedAt")).Times(1))
        << text;
    fill("1061", "1060");
    EXPECT_THAT(WarningsOf(text),
                Not(Contains(HasSubstr("later than observedAt"))))
        << text;
  }
}

TEST(AnomalousTimes, AnEndBeforeItsStartIsWarnedAbout) {
  const std::string text =
      Failed("metadata { name: 'p' }",
             Container("name: 'main'",
                       "state { terminated { exit_code: 1 started_at { "
                       "seconds: 500 } finished_at { seconds: 499 } } }"));
  EXPECT_THAT(WarningsOf(text),
              ElementsAre(HasSubstr(
                  "pod p, container main: finishedAt is before startedAt")));
  v1::FailureReport report = Report(text);
  auto& run = *report.mutable_pods(0)
                   ->mutable_status()
                   ->mutable_container_statuses(0)
                   ->mutable_state()
                   ->mutable_terminated();
  Findings findings;
  run.mutable_finished_at()->set_seconds(500);
  Diagnose(report, {}, &findings);
  EXPECT_THAT(findings.warnings, IsEmpty());
  // Kubernetes writes an unknown time as the epoch.
  run.mutable_finished_at()->set_seconds(0);
  Diagnose(report, {}, &findings);
  EXPECT_THAT(findings.warnings, IsEmpty());
}

TEST(AnomalousTimes, ManyAnomalousPodsAreWarnedAboutAFewTimes) {
  v1::FailureReport report = FailedPod(1, "Error");
  report.mutable_pods(0)
      ->mutable_status()
      ->mutable_container_statuses(0)
      ->set_restart_count(-1);
  while (report.pods_size() < 100) *report.add_pods() = report.pods(0);
  Findings findings;
  Diagnose(report, {}, &findings);
  EXPECT_THAT(findings.warnings, SizeIs(8));
}

constexpr char kNoEvidence[] =
    "Nothing has failed, as far as the report shows: it does not say how the "
    "work is doing.";

struct NoEvidenceCase {
  const char* name;
  const char* report;
  const char* summary = kNoEvidence;
  // Part of a warning.
  const char* warning = "";
};
class NoEvidenceReports : public ::testing::TestWithParam<NoEvidenceCase> {};

TEST_P(NoEvidenceReports, SayThatThereIsNoEvidence) {
  Findings findings;
  const auto diagnosis = Diagnose(Report(GetParam().report), {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::LOW);
  EXPECT_EQ(diagnosis.summary(), GetParam().summary);
  EXPECT_THAT(findings.warnings, Contains(HasSubstr(GetParam().warning)));
}

constexpr NoEvidenceCase kNoEvidenceCases[] = {
    {"PhaseThatIsNotKnown",
     "pods { metadata { name: 'p' } status { phase: 'Faild' } }", kNoEvidence,
     "phase \"Faild\" is not known"},
    {"PhaseUnknown",
     "pods { metadata { name: 'p' } status { phase: 'Unknown' } }"},
    {"StateOfARayJobThatIsNotKnown",
     "ray_job { metadata { name: 'r' } status { "
     "job_deployment_status: 'Exploded' job_status: 'KAPUTT' } }",
     kNoEvidence, "RayJob r: status.jobStatus \"KAPUTT\" is not known"},
    {"StateOfASparkApplicationThatIsNotKnown",
     "spark_application { metadata { name: 's' } status { application_state { "
     "state: 'FAILED_SUBMISSION' } } }",
     kNoEvidence,
     "SparkApplication s: status.applicationState.state "
     "\"FAILED_SUBMISSION\" is not known"},
    {"UnknownMessage", "exit { message: 'something odd happened' }",
     "Whether it failed is unknown: there is no exit code, and no known "
     "failure in the output."}};
INSTANTIATE_TEST_SUITE_P(Anomalies, NoEvidenceReports,
                         ::testing::ValuesIn(kNoEvidenceCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
