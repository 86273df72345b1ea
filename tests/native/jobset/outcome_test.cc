#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/native.h"
#include "tests/native/jobset/test_objects.h"

namespace mulligan {
namespace {

using ::mulligan::jobset::At;
using ::mulligan::jobset::FailedJob;
using ::mulligan::jobset::Parse;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

class JobSetOutcomeTest : public testing::Test {
 protected:
  NativeOutcome Outcome() {
    const std::optional<NativeOutcome> outcome =
        JobSetOutcome({report_, ledger_, semantics_, At(100)});
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(NativeOutcome());
  }

  void Spec(const std::string& text) {
    *report_.mutable_job_set()->mutable_spec() =
        Parse<jobset::JobSetSpec>(text);
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

TEST_F(JobSetOutcomeTest, HasNoAnswerWithoutAJobSet) {
  EXPECT_FALSE(
      JobSetOutcome({report_, ledger_, semantics_, At(1)}).has_value());
}

TEST_F(JobSetOutcomeTest, CountedRestartIsInPlaceAndCharged) {
  Spec("failure_policy { max_restarts: 2 }");
  *report_.add_jobs() = FailedJob("w", 0, 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "RestartJobSet");
  EXPECT_EQ(outcome.verdict.semantics(), "jobset 0.12");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::JOB_SET);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(outcome.charged_to, "maxRestarts");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 2);
  EXPECT_THAT(outcome.verdict.counters(), Contains(Pair("restarts", 1)));
}

// A restart creates Jobs of the same names; pods of the old ones exist a while
// longer.
TEST_F(JobSetOutcomeTest, PodsOfAnEarlierJobDoNotFailAJob) {
  Spec("failure_policy { max_restarts: 2 }");
  report_ = Parse<v1::FailureReport>(
      report_.Utf8DebugString() +
      "jobs { metadata { name: 'a' uid: 'new' } spec { backoff_limit: 0 } } "
      "pods { metadata { name: 'p' finalizers: "
      "'batch.kubernetes.io/job-tracking' owner_references { kind: 'Job' "
      "name: 'a' uid: 'new' } } status { phase: 'Failed' } }");
  EXPECT_EQ(Outcome().verdict.verdict(), "RestartJobSet");
  report_.mutable_pods(0)
      ->mutable_metadata()
      ->mutable_owner_references(0)
      ->set_uid("old");
  EXPECT_EQ(Outcome().verdict.verdict(), "None");
}

TEST_F(JobSetOutcomeTest, FailureBeyondTheBudgetFails) {
  Spec("failure_policy {}");
  *report_.add_jobs() = FailedJob("w", 0, 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.verdict.reason(), "ReachedMaxRestarts");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 0);
}

TEST_F(JobSetOutcomeTest, JobRestartNamesTheWaitingJobs) {
  Spec(
      "replicated_jobs { name: 'w' replicas: 2 } "
      "failure_policy { max_restarts: 1 rules { action: 'RestartJob' } }");
  (*semantics_.mutable_feature_gates())["RestartJob"] = true;
  *report_.add_jobs() = FailedJob("w", 0, 9);
  *report_.add_jobs() = FailedJob("w", 1, 3);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.scope, v1::Decision::JOB);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("later passes: w-0")));
  EXPECT_THAT(outcome.verdict.counters(),
              Contains(Pair("replicatedJobsStatus[0].jobRestarts[1]", 1)));
}

TEST_F(JobSetOutcomeTest, ActionBehindAClosedGateStopsTheController) {
  Spec("failure_policy { rules { action: 'RestartJob' } }");
  *report_.add_jobs() = FailedJob("w", 0, 9);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Error");
  EXPECT_EQ(outcome.action, v1::Decision::WAIT);
}

TEST_F(JobSetOutcomeTest, IgnoresFailedPodsAlone) {
  Spec("failure_policy { max_restarts: 1 }");
  report_.add_pods()->mutable_status()->set_phase("Failed");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "None");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
}

TEST_F(JobSetOutcomeTest, RetriesCreationErrorsForever) {
  Spec("failure_policy {}");
  report_.mutable_creation_error()->set_message("denied");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.verdict.reason(), "JobCreationFailed");
  EXPECT_EQ(outcome.charged_to, "");
}

// jobset#262: 143 restarts, an application error fails at once. The JobSet sees
// no exit code, only the reason of the Job's end.
struct SeedCase {
  std::string name;
  int exit_code;
  std::string verdict;
  std::string reason;
};

class SeedStoryTest : public JobSetOutcomeTest,
                      public testing::WithParamInterface<SeedCase> {};

TEST_P(SeedStoryTest, GoesThroughThePodFailurePolicyOfTheJob) {
  Spec(R"(
      failure_policy {
        max_restarts: 10
        rules {
          name: "bug"
          action: "FailJobSet"
          on_job_failure_reasons: "PodFailurePolicy"
        }
      })");
  jobset::Job job = jobset::JobAt("w", 0);
  job.mutable_metadata()->set_uid("u");
  *job.mutable_spec() = Parse<kubernetes::batch::v1::JobSpec>(R"(
      backoff_limit: 0
      template { spec { restart_policy: "Never" } }
      pod_failure_policy {
        rules {
          action: "FailJob"
          on_exit_codes { operator: "NotIn" values: 143 }
        }
      })");
  *report_.add_jobs() = job;
  *report_.add_pods() = Parse<jobset::Pod>(R"(
      metadata {
        name: "w-0-x"
        uid: "p"
        owner_references { kind: "Job" name: "w-0" uid: "u" controller: true }
        finalizers: "batch.kubernetes.io/job-tracking"
      }
      status { phase: "Failed" })");
  auto& container =
      *report_.mutable_pods(0)->mutable_status()->add_container_statuses();
  container.set_name("main");
  container.mutable_state()->mutable_terminated()->set_exit_code(
      GetParam().exit_code);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), GetParam().verdict);
  EXPECT_EQ(outcome.verdict.reason(), GetParam().reason);
}

const SeedCase kSeedCases[] = {
    {"ApplicationError", 1, "FailJobSet", "FailJobSetFailurePolicyAction"},
    {"Terminated", 143, "RestartJobSet", "DefaultFailurePolicy"},
};

INSTANTIATE_TEST_SUITE_P(Table, SeedStoryTest, testing::ValuesIn(kSeedCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan
