// The written answer: evidence, alternatives, culprit, fingerprint, findings.
#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/utf8.h"
#include "policy/demystify/fingerprint.h"
#include "policy/request/workload.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::demystify {
namespace {

using ::mulligan::testing::EqualsProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kPreempted = Failed(
    "metadata { name: 'train-0' namespace: 'ml' } spec { node_name: 'node-7' }",
    Condition("PodScheduled"), Disruption("PreemptionByScheduler", 1000),
    Container("name: 'main'", ExitState(143, "Error", 1010)));

TEST(Diagnosis, ReadsAsOneStory) {
  Findings findings;
  const auto diagnosis = Diagnose(Report(kPreempted), {}, &findings);
  EXPECT_THAT(
      diagnosis, EqualsProto(R"pb(
        cause: PREEMPTED_SCHEDULER
        fault_domain: DISRUPTION
        confidence: HIGH
        culprit { pod: "train-0" container: "main" node: "node-7" }
        evidence {
          path: "pods[0].status.conditions[1].reason"
          value: "PreemptionByScheduler"
          meaning: "the scheduler removed the pod for a more important one"
          weight: DISRUPTION
          overrode: "exit code 143 alone"
          object: "Pod/ml/train-0"
        }
        summary: "Pod train-0, container main: the scheduler removed the pod "
                 "for a more important one (exit code 143)."
        signature: "disruption/PreemptionByScheduler"
        finished_at { seconds: 1010 }
        fingerprint: "0ca7d7bbcff6f916"
        exit_code: 143
        situation: BROKEN
        outlook: RECOVERS
        outlook_reason: "what stopped it passes, or stays behind on another machine"
      )pb"));
  EXPECT_EQ(findings.since, absl::FromUnixSeconds(1000));
  EXPECT_THAT(findings.warnings, IsEmpty());
}

// "set alone" must not appear.
TEST(Diagnosis, AFieldThatIsSetIsOverriddenByName) {
  v1::FailureReport report = FailedPod(143, "Error");
  auto& pod = *report.mutable_pods(0);
  pod.clear_status();
  pod.mutable_status()->set_phase("Running");
  pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(1000);
  report.mutable_observed_at()->set_seconds(1'000'000);
  const auto diagnosis = Diagnose(report);
  ASSERT_GT(diagnosis.evidence_size(), 0) << diagnosis.DebugString();
  EXPECT_EQ(diagnosis.evidence(0).overrode(), "deletionTimestamp alone");
}

TEST(Diagnosis, IsTheSameEveryTime) {
  const auto report = Report(kPreempted);
  EXPECT_THAT(Diagnose(report), EqualsProto(Diagnose(report)));
}

TEST(Diagnosis, FullNamesCausesThatDidNotDecide) {
  v1::FailureReport report = Report(kPreempted);
  EXPECT_THAT(Diagnose(report).considered(), IsEmpty());
  const auto full = Diagnose(report, {}, nullptr, /*full=*/true);
  ASSERT_GT(full.considered_size(), 0);
  EXPECT_EQ(full.considered(0).cause(), v1::SIGTERM_UNEXPLAINED);
  EXPECT_THAT(full.needed_evidence(), IsEmpty());
}

TEST(Diagnosis, LowConfidenceSaysWhatWouldSettleIt) {
  v1::FailureReport report = FailedPod(137, "Error");
  report.mutable_pods(0)->mutable_spec()->set_node_name("node-7");
  const auto diagnosis = Diagnose(report);
  std::string wanted;
  for (const auto& needed : diagnosis.needed_evidence()) {
    wanted += needed.what() + ";";
  }
  EXPECT_THAT(wanted, HasSubstr("node/node-7"));
  EXPECT_THAT(wanted, HasSubstr("events of pod p-0"));
  EXPECT_THAT(wanted, HasSubstr("peak memory of pod p-0"));
  EXPECT_THAT(wanted, HasSubstr("Kueue Workload"));
  ASSERT_GT(diagnosis.considered_size(), 2);
  EXPECT_EQ(diagnosis.considered(0).cause(), v1::CONTAINER_OOM);
}

TEST(Diagnosis, DoesNotAskForWhatIsReported) {
  v1::FailureReport report = FailedPod(137, "Error");
  report.add_nodes()->mutable_metadata()->set_name("n");
  report.mutable_kueue_workload();
  report.add_usage();
  report.add_events()->set_reason("Pulled");
  const auto diagnosis = Diagnose(report);
  EXPECT_THAT(diagnosis.needed_evidence(), IsEmpty());
  EXPECT_GT(diagnosis.considered_size(), 2);
}

TEST(Diagnosis, TextEvidenceIsTheLineThatDecided) {
  const auto diagnosis = Diagnose(FailedPod(
      1, "Error", "step 1\nRuntimeError: CUDA out of memory. Tried\nexiting"));
  ASSERT_EQ(diagnosis.evidence_size(), 1);
  EXPECT_EQ(diagnosis.evidence(0).value(),
            "RuntimeError: CUDA out of memory. Tried");
  EXPECT_EQ(diagnosis.evidence(0).path(),
            "pods[0].status.containerStatuses[0].state.terminated.message");
  EXPECT_EQ(diagnosis.evidence(0).weight(), v1::Evidence::MESSAGE);
  EXPECT_EQ(diagnosis.signature(), "text/cuda-oom");
}

TEST(Diagnosis, InvalidUtf8IsReplacedAndCutAtACharacter) {
  v1::FailureReport report = FailedPod(1, "Error");
  auto& pod = *report.mutable_pods(0);
  pod.mutable_metadata()->set_name("bad\xff\xfename");
  pod.mutable_status()
      ->mutable_container_statuses(0)
      ->mutable_state()
      ->mutable_terminated()
      ->set_message("\xc3(" + std::string(300, 'x') +
                    " no space left on device");
  const auto diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::STORAGE_EXHAUSTED);
  std::string wire;
  EXPECT_TRUE(diagnosis.SerializeToString(&wire));
  v1::Diagnosis back;
  EXPECT_TRUE(back.ParseFromString(wire)) << "proto3 refuses invalid UTF-8";
  EXPECT_LE(diagnosis.evidence(0).value().size(), 256U);
  EXPECT_THAT(diagnosis.culprit().pod(), HasSubstr("\xef\xbf\xbd"));
}

TEST(Excerpt, EndsWithAWholeWordAndSaysThatMoreCame) {
  EXPECT_EQ(Excerpt(""), "");
  EXPECT_EQ(Excerpt(std::string(256, 'a')), std::string(256, 'a'));
  EXPECT_EQ(Excerpt(std::string(240, 'a') + " failed-to-pull image"),
            std::string(240, 'a') + " ...");
  EXPECT_EQ(Excerpt(std::string(252, 'a') + " bb cc"),
            std::string(252, 'a') + " ...");
  // A word longer than the bound is cut between two characters.
  EXPECT_EQ(Excerpt(std::string(251, 'a') + "\xc3\xa9zzzzz"),
            std::string(251, 'a') + " ...");
  EXPECT_EQ(Excerpt(std::string(252, 'a') + "\xc3\xa9 and on"),
            std::string(252, 'a') + " ...");
}

TEST(Excerpt, IsOneLineWithoutControlSequences) {
  EXPECT_EQ(Excerpt("a\r\n\tb\nc"), "a b c");
  EXPECT_EQ(Excerpt("a\x1b[2Jb"), "ab");
  EXPECT_EQ(Excerpt("a\x1b(b"), "a\\u001b(b");
  EXPECT_EQ(Excerpt("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb");
  EXPECT_EQ(Excerpt("\xc3\xa9"), "\xc3\xa9");
}

TEST(Excerpt, AnOpenEscapeKeepsTheTextBehindIt) {
  EXPECT_EQ(Excerpt({"Pod", "/", "a\x1b]0;", "/", "b\x07"}),
            "Pod/a\\u001b]0;/b\\u0007");
  EXPECT_EQ(Excerpt({"a\x1b[", "mb"}), "a\\u001b[mb");
  EXPECT_EQ(Excerpt({std::string(300, 'a'), "b"}).size(), 256U);
  EXPECT_EQ(Excerpt({"a", "", "b"}), "ab");
}

TEST(Excerpt, ReplacementsDoNotGrowItBeyondTheBound) {
  EXPECT_LE(Excerpt(std::string(400, '\xff')).size(), 256U);
}

TEST(Fingerprint, IgnoresWhatDiffersBetweenTwoOccurrences) {
  const std::string_view pairs[][2] = {
      {"[rank3]: CUDA error at 0x55a51966cc80 pid 3063025",
       "[rank17]: CUDA error at 0x7f001966cc80 pid 11"},
      {"2024-08-23 22:22:58,366 worker-1 (10.0.3.4:2103) failed",
       "2025-01-02 01:02:03,001 worker-12 (10.9.8.7:44) failed"},
      {"task 3f2504e0-4f89-11d3-9a0c-0305e82c3301 lost",
       "task 9b2504e0-1f80-21d3-8a0c-9905e82c33ff lost"},
      {"pod train-7f6b9-x2k4p on node-7 died",
       "pod train-7f6b9-q9d1z on "
       "node-7 died"},
  };
  for (const auto& [a, b] : pairs) {
    EXPECT_EQ(MessageTemplate(a, {}), MessageTemplate(b, {}));
    EXPECT_EQ(Fingerprint(v1::APP_ERROR, 1, a, {}),
              Fingerprint(v1::APP_ERROR, 1, b, {}));
  }
}

TEST(Fingerprint, MasksTheNamesOfThisReport) {
  EXPECT_EQ(MessageTemplate("pod alpha on nodex failed", {"alpha", "nodex"}),
            MessageTemplate("pod beta on nodey failed", {"beta", "nodey"}));
}

TEST(Fingerprint, DistinguishesDifferentFailures) {
  const auto of = [](std::string_view message) {
    return Fingerprint(v1::APP_ERROR, 1, message, {});
  };
  EXPECT_NE(of("ValueError: bad shape"), of("KeyError: bad key"));
  EXPECT_NE(of("a"), Fingerprint(v1::APP_ERROR, 2, "a", {}));
  EXPECT_NE(of("a"), Fingerprint(v1::CRASH_SIGNAL, 1, "a", {}));
  EXPECT_NE(of("a"), Fingerprint(v1::APP_ERROR, std::nullopt, "a", {}));
  EXPECT_EQ(of("").size(), 16U);
}

TEST(Findings, TimesInTheFutureAreWarnedAbout) {
  v1::FailureReport report = Report(kPreempted);
  report.mutable_observed_at()->set_seconds(500);
  Findings findings;
  Diagnose(report, {}, &findings);
  EXPECT_THAT(findings.warnings,
              ElementsAre(HasSubstr("times later than observedAt")));
}

TEST(Findings, UnknownKindsAndPhasesAreWarnedAbout) {
  v1::FailureReport report = FailedPod(1, "Error");
  report.mutable_workload()->set_kind("Frobnicator");
  report.mutable_pods(0)->mutable_status()->set_phase("Exploded");
  Findings findings;
  Diagnose(report, {}, &findings);
  EXPECT_THAT(findings.warnings,
              ElementsAre(HasSubstr("Frobnicator"), HasSubstr("Exploded")));
}

TEST(Findings, ContradictionsAreWarnedAbout) {
  v1::FailureReport report = FailedPod(0, "OOMKilled");
  report.mutable_pods(0)->mutable_status()->set_phase("Succeeded");
  Findings findings;
  const auto diagnosis = Diagnose(report, {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::SUCCEEDED);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::MEDIUM);
  EXPECT_THAT(findings.warnings, ElementsAre(HasSubstr("CONTAINER_OOM")));
}

TEST(Findings, StuckPodsAreStuckSinceTheirFirstSign) {
  Findings findings;
  Diagnose(Report(Pending("status { start_time { seconds: 900 } }",
                          FalseCondition("Ready", "", 910),
                          Waits("InvalidImageName"))),
           {}, &findings);
  EXPECT_EQ(findings.since, absl::FromUnixSeconds(910));
}

TEST(Findings, ExtremeNumbersAreHarmless) {
  v1::FailureReport report = FailedPod(-2147483647 - 1, "Error");
  auto& pod = *report.mutable_pods(0);
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  pod.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(kHuge);
  pod.mutable_metadata()->set_deletion_grace_period_seconds(-kHuge);
  pod.mutable_status()->mutable_start_time()->set_seconds(-kHuge);
  auto& end = *pod.mutable_status()
                   ->mutable_container_statuses(0)
                   ->mutable_state()
                   ->mutable_terminated();
  end.mutable_finished_at()->set_seconds(kHuge);
  report.mutable_observed_at()->set_seconds(kHuge);
  *report.add_pods() = pod;
  EXPECT_EQ(Diagnose(report).cause(), v1::APP_ERROR);
}

TEST(EmptyReport, IsNotAFailure) {
  Findings findings;
  const auto diagnosis = Diagnose(v1::FailureReport(), {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::NOT_FAILED);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::LOW);
  EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::ALIVE);
  EXPECT_THAT(diagnosis.summary(), Not(IsEmpty()));
  EXPECT_EQ(findings.warnings.size(), 1U);
}

TEST(WorkloadOf, PrefersTheMostSeniorObject) {
  const auto report =
      Report(RayJob("metadata { name: 'r' namespace: 'ns' uid: 'u1' }") +
             Job("metadata { name: 'j' uid: 'u2' }") +
             Object("pods", "metadata { name: 'p' uid: 'u3' }"));
  const auto workload = WorkloadOf(report);
  EXPECT_EQ(workload.kind(), "RayJob");
  EXPECT_EQ(workload.api_group(), "ray.io");
  EXPECT_EQ(workload.uid(), "u1");
}

TEST(WorkloadOf, TakesThePodsControllerOwner) {
  const auto workload = WorkloadOf(
      Report(Object("pods",
                    "metadata { name: 'p' namespace: 'ns' labels { key: 'team' "
                    "value: 'a' } owner_references { kind: 'Job' name: 'j' "
                    "uid: 'u' api_version: 'batch/v1' controller: true } }")));
  EXPECT_EQ(workload.kind(), "Job");
  EXPECT_EQ(workload.api_group(), "batch");
  EXPECT_EQ(workload.name(), "j");
  EXPECT_EQ(workload.namespace_(), "ns");
  EXPECT_EQ(workload.labels().at("team"), "a");
}

TEST(WorkloadOf, KeepsTheCallersFieldsAndNoIdentityOfAnotherKind) {
  const auto workload = WorkloadOf(
      Report("workload { kind: 'Pipeline' name: 'mine' }" +
             Job("metadata { name: 'j' namespace: 'ns' uid: 'u' }")));
  EXPECT_EQ(workload.kind(), "Pipeline");
  EXPECT_EQ(workload.name(), "mine");
  EXPECT_EQ(workload.uid(), "");
  EXPECT_EQ(workload.namespace_(), "ns");
}

// The kubelet has one reason for several ends; its message says which it was.
TEST(Summary, QuotesTheKubeletOnADisruption) {
  const auto diagnosis =
      Diagnose(Failed("metadata { name: 'p' }", Reason("Evicted"),
                      Disruption("TerminationByKubelet",
                                 "Pod ephemeral local storage usage exceeds "
                                 "the total limit of containers 3Gi. ")));
  EXPECT_EQ(diagnosis.cause(), v1::STORAGE_EXHAUSTED);
  EXPECT_EQ(diagnosis.summary(),
            "Pod p: the pod used more ephemeral storage than its limits.");
}

// A queue is needed evidence only where it may hold the work.
TEST(NeededEvidence, NoWorkloadOfAJobWithoutAQueue) {
  for (const char* labels :
       {"", "labels { key: 'kueue.x-k8s.io/queue-name' value: 'q' }"}) {
    const auto diagnosis = Diagnose(
        std::string("jobs { metadata { name: 'j' ") + labels +
        " } } pods { metadata { name: 'p' } status { phase: 'Failed' "
        "container_statuses { name: 'main' state { terminated { exit_code: "
        "143 reason: 'Error' } } } } }");
    EXPECT_EQ(diagnosis.cause(), v1::SIGTERM_UNEXPLAINED);
    bool workload = false;
    for (const auto& needed : diagnosis.needed_evidence()) {
      workload |= needed.what().find("Kueue") != std::string::npos;
    }
    EXPECT_EQ(workload, labels[0] != '\0') << labels;
  }
}

}  // namespace
}  // namespace mulligan::demystify
