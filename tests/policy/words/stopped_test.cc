// Messages about work that mulligan-controller has stopped, through Decide.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Parse;

using StoppedTest = DecideTest;

// Annotations that mulligan-controller sets on any object of the work.
constexpr char kStop[] = R"pb(
  annotations {
    key: "mulligan.dev/stopped"
    value: "mulligan-controller stopped it at 15:04: no module foo"
  }
  annotations {
    key: "mulligan.dev/first-step"
    value: "correct it; then let it go on: kubectl patch job j"
  })pb";

TEST_F(StoppedTest, SaysWhoStoppedItAndHowToResume) {
  const std::string meta =
      absl::StrCat("metadata { name: 'j' uid: 'u' ", kStop, " }");
  const std::string suspended =
      " status { conditions { type: 'Suspended' status: 'True' } }";
  for (const std::string& report : {
           absl::StrCat("jobs { ", meta, " spec { suspend: true }", suspended,
                        " }"),
           absl::StrCat("job_set { ", meta, " spec { suspend: true }",
                        suspended, " }"),
           absl::StrCat("spark_application { ", meta,
                        " status { application_state { state: 'SUSPENDED' } } "
                        "}"),
           // JobSet's controller saw an old state and made a Job again.
           absl::StrCat("job_set { ", meta, " spec { suspend: true }",
                        suspended,
                        " } jobs { metadata { name: 'j-w-0' owner_references { "
                        "kind: 'JobSet' name: 'j' uid: 'u' controller: true } "
                        "} } events { involved_object { kind: 'JobSet' name: "
                        "'j' uid: 'u' } reason: 'JobCreationFailed' message: "
                        "'job \"j-w-0\" creation failed with error: "
                        "jobs.batch \"j-w-0\" already exists' }"),
           // The queue that holds it now knows less.
           absl::StrCat("jobs { ", meta, " spec { suspend: true }", suspended,
                        " } kueue_workload { status { conditions {"
                        " type: 'Evicted' status: 'True' reason: 'Deactivated'"
                        " message: 'The workload is deactivated' } } }"),
       }) {
    const v1::Diagnosis diagnosis =
        Ask(Parse<v1::DecideRequest>(absl::StrCat("report { ", report, " }")))
            .diagnosis();
    EXPECT_EQ(diagnosis.situation(), v1::Diagnosis::HELD) << report;
    EXPECT_THAT(diagnosis.problem(),
                HasSubstr("mulligan-controller stopped it at 15:04: no module"))
        << report;
    EXPECT_EQ(diagnosis.first_step().text(),
              "correct it; then let it go on: kubectl patch job j");
    EXPECT_EQ(diagnosis.first_step().command(), "kubectl patch job j");
  }
}

// Pods that a queue has left behind show how it failed.
TEST_F(StoppedTest, SaysHowToResumeIfItsPodsAreLeft) {
  v1::DecideRequest request = FailureOfAttempt(1, 1, "Error");
  auto& job = *request.mutable_report()->add_jobs();
  job = Parse<kubernetes::batch::v1::Job>(absl::StrCat(
      "metadata { name: 'j' ", kStop, " } spec { suspend: true }"));
  for (const bool suspended : {true, false}) {
    job.mutable_spec()->set_suspend(suspended);
    const v1::Diagnosis diagnosis = Ask(request).diagnosis();
    const bool says =
        diagnosis.problem().find("mulligan-controller stopped it") !=
        std::string::npos;
    EXPECT_EQ(says, suspended) << diagnosis.problem();
    EXPECT_EQ(diagnosis.first_step().command() == "kubectl patch job j",
              suspended)
        << diagnosis.first_step().text();
  }
}

}  // namespace
}  // namespace mulligan
