#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
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
using ::testing::IsEmpty;
using ::testing::Pair;

class TrainJobOutcomeTest : public testing::Test {
 protected:
  void Job(const std::string& text) {
    *report_.mutable_train_job() =
        Parse<kubernetes::trainer::v1alpha1::TrainJob>(text);
  }

  void JobSet(const std::string& text) {
    *report_.mutable_job_set() = Parse<jobset::JobSet>(text);
  }

  NativeOutcome Outcome() {
    const auto outcome =
        TrainJobOutcome({report_, ledger_, semantics_, At(1000)});
    EXPECT_TRUE(outcome.has_value());
    return outcome.value_or(NativeOutcome());
  }

  v1::FailureReport report_;
  v1::BudgetLedger ledger_;
  v1::NativeSemantics semantics_;
};

TEST_F(TrainJobOutcomeTest, HasNoAnswerWithoutATrainJob) {
  EXPECT_FALSE(
      TrainJobOutcome({report_, ledger_, semantics_, At(1)}).has_value());
}

TEST_F(TrainJobOutcomeTest, HasNoRetryOfItsOwn) {
  Job("");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.operator_(), "TrainJob");
  EXPECT_EQ(outcome.verdict.semantics(), "trainer 2026-08");
  EXPECT_EQ(outcome.verdict.verdict(), "None");
  EXPECT_EQ(outcome.action, v1::Decision::IGNORE);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("its JobSet")));
}

TEST_F(TrainJobOutcomeTest, TheJobSetsRestartIsTheAnswer) {
  Job("");
  JobSet("spec { failure_policy { max_restarts: 2 } }");
  *report_.add_jobs() = FailedJob("node", 0, 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "RestartJobSet");
  EXPECT_EQ(outcome.verdict.semantics(), "trainer 2026-08, jobset 0.12");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.scope, v1::Decision::JOB_SET);
  EXPECT_EQ(outcome.queue, v1::Decision::IN_PLACE);
  EXPECT_EQ(outcome.charged_to, "maxRestarts");
  EXPECT_EQ(outcome.used, 1);
  EXPECT_EQ(outcome.limit, 2);
  EXPECT_THAT(outcome.verdict.counters(), Contains(Pair("restarts", 1)));
}

TEST_F(TrainJobOutcomeTest, TheJobSetsFailureIsCopied) {
  Job("");
  JobSet("spec { failure_policy {} }");
  *report_.add_jobs() = FailedJob("node", 0, 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Failed");
  EXPECT_EQ(outcome.verdict.reason(), "ReachedMaxRestarts");
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.scope, v1::Decision::WORKLOAD);
  EXPECT_EQ(outcome.charged_to, "maxRestarts");
  EXPECT_EQ(outcome.used, 1);
}

TEST_F(TrainJobOutcomeTest, DeadlineOverridesTheJobSetsRestart) {
  Job("spec { active_deadline_seconds: 10 } "
      "metadata { creation_timestamp { seconds: 5 } }");
  JobSet("spec { failure_policy { max_restarts: 2 } }");
  *report_.add_jobs() = FailedJob("node", 0, 1);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_EQ(outcome.verdict.reason(), "DeadlineExceeded");
  EXPECT_EQ(outcome.charged_to, "activeDeadlineSeconds");
}

TEST_F(TrainJobOutcomeTest, RepeatsBuildFailuresForever) {
  Job("");
  *report_.mutable_creation_error() =
      Parse<v1::CreationError>("phase: BUILD message: 'no runtime'");
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Retry");
  EXPECT_EQ(outcome.verdict.reason(), "TrainJobResourcesCreationFailed");
  EXPECT_EQ(outcome.action, v1::Decision::RETRY);
  EXPECT_EQ(outcome.charged_to, "");
}

struct DesignCase {
  std::string name;
  std::string error;
  std::string reason;
};

class TrainJobDesignTest : public TrainJobOutcomeTest,
                           public testing::WithParamInterface<DesignCase> {};

TEST_P(TrainJobDesignTest, WaitsForACorrectedTrainJob) {
  Job("");
  (*semantics_.mutable_versions())["trainer"] = "kep-2170";
  *report_.mutable_creation_error() =
      Parse<v1::CreationError>(GetParam().error);
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.verdict(), "Created=False");
  EXPECT_EQ(outcome.verdict.reason(), GetParam().reason);
  EXPECT_EQ(outcome.verdict.semantics(), "trainer kep-2170");
  EXPECT_EQ(outcome.action, v1::Decision::WAIT_FOR_SPEC_UPDATE);
  EXPECT_EQ(outcome.charged_to, "");
}

const DesignCase kDesignCases[] = {
    {"Build", "phase: BUILD", "JobsBuildFailed"},
    {"Create", "phase: CREATE http_code: 403", "JobsCreationFailed"},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainJobDesignTest,
                         testing::ValuesIn(kDesignCases),
                         [](const auto& test) { return test.param.name; });

TEST_F(TrainJobOutcomeTest, CreatedFalseCountsInEveryRelease) {
  Job("status { conditions { type: 'Created' status: 'False' reason: "
      "'JobsBuildFailed' } }");
  EXPECT_EQ(Outcome().action, v1::Decision::WAIT_FOR_SPEC_UPDATE);
}

TEST_F(TrainJobOutcomeTest, IgnoresPodsThatCannotBeCreated) {
  Job("");
  JobSet("");
  *report_.mutable_creation_error() =
      Parse<v1::CreationError>("kind: 'Job' message: 'denied'");
  EXPECT_EQ(Outcome().verdict.reason(), "JobCreationFailed");
}

// #3779, #3737.
TEST_F(TrainJobOutcomeTest, OlderReleasesRestartAfterTheJobSetsTtl) {
  Job("status { conditions { type: 'Failed' status: 'True' reason: "
      "'ReachedMaxRestarts' } }");
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
  for (const char* minor : {"2.2", "2.3"}) {
    (*semantics_.mutable_versions())["trainer"] = minor;
    const NativeOutcome outcome = Outcome();
    EXPECT_EQ(outcome.verdict.verdict(), "JobSetRecreated") << minor;
    EXPECT_EQ(outcome.verdict.semantics(), absl::StrCat("trainer ", minor));
    EXPECT_EQ(outcome.action, v1::Decision::RETRY) << minor;
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("for ever"))) << minor;
  }
  JobSet("status { conditions { type: 'Failed' status: 'True' } }");
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
}

TEST_F(TrainJobOutcomeTest, SuspendedCompleteAndForeign) {
  Job("spec { suspend: true }");
  EXPECT_EQ(Outcome().verdict.verdict(), "Suspended");
  Job("spec { managed_by: 'kueue.x-k8s.io/multikueue' }");
  EXPECT_EQ(Outcome().verdict.verdict(), "Skipped");
  Job("");
  JobSet("status { conditions { type: 'Completed' status: 'True' } }");
  EXPECT_EQ(Outcome().verdict.verdict(), "Complete");
  EXPECT_EQ(Outcome().action, v1::Decision::IGNORE);
}

TEST_F(TrainJobOutcomeTest, ContradictoryConditionsAreAFailure) {
  Job("status { conditions { type: 'Complete' status: 'True' } "
      "conditions { type: 'Failed' status: 'True' } }");
  EXPECT_EQ(Outcome().action, v1::Decision::FAIL);
}

TEST_F(TrainJobOutcomeTest, UnknownRuntimeFails) {
  Job("spec { runtime_ref { kind: 'SlurmRuntime' } }");
  EXPECT_EQ(Outcome().verdict.reason(), "TrainingRuntimeNotSupported");
}

TEST_F(TrainJobOutcomeTest, NewerReleasesAreTreatedAsTheDefaultBranch) {
  Job("");
  (*semantics_.mutable_versions())["trainer"] = "v2.9.0";
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.verdict.semantics(), "trainer 2026-08");
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("v2.9.0")));
}

TEST_F(TrainJobOutcomeTest, AnswersInvalidInputWithAWarning) {
  Job("spec { active_deadline_seconds: -1 managed_by: '' "
      "trainer { num_nodes: -3 } } "
      "metadata { creation_timestamp { seconds: 5 } }");
  (*semantics_.mutable_versions())["trainer"] = "nine";
  const NativeOutcome outcome = Outcome();
  EXPECT_EQ(outcome.action, v1::Decision::FAIL);
  EXPECT_THAT(outcome.warnings,
              Contains(HasSubstr("versions.trainer: 'nine'")));
}

}  // namespace
}  // namespace mulligan
