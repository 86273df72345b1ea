#include "policy/native/trainjob/reconcile.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/native/jobset/test_objects.h"

namespace mulligan::trainjob {
namespace {

using ::mulligan::jobset::At;
using ::mulligan::jobset::Parse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class TrainJobReconcileTest : public testing::Test {
 protected:
  Pass Run(const JobSet* job_set, const Version& version = Version()) {
    return Reconcile({job_, version, At(1000), job_set, objects_, error_});
  }

  // Like "Failed=True/DeadlineExceeded".
  static std::vector<std::string> Held(const Pass& pass) {
    std::vector<std::string> held;
    for (const Condition& condition : pass.status.conditions()) {
      held.push_back(condition.type() + "=" + condition.status() + "/" +
                     condition.reason());
    }
    return held;
  }

  TrainJob job_;
  JobSet running_;
  Objects objects_ = Objects::kReady;
  std::string error_;
};

TEST_F(TrainJobReconcileTest, NeverSuspendedHasNoCondition) {
  const Pass pass = Run(nullptr);
  EXPECT_THAT(Held(pass), IsEmpty());
  EXPECT_TRUE(pass.applies_job_set);
}

TEST_F(TrainJobReconcileTest, SuspendAndResume) {
  job_.mutable_spec()->set_suspend(true);
  const Pass suspended = Run(nullptr);
  EXPECT_THAT(Held(suspended), ElementsAre("Suspended=True/Suspended"));
  *job_.mutable_status() = suspended.status;
  job_.mutable_spec()->set_suspend(false);
  EXPECT_THAT(Held(Run(&running_)), ElementsAre("Suspended=False/Resumed"));
}

TEST_F(TrainJobReconcileTest, CopiesTheJobSetsEndVerbatim) {
  const auto job_set = Parse<JobSet>(
      "status { conditions { type: 'Failed' status: 'True' reason: 'Why' "
      "message: 'because' last_transition_time { seconds: 7 } } "
      "replicated_jobs_status { name: 'node' failed: 1 } }");
  const Pass pass = Run(&job_set);
  EXPECT_THAT(Held(pass), ElementsAre("Failed=True/Why"));
  EXPECT_EQ(pass.status.conditions(0).message(), "because");
  EXPECT_EQ(pass.status.jobs_status(0).failed(), 1);
}

TEST_F(TrainJobReconcileTest, AFailedGroupAloneIsNotAFailure) {
  const auto job_set =
      Parse<JobSet>("status { replicated_jobs_status { failed: 1 } }");
  EXPECT_THAT(Held(Run(&job_set)), IsEmpty());
}

TEST_F(TrainJobReconcileTest, ARunningJobSetIsNeverChanged) {
  EXPECT_FALSE(Run(&running_).applies_job_set);
  running_.mutable_spec()->set_suspend(true);
  EXPECT_TRUE(Run(&running_).applies_job_set);
}

// #3779: the JobSet's own TTL used to give a failed job a new budget.
TEST_F(TrainJobReconcileTest, FailedIsFinalInNewReleasesOnly) {
  *job_.mutable_status()->add_conditions() =
      Parse<Condition>("type: 'Failed' status: 'True' reason: 'FailedJobs'");
  EXPECT_FALSE(Run(nullptr).applies_job_set);
  Version old;
  old.failed_is_final = false;
  EXPECT_TRUE(Run(nullptr, old).applies_job_set);
  EXPECT_THAT(Held(Run(nullptr, old)), IsEmpty());
}

TEST_F(TrainJobReconcileTest, DeadlineExceededWasAlwaysFinal) {
  *job_.mutable_status()->add_conditions() = Parse<Condition>(
      "type: 'Failed' status: 'True' reason: 'DeadlineExceeded'");
  Version old;
  old.failed_is_final = false;
  EXPECT_FALSE(Run(nullptr, old).applies_job_set);
}

TEST_F(TrainJobReconcileTest, FailuresToCreateObjectsLeaveOnlyAnEvent) {
  objects_ = Objects::kBuildFailed;
  error_ = "no such runtime";
  const Pass pass = Run(nullptr);
  EXPECT_THAT(Held(pass), IsEmpty());
  EXPECT_EQ(pass.event,
            "TrainJob resources reconciliation failed: no such runtime");
}

TEST_F(TrainJobReconcileTest, Kep2170DistinguishesThem) {
  objects_ = Objects::kBuildFailed;
  EXPECT_THAT(
      Held(Run(nullptr, Kep2170())),
      ElementsAre("Suspended=False/Resumed", "Created=False/JobsBuildFailed"));
  EXPECT_EQ(Run(nullptr, Kep2170()).status.conditions(1).message(),
            "Failed to build Jobs");
  objects_ = Objects::kCreationFailed;
  EXPECT_THAT(Held(Run(nullptr, Kep2170())),
              ElementsAre("Suspended=False/Resumed",
                          "Created=False/JobsCreationFailed"));
}

TEST_F(TrainJobReconcileTest, Kep2170LetsACorrectedTrainJobContinue) {
  *job_.mutable_status()->add_conditions() = Parse<Condition>(
      "type: 'Created' status: 'False' reason: 'JobsBuildFailed' "
      "last_transition_time { seconds: 3 }");
  const Pass pass = Run(nullptr, Kep2170());
  EXPECT_THAT(Held(pass), ElementsAre("Created=True/JobsCreationSucceeded",
                                      "Suspended=False/Resumed"));
  EXPECT_EQ(pass.status.conditions(0).last_transition_time().seconds(), 1000);
}

TEST_F(TrainJobReconcileTest, UnknownRuntimesFail) {
  job_.mutable_spec()->mutable_runtime_ref()->set_kind("SlurmRuntime");
  const Pass pass = Run(nullptr);
  EXPECT_THAT(Held(pass),
              ElementsAre("Failed=True/TrainingRuntimeNotSupported"));
  EXPECT_THAT(pass.status.conditions(0).message(),
              StartsWith("unsupported runtime: SlurmRuntime.trainer"));
}

TEST_F(TrainJobReconcileTest, KindAndGroupOfTheRuntimeHaveDefaults) {
  auto& runtime = *job_.mutable_spec()->mutable_runtime_ref();
  runtime.set_kind("TrainingRuntime");
  EXPECT_THAT(Held(Run(nullptr)), IsEmpty());
  runtime.set_api_group("x.io");
  EXPECT_THAT(Held(Run(nullptr)),
              ElementsAre("Failed=True/TrainingRuntimeNotSupported"));
}

// The length is measured in bytes and cut in characters, as in the peer.
TEST_F(TrainJobReconcileTest, LongErrorsAreCut) {
  objects_ = Objects::kCreationFailed;
  const auto event = [&](const std::string& error) {
    error_ = error;
    return Run(nullptr).event;
  };
  const std::string prefix = "TrainJob resources reconciliation failed: ";
  const std::string most(950, 'x');
  EXPECT_EQ(event(most), prefix + most);
  EXPECT_EQ(event(most + "x"), prefix + most + " ...");
  std::string umlauts;
  for (int i = 0; i < 500; ++i) umlauts += "ü";
  EXPECT_EQ(event(umlauts), prefix + umlauts + " ...");
}

struct ErrorCase {
  std::string name;
  std::string error;
  Objects objects;
};

class TrainJobObjectsTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(TrainJobObjectsTest, DistinguishesBuildFromCreation) {
  EXPECT_EQ(ObjectsAfter(Parse<v1::CreationError>(GetParam().error)),
            GetParam().objects);
}

const ErrorCase kErrorCases[] = {
    {"ByPhaseBuild", "phase: BUILD http_code: 409", Objects::kBuildFailed},
    {"ByPhaseCreate", "phase: CREATE message: 'invalid runtime snapshot'",
     Objects::kCreationFailed},
    {"AnAnswerIsACreationFailure",
     "http_code: 422 message: 'unsupported runtime'", Objects::kCreationFailed},
    {"ByTheBuildersText",
     "message: 'invalid runtime snapshot: unable to unmarshal the snapshot'",
     Objects::kBuildFailed},
    {"OtherTextsAreOfTheServer", "message: 'connection refused'",
     Objects::kCreationFailed},
    {"NothingSaid", "", Objects::kCreationFailed},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainJobObjectsTest,
                         testing::ValuesIn(kErrorCases),
                         [](const auto& test) { return test.param.name; });

class TrainJobDeadlineTest : public TrainJobReconcileTest {
 protected:
  TrainJobDeadlineTest() {
    job_.mutable_spec()->set_active_deadline_seconds(100);
    *job_.mutable_metadata()->mutable_creation_timestamp() = At(899);
  }
};

TEST_F(TrainJobDeadlineTest, CountsFromCreation) {
  const Pass pass = Run(&running_);
  EXPECT_THAT(Held(pass), ElementsAre("Failed=True/DeadlineExceeded"));
}

TEST_F(TrainJobDeadlineTest, IsNotReachedAtTheExactSecond) {
  *job_.mutable_metadata()->mutable_creation_timestamp() = At(900);
  EXPECT_THAT(Held(Run(&running_)), IsEmpty());
}

TEST_F(TrainJobDeadlineTest, CountsFromTheLastResume) {
  *job_.mutable_status()->add_conditions() = Parse<Condition>(
      "type: 'Suspended' status: 'False' last_transition_time { seconds: 950 "
      "}");
  EXPECT_THAT(Held(Run(&running_)), ElementsAre("Suspended=False/"));
}

TEST_F(TrainJobDeadlineTest, PausesWhileSuspended) {
  job_.mutable_spec()->set_suspend(true);
  EXPECT_THAT(Held(Run(&running_)), ElementsAre("Suspended=True/Suspended"));
}

TEST_F(TrainJobDeadlineTest, DoesNotOverrideTheEnd) {
  const auto job_set = Parse<JobSet>(
      "status { conditions { type: 'Completed' status: 'True' } }");
  EXPECT_THAT(Held(Run(&job_set)), ElementsAre("Complete=True/"));
}

TEST_F(TrainJobDeadlineTest, WithoutAStartThereIsNoDeadline) {
  job_.mutable_metadata()->clear_creation_timestamp();
  EXPECT_THAT(Held(Run(&running_)), IsEmpty());
}

TEST_F(TrainJobDeadlineTest, HugeIsNever) {
  job_.mutable_spec()->set_active_deadline_seconds(
      std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(Held(Run(&running_)), IsEmpty());
}

}  // namespace
}  // namespace mulligan::trainjob
