#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/job/test_objects.h"

namespace mulligan {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFinalizer[] = "finalizers: 'batch.kubernetes.io/job-tracking' ";

std::optional<NativeOutcome> Outcome(const std::string& report_text,
                                     const std::string& semantics_text = "") {
  const auto report = job::Parse<v1::FailureReport>(report_text);
  const auto semantics = job::Parse<v1::NativeSemantics>(semantics_text);
  google::protobuf::Timestamp now;
  now.set_seconds(1000);
  return KubernetesJobOutcome({report, v1::BudgetLedger(), semantics, now});
}

std::string JobText(const std::string& spec, const std::string& status = "") {
  return "jobs { metadata { name: 'j' uid: 'u' } spec { " + spec +
         " } status { " + status + " } } ";
}

std::string PodText(int exit_code, const std::string& metadata = "") {
  return "pods { metadata { name: 'p' namespace: 'n' uid: 'pu' " +
         std::string(kFinalizer) + metadata +
         " } status { phase: 'Failed' container_statuses { name: 'c' state { "
         "terminated { exit_code: " +
         std::to_string(exit_code) + " finished_at { seconds: 995 } } } } } } ";
}

constexpr char kPolicy[] =
    "pod_failure_policy { rules { action: 'Ignore' on_exit_codes { operator: "
    "'In' values: 4 } } rules { action: 'FailJob' on_exit_codes { operator: "
    "'In' values: 3 } } } template { spec { restart_policy: 'Never' } } ";

TEST(KubernetesJobOutcomeTest, HasNoAnswerWithoutAJob) {
  EXPECT_EQ(Outcome(PodText(1)), std::nullopt);
}

TEST(KubernetesJobOutcomeTest, RetriesAndChargesTheBackoffLimit) {
  const auto outcome = Outcome(
      JobText("template { spec { restart_policy: 'Never' } }", "failed: 2") +
      PodText(1));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->verdict.verdict(), "Count");
  EXPECT_EQ(outcome->action, v1::Decision::RETRY);
  EXPECT_EQ(outcome->scope, v1::Decision::POD);
  EXPECT_EQ(outcome->charged_to, "backoffLimit");
  EXPECT_EQ(outcome->used, 3);
  EXPECT_EQ(outcome->limit, 6);
  EXPECT_EQ(outcome->verdict.delay().seconds(), 35) << "40 s less 5 s";
  EXPECT_EQ(outcome->verdict.counters().at("failed"), 3);
  EXPECT_THAT(outcome->warnings, IsEmpty());
}

TEST(KubernetesJobOutcomeTest, AnIgnoredFailureIsFreeButDelayed) {
  const auto outcome =
      Outcome(JobText(std::string(kPolicy) + "backoff_limit: 0") + PodText(4));
  EXPECT_EQ(outcome->verdict.verdict(), "Ignore");
  EXPECT_EQ(outcome->verdict.reason(), "PodFailurePolicy");
  EXPECT_EQ(outcome->action, v1::Decision::RETRY);
  EXPECT_EQ(outcome->charged_to, "");
  EXPECT_EQ(outcome->verdict.delay().seconds(), 5);
}

TEST(KubernetesJobOutcomeTest, FailJobEndsTheJob) {
  const auto outcome = Outcome(JobText(kPolicy) + PodText(3));
  EXPECT_EQ(outcome->verdict.verdict(), "Failed");
  EXPECT_EQ(outcome->verdict.reason(), "PodFailurePolicy");
  EXPECT_EQ(outcome->verdict.message(),
            "Container c for pod n/p failed with exit code 3 matching FailJob "
            "rule at index 1");
  EXPECT_EQ(outcome->action, v1::Decision::FAIL);
  EXPECT_EQ(outcome->scope, v1::Decision::JOB);
  EXPECT_FALSE(outcome->verdict.has_delay());
}

TEST(KubernetesJobOutcomeTest, FailureNumberLimitPlusOneEndsTheJob) {
  const auto outcome =
      Outcome(JobText("backoff_limit: 2", "failed: 2") + PodText(1));
  EXPECT_EQ(outcome->verdict.reason(), "BackoffLimitExceeded");
  EXPECT_EQ(outcome->used, 3);
  EXPECT_EQ(outcome->limit, 2);
}

TEST(KubernetesJobOutcomeTest, AnExhaustedIndexFailsAlone) {
  const std::string spec =
      "completion_mode: 'Indexed' completions: 4 parallelism: 4 "
      "backoff_limit_per_index: 1 ";
  const auto annotated = [](const char* failures) {
    return std::string(
               "annotations { key: 'batch.kubernetes.io/job-completion-index' "
               "value: '2' } annotations { key: "
               "'batch.kubernetes.io/job-index-failure-count' value: '") +
           failures + "' }";
  };
  const auto last = Outcome(JobText(spec) + PodText(1, annotated("1")));
  EXPECT_EQ(last->verdict.verdict(), "FailIndex");
  EXPECT_EQ(last->action, v1::Decision::FAIL);
  EXPECT_EQ(last->scope, v1::Decision::INDEX);
  EXPECT_EQ(last->charged_to, "backoffLimitPerIndex");
  EXPECT_EQ(last->used, 2);
  EXPECT_EQ(last->limit, 1);
  const auto first = Outcome(JobText(spec) + PodText(1, annotated("0")));
  EXPECT_EQ(first->action, v1::Decision::RETRY);
  EXPECT_EQ(first->verdict.delay().seconds(), 5);
}

TEST(KubernetesJobOutcomeTest, RestartsInPlaceCountTowardsTheLimit) {
  const auto outcome = Outcome(
      JobText("backoff_limit: 2 template { spec { restart_policy: 'OnFailure' "
              "} }") +
      "pods { status { phase: 'Running' container_statuses { restart_count: 2 "
      "} } }");
  EXPECT_EQ(outcome->verdict.reason(), "BackoffLimitExceeded");
  EXPECT_EQ(outcome->used, 2);
}

TEST(KubernetesJobOutcomeTest, AFinishedJobKeepsItsVerdict) {
  const auto outcome =
      Outcome(JobText("",
                      "failed: 7 conditions { type: 'Failed' status: 'True' "
                      "reason: 'BackoffLimitExceeded' message: 'm' }") +
              PodText(1));
  EXPECT_EQ(outcome->verdict.verdict(), "Failed");
  EXPECT_EQ(outcome->verdict.message(), "m");
  EXPECT_EQ(outcome->used, 7);
}

TEST(KubernetesJobOutcomeTest, APendingPodIsNotAFailure) {
  const auto outcome =
      Outcome(JobText("") + "pods { status { phase: 'Pending' } }");
  EXPECT_EQ(outcome->verdict.verdict(), "None");
  EXPECT_EQ(outcome->action, v1::Decision::IGNORE);
  EXPECT_THAT(outcome->warnings, Contains(HasSubstr("wait or run")));
}

TEST(KubernetesJobOutcomeTest, ASuspendedJobDoesNothing) {
  EXPECT_EQ(Outcome(JobText("suspend: true"))->verdict.verdict(), "Suspended");
}

TEST(KubernetesJobOutcomeTest, APodWithoutFinalizerIsAlreadyCounted) {
  const auto outcome =
      Outcome(JobText("", "failed: 1") +
              "pods { metadata { name: 'p' } status { phase: 'Failed' } }");
  EXPECT_EQ(outcome->used, 1);
  EXPECT_THAT(outcome->warnings, Contains(HasSubstr("taken as counted")));
}

TEST(KubernetesJobOutcomeTest, FindsTheJobOfTheFailedPod) {
  const std::string jobs = "jobs { metadata { name: 'other' uid: 'o' } } " +
                           JobText("backoff_limit: 0");
  const auto by_owner =
      Outcome(jobs + PodText(1, "owner_references { kind: 'Job' uid: 'u' }"));
  EXPECT_EQ(by_owner->verdict.verdict(), "Failed");
  const auto by_label = Outcome(
      jobs +
      PodText(1, "labels { key: 'batch.kubernetes.io/job-name' value: 'j' }"));
  EXPECT_EQ(by_label->verdict.verdict(), "Failed");
  const auto by_workload =
      Outcome("workload { kind: 'Job' name: 'other' } " + jobs +
              PodText(1, "owner_references { kind: 'Job' uid: 'u' }"));
  EXPECT_EQ(by_workload->verdict.verdict(), "None");
}

TEST(KubernetesJobOutcomeTest, WarnsOfASpecTheApiServerWouldRefuse) {
  const auto outcome = Outcome(
      JobText("backoff_limit: -1 pod_failure_policy { rules { action: 'New' "
              "on_exit_codes { operator: 'In' values: 1 } } }") +
      PodText(1));
  EXPECT_THAT(
      outcome->refusals,
      Contains(HasSubstr("report.jobs[0].spec.backoffLimit: Invalid value")));
  EXPECT_THAT(outcome->warnings, Contains(HasSubstr("passed over")));
}

TEST(KubernetesJobOutcomeTest, TheReleaseIsAParameter) {
  const auto outcome = Outcome(JobText("") + PodText(1),
                               "versions { key: 'kubernetes' value: '1.30' }");
  EXPECT_EQ(outcome->verdict.semantics(), "kubernetes 1.30");
}

}  // namespace
}  // namespace mulligan
